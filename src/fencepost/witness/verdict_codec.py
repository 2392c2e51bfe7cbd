"""A whole verdict as JSON data and back, for verdicts that are reached on another machine:
`decode_verdict(encode_verdict(v)) == v`."""

from __future__ import annotations

from typing import Any

from fencepost.reasons import Code, Reason
from fencepost.verdict import Answer, Verdict
from fencepost.witness.codec import Json, decode, encode, encode_error, encode_position, read_error, read_position
from fencepost.witness.sources import Sources

_PLAIN = ("reason", "model", "executions", "blocked", "seconds", "accepts_bounds")


def encode_verdict(verdict: Verdict) -> Json:
    """No source files go with it: who asked has them."""
    return {name: getattr(verdict, name) for name in _PLAIN} | {
        "answer": verdict.answer.value,
        "errors": [encode_error(e) for e in verdict.errors],
        "witnesses": [encode(w, Sources({})) for w in verdict.witnesses],
        "warnings": list(verdict.warnings),
        "extra": dict(verdict.extra),
        "reasons": [_reason(r) for r in verdict.reasons],
    }


def _reason(reason: Reason) -> Json:
    at = encode_position(reason.at)
    return {"code": reason.code.value, "message": reason.message, "at": at, "rounds": reason.rounds}


def decode_verdict(data: Json) -> Verdict:
    """pre: `data` is what `encode_verdict` made."""
    witnesses = [decode(w)[0] for w in data["witnesses"]]
    plain: dict[str, Any] = {name: data[name] for name in _PLAIN}
    reasons = (Reason(Code(r["code"]), r["message"], read_position(r["at"]), r["rounds"]) for r in data["reasons"])
    return Verdict(
        Answer(data["answer"]), **plain, errors=tuple(read_error(e) for e in data["errors"]),
        witness=witnesses[0] if witnesses else None, others=tuple(witnesses[1:]), warnings=tuple(data["warnings"]),
        extra=data["extra"], reasons=tuple(reasons),
    )  # fmt: skip
