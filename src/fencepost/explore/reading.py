"""What a report of the core means: errors with their witnesses, bounds that were met, and the answer of a condition."""

from __future__ import annotations

from fencepost._core import CoreFinding
from fencepost.explore.convert import state_of, to_execution, to_report
from fencepost.explore.native import Report
from fencepost.judgement import bound_met, refutation
from fencepost.models.registry import Model
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.prepare.encoded import Prepared
from fencepost.program.condition import decide, refutes
from fencepost.program.instructions import BOUNDS, GOES_ON, ErrorKind, Rmw
from fencepost.program.layout import condition_constants
from fencepost.program.operands import Position
from fencepost.reasons import Reason
from fencepost.records import replace
from fencepost.verdict import Answer, ErrorReport, Witness


def kind_of(raw: CoreFinding) -> ErrorKind:
    return tuple(ErrorKind)[raw.kind]


def is_limit(raw: CoreFinding) -> bool:
    return kind_of(raw) in BOUNDS


def sort_findings(
    report: Report, prepared: Prepared, model: str, options: ExploreOptions
) -> tuple[list[ErrorReport], list[Witness], list[ErrorReport]]:
    """Errors that count, their witnesses, and what executions ended at before their time."""
    waiting = frozenset({ErrorKind.DEADLOCK, ErrorKind.LIVENESS})
    ignored = options.ignored if isinstance(options, CheckOptions) else waiting
    errors, witnesses, limits = [], [], []
    for raw in report.results.findings:
        found = to_report(raw, prepared)
        if found.kind in BOUNDS or (found.kind in ignored and found.kind not in GOES_ON):
            limits.append(found)
        elif found.kind not in ignored:
            errors.append(found)
            witnesses.append(Witness(to_execution(raw.execution, prepared), found, model, program=prepared.program))
    return errors, witnesses, limits


def unfinished(report: Report, limits: list[ErrorReport], prepared: Prepared) -> tuple[Reason, ...]:
    """Why there may be more than what was seen."""
    if report.reason is None:
        return tuple(bound_met(prepared.program, limit) for limit in _too_long_once(limits))
    seen, all_ = report.results.executions + report.results.blocked, report.estimate
    if all_ is None or all_.low <= seen:
        return (report.reason,)
    return (replace(report.reason, message=f"{report.reason.message}, of {all_} executions"),)


def _too_long_once(limits: list[ErrorReport]) -> list[ErrorReport]:
    """That executions have too many events is one reason: a thread may stand anywhere when it is noticed."""
    long = [limit for limit in limits if limit.kind is ErrorKind.EVENT_BOUND]
    if len(long) < 2:
        return limits
    once = replace(long[0], message=f"{long[0].message}; so at {len(long) - 1} more places")
    return [once, *(limit for limit in limits if limit.kind is not ErrorKind.EVENT_BOUND)]


def answer_condition(report: Report, prepared: Prepared) -> bool | None:
    """Whether the condition holds as it is written; None where there is none or the executions seen do not decide."""
    condition = prepared.asked.condition
    if condition is None:
        return None
    values = [dict(state_of(raw, prepared)) for raw, _ in report.results.outcomes]
    complete = report.reason is None and not any(is_limit(f) for f in report.results.findings)
    constants = condition_constants(prepared.asked, prepared.encoded.layout)
    return decide(condition, values, constants, complete=complete)


def refutations(report: Report, prepared: Prepared, model: str) -> list[Witness]:
    """The first execution that shows that the condition does not hold. An `exists` has none to show."""
    condition = prepared.asked.condition
    assert condition is not None, "a condition that does not hold should be there"
    constants = condition_constants(prepared.asked, prepared.encoded.layout)
    for raw in report.results.kept:
        if refutes(condition, dict(state_of(raw.outcome, prepared)), constants):
            return [refutation(prepared.program, to_execution(raw, prepared), model)]
    return []


def assumed(report: Report, prepared: Prepared) -> frozenset[Position | None]:
    """The places of the assumptions that failed, while no execution was complete."""
    return frozenset(prepared.encoded.positions[p] for p in report.results.assumed)


def flags(report: Report, model: Model) -> list[str]:
    """What the model flags besides races."""
    raised = report.results.flags
    plan = model.plan if raised else None
    return [f"the model raised its flag {plan.checks[i].name}" for i in raised] if plan is not None else []


def reduced(report: Report, prepared: Prepared, options: ExploreOptions) -> dict[str, object]:
    """What the reductions did: how many executions those that were visited stand for. Where identical threads part in a
    way that the model does not order, several may stand for the same ones, and there is no number; nor is there one
    for orders of arrival at barriers, and of critical sections where one was left out: the model may forbid some."""
    visited, all_ = report.results.executions, report.results.representing
    arrivals = any(isinstance(i, Rmw) and i.barrier for f in prepared.program.functions for i in f.code)
    did = {"symmetry": all_ > visited, "barriers": arrivals, "locks": report.results.late > 0}
    done = [name for name, held in did.items() if held]
    if not done:
        return {}
    if options.count == "all":
        return {"visited": visited, "reductions": done}
    known = not arrivals and not report.results.uncounted and not report.results.late
    return {"representing": max(all_, visited) if known else None, "reductions": done}


def counted(report: Report) -> int | None:
    """How many executions there are without reductions; None where those that were visited do not tell. Only complete
    ones are multiplied."""
    visited, all_ = report.results.executions, report.results.representing
    if all_ <= visited and not report.results.uncounted:
        return visited
    return None if report.results.uncounted or report.results.blocked else all_


def digest(report: Report) -> str:
    low, high = report.results.digest
    return f"{high:016x}{low:016x}"


def also(answer: Answer, report: Report, unfinished: tuple[Reason, ...]) -> list[str]:
    """The bounds that were met, where the verdict is about something else."""
    return [str(r) for r in unfinished] if answer is Answer.FAIL and report.reason is None else []
