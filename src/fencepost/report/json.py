"""Verdicts as JSON. `assets/verdict.schema.json` describes them; docs/json.md explains them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fencepost.program.operands import Position
from fencepost.reasons import Reason
from fencepost.verdict import ErrorReport, Verdict, Witness

if TYPE_CHECKING:
    from fencepost.witness.sources import Sources
    from fencepost.witness.story import Moment, Story

SCHEMA = "fencepost/verdict/1"


def verdict_data(verdict: Verdict, sources: Sources | None = None) -> dict[str, object]:
    """The one object that `--json` prints: the verdict, the witness that `fencepost replay` reads, and its story; the
    same of each further error."""
    told = [_told(w, sources) for w in verdict.witnesses]
    first = told[0] if told else {"explanation": None, "witness": None}
    return {
        "schema": SCHEMA,
        "verdict": verdict.answer.value,
        "reason": verdict.reason,
        "reasons": [_reason(r) for r in verdict.reasons],
        "model": verdict.model,
        "executions": verdict.executions,
        "blocked": verdict.blocked,
        "seconds": round(verdict.seconds, 6),
        "errors": [_error(e) for e in verdict.errors],
        "warnings": list(verdict.warnings),
        **first,
        "others": told[1:],
        **verdict.extra,
    }


def _told(witness: Witness, sources: Sources | None) -> dict[str, object]:
    from fencepost.witness.codec import encode
    from fencepost.witness.story import tell

    return {"explanation": _explanation(tell(witness, sources)), "witness": encode(witness, sources)}


def _reason(reason: Reason) -> dict[str, object]:
    return {"code": reason.code.value, "message": reason.message, "at": _place(reason.at)}


def _error(error: ErrorReport) -> dict[str, object]:
    from fencepost.witness.codec import encode_error

    return encode_error(error)


def schema() -> dict[str, object]:
    """The JSON schema of what `verdict_data` returns."""
    from fencepost.report.svg import asset

    loaded: dict[str, object] = json.loads(asset("verdict.schema.json"))
    return loaded


def _explanation(story: Story) -> dict[str, object]:
    return {
        "title": story.explanation.title,
        "reason": story.explanation.reason,
        "known": story.explanation.known,
        "remedies": [{"text": r.text, "proof": r.proof} for r in story.explanation.remedies],
        "initial": list(story.initial),
        "steps": [_step(story, m) for m in story.moments],
    }


def _step(story: Story, m: Moment) -> dict[str, object]:
    names = {c.thread: c.name for c in story.columns}
    return {
        "number": m.number, "thread": names.get(m.thread), "kind": m.kind, "text": m.text, "mode": m.mode,
        "detail": m.detail, "events": list(m.events), "blamed": m.blamed, "source": m.source,
        "at": _place(m.at), "calls": [{"function": c.function, "at": _place(c.at)} for c in m.calls],
    }  # fmt: skip


def _place(at: Position | None) -> dict[str, object] | None:
    return None if at is None else {"file": at.file, "line": at.line, "column": at.column}
