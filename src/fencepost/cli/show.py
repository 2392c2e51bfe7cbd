"""Outcomes as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from fencepost.verdict import ErrorReport, Outcomes


def show_outcomes(found: Outcomes) -> str:
    lines = [f"{_state(state)}  ({count})" for state, count in found.states.items()]
    if found.holds is not None:
        lines.append(f"{found.answer.value}: the condition {'holds' if found.holds else 'does not hold'}")
    if found.reason:
        lines.append(f"incomplete: {found.reason}")
    lines += [_error_line(error) for error in found.errors]
    if found.why:
        lines.append(f"{found.engine}: {found.why}")
    lines.append(_counts(found.model, found.executions, found.blocked, found.seconds))
    return "\n".join(lines)


def outcomes_data(found: Outcomes) -> dict[str, object]:
    data: dict[str, object] = {
        "model": found.model,
        "states": [{"values": dict(state), "executions": count} for state, count in found.states.items()],
        "holds": found.holds,
        "reason": found.reason,
        "executions": found.executions,
        "blocked": found.blocked,
        "seconds": round(found.seconds, 6),
        "engine": found.engine,
        "why": found.why,
        "errors": [error_data(e) for e in found.errors],
    }
    return data | ({"digest": found.digest} if found.digest else {})


def error_data(error: ErrorReport) -> dict[str, object]:
    at = error.at
    place = None if at is None else {"file": at.file, "line": at.line, "column": at.column}
    return {"kind": error.kind.value, "message": error.message, "at": place, "thread": error.thread}


def _error_line(error: ErrorReport) -> str:
    place = f"{error.at}: " if error.at is not None else ""
    return f"{place}{error.kind.value}: {error.message}"


def _state(state: tuple[tuple[str, int], ...]) -> str:
    return " ".join(f"{name}={value};" for name, value in state) or "(nothing is observed)"


def _counts(model: str, executions: int, blocked: int, seconds: float) -> str:
    also = f" and {blocked} blocked" if blocked else ""
    return f"{executions} execution{'s' * (executions != 1)}{also} under {model} in {seconds:.2f} s"


def show_outcomes_by_model(table: Mapping[str, Outcomes]) -> str:
    """One row per outcome, one column per model: how many executions end in it, `-` where none does."""
    states = sorted({state for found in table.values() for state in found.states})
    head = ["outcome", *table]
    rows = [[_state(s), *(str(f.states.get(s, "-")) if _judged(f) else "?" for f in table.values())] for s in states]
    rows.append(["condition", *(_condition(found) for found in table.values())])
    rows.append(["executions", *(str(f.executions) if _judged(f) else "?" for f in table.values())])
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = ["  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True)))
             for row in [head, *rows]]  # fmt: skip
    notes = [f"{name}: {found.reason}" for name, found in table.items() if found.reason]
    return "\n".join([*lines, *notes])


def outcomes_by_model_data(table: Mapping[str, Outcomes]) -> dict[str, object]:
    return {"models": {name: outcomes_data(found) for name, found in table.items()}}


def _judged(found: Outcomes) -> bool:
    return bool(found.states) or not found.reason


def _condition(found: Outcomes) -> str:
    return "-" if found.holds is None else "holds" if found.holds else "fails"
