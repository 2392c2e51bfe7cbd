"""What `repair` and `relax` found, for a person and as JSON."""

from __future__ import annotations

from dataclasses import replace
from textwrap import wrap

from fencepost.program.operands import Position
from fencepost.repair.result import Change, Kept, Repair
from fencepost.report.text import PLAIN_WIDTH, error_text
from fencepost.verdict import Answer, ErrorReport
from fencepost.witness.names import short_file
from fencepost.witness.story import tell

SCHEMA = "fencepost/repair/1"


def repair_text(found: Repair) -> str:
    if found.answer is Answer.FAIL:
        return "\n".join([*_head(" FAIL  no order and no fence helps", found), *_nothing_helps(found), *_tail(found)])
    if found.answer is Answer.UNKNOWN and not found.changes:
        lines = _head(" UNKNOWN  no repair was found", found)
        lines += _labelled("reason", found.reason)
        if found.lower:
            lines += _labelled("bound", f"every repair costs at least {found.lower}")
        return "\n".join([*lines, *_tail(found)])
    if not found.changes:
        return "\n".join([*_head(f" {found.answer.value}  nothing to repair", found), *_bounded(found), *_tail(found)])
    count = f"{len(found.changes)} change{'s' if len(found.changes) > 1 else ''}"
    lines = _head(f" {found.answer.value}  with {count}, cost {found.cost}", found)
    lines += ["", *found.patch.splitlines(), ""]
    lines += [line for change in found.changes for line in _change(change)]
    return "\n".join([*lines, *_proof(found), *_bounded(found), *_tail(found)])


def relax_text(found: Repair) -> str:
    if not found.kept or found.answer is Answer.FAIL:
        return "\n".join([*_head(f" {found.answer.value}  {found.reason or 'nothing to relax'}", found), *_tail(found)])
    changed = len(found.changes)
    title = f"{changed} place{'s' if changed != 1 else ''} can be weaker" if changed else "nothing can be weaker"
    lines = [*_head(f" {found.answer.value}  {title}", found), "", *_table(found.kept), ""]
    lines += [*found.patch.splitlines(), ""] if found.patch else []
    return "\n".join([*lines, *_proof(found), *_bounded(found), *_tail(found)])


def _head(text: str, found: Repair) -> list[str]:
    return [f"{text} under {found.model}"]


def _change(change: Change) -> list[str]:
    text = f"{change.what}: {change.before} -> {change.after}"
    if change.what == "fence":
        text = f"{change.after}" if change.before == "nothing" else f"{change.before} -> {change.after}"
    without = f"; without it: {_error(change.error)}" if change.error is not None else ""
    return _labelled("change", f"{_place(change.at)}  {text}{without}")


def _error(error: ErrorReport) -> str:
    where = f" ({_place(error.at)})" if error.at is not None else ""
    return f"{error_text(error)}{where}"


def _nothing_helps(found: Repair) -> list[str]:
    lines: list[str] = []
    if found.verdict is not None and found.verdict.witness is not None:
        story = tell(replace(found.verdict.witness, cure=None))  # no order helps: nobody has to look for one again
        lines += _labelled("error", _error(story.error))
        lines += _labelled("why", _sentence(story.explanation.reason.rstrip(".")))
        known = story.explanation.known
        lines += _labelled("known as", f"{known} (fencepost help bugs)") if known else []
    return lines + _labelled("rule", _sentence(found.reason))


def _proof(found: Repair) -> list[str]:
    if found.proved:
        return _labelled("proof", "nothing cheaper passes; the changed text was read and checked again")
    why = "; ".join(found.objections)
    return _labelled("proof", f"cheapest found, not proved ({why}); the changed text was read and checked again")


def _bounded(found: Repair) -> list[str]:
    return _labelled("bound", f"only within bounds: {found.reason}") if found.answer is Answer.BOUNDED else []


def _tail(found: Repair) -> list[str]:
    lines = [line for note in found.notes for line in _labelled("warning", note)]
    return [*lines, f"{found.checks} checks, {found.judgements} executions judged, {found.seconds:.2f} s", ""]


def _table(rows: tuple[Kept, ...]) -> list[str]:
    machines = [name for name, _ in rows[0].costs]
    head = ["place", "operation", "now", "needed", *machines, "one step weaker"]
    cells = [
        [_place(r.at), r.what, r.now, r.needed if r.needed != r.now else "the same", *(c for _, c in r.costs),
         _error(r.error) if r.error is not None else ""]
        for r in rows
    ]  # fmt: skip
    wide = [max(len(row[i]) for row in [head, *cells]) for i in range(len(head))]
    return ["  ".join(c.ljust(w) for c, w in zip(row, wide, strict=True)).rstrip() for row in [head, *cells]]


def _place(at: Position) -> str:
    return f"{short_file(at.file)}:{at.line}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _labelled(label: str, text: str) -> list[str]:
    parts = wrap(text, PLAIN_WIDTH - 9, break_long_words=False, break_on_hyphens=False) or [""]
    return [f"{label:<9}{parts[0]}", *(" " * 9 + p for p in parts[1:])]


# --- JSON


def repair_data(found: Repair) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "verdict": found.answer.value,
        "model": found.model,
        "reason": found.reason,
        "cost": found.cost,
        "at_least": found.lower,
        "proved": found.proved,
        "objections": list(found.objections),
        "changes": [
            {"at": _at(c.at), "what": c.what, "before": c.before, "after": c.after, "cost": c.cost,
             "without": _error_data(c.error)}
            for c in found.changes
        ],
        "sites": [
            {"at": _at(k.at), "what": k.what, "now": k.now, "needed": k.needed, "weaker": _error_data(k.error),
             "costs": dict(k.costs)}
            for k in found.kept
        ],
        "patch": found.patch,
        "warnings": list(found.notes),
        "checks": found.checks,
        "judgements": found.judgements,
        "seconds": round(found.seconds, 6),
    }  # fmt: skip


def _at(at: Position) -> dict[str, object]:
    return {"file": at.file, "line": at.line, "column": at.column}


def _error_data(error: ErrorReport | None) -> dict[str, object] | None:
    if error is None:
        return None
    return {"kind": error.kind.value, "message": error.message, "at": _at(error.at) if error.at is not None else None}
