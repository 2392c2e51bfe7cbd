"""The answer that follows from what an analysis of executions found: decided here for every engine."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fencepost import reasons
from fencepost.execution.execution import Execution
from fencepost.program.condition import Quantifier
from fencepost.program.instructions import ErrorKind, Fail
from fencepost.program.operands import Position
from fencepost.program.program import Program
from fencepost.reasons import Code, Reason
from fencepost.records import dataclass
from fencepost.verdict import Answer, ErrorReport, Witness


@dataclass(frozen=True, slots=True)
class Seen:
    """What an engine saw: errors that count, whether the condition holds (None: none, or not decided), why there may be
    more than what was seen, and how many executions were complete and blocked. `how`: explored or enumerated.
    `assumed`: the places of the assumptions that failed, where no execution is complete."""

    errors: Sequence[ErrorReport]
    holds: bool | None
    unfinished: tuple[Reason, ...]
    executions: int
    blocked: int
    how: str
    assumed: Collection[Position | None] = ()


def judge(program: Program, seen: Seen) -> tuple[Answer, str, tuple[Reason, ...]]:
    """The answer, its reason in words, and as codes. A FAIL keeps the reasons why there may be more."""
    if seen.errors:
        first = seen.errors[0]
        found = Reason(Code.ERROR, first.message, first.at)
        return Answer.FAIL, str(found), (found, *seen.unfinished)
    if seen.holds is False:
        found = Reason(Code.CONDITION, "the condition does not hold")
        return Answer.FAIL, str(found), (found, *seen.unfinished)
    if seen.unfinished and seen.holds is None:
        return _unfinished(program, seen)
    if not seen.unfinished and (nothing := nothing_completes(seen.executions, seen.assumed)):
        return Answer.UNKNOWN, reasons.words(nothing), nothing
    if seen.unfinished:
        return Answer.UNKNOWN, reasons.words(seen.unfinished), seen.unfinished
    if seen.holds is None:
        found = Reason(Code.COMPLETE, f"every execution {seen.how}, no error")
    else:
        found = Reason(Code.CONDITION, "the condition holds")
    return Answer.PASS, str(found), (found,)


def _unfinished(program: Program, seen: Seen) -> tuple[Answer, str, tuple[Reason, ...]]:
    """Where nothing but bounds of loops stands in the way, what lies within them was seen completely."""
    asks = program.condition is not None and program.condition.quantifier is Quantifier.EXISTS
    if not asks and seen.executions > 0 and reasons.only_bounds(seen.unfinished):
        return Answer.BOUNDED, f"PASS {reasons.within(seen.unfinished)}", seen.unfinished
    return Answer.UNKNOWN, reasons.words(seen.unfinished), seen.unfinished


def nothing_completes(executions: int, assumed: Collection[Position | None]) -> tuple[Reason, ...]:
    """Why there is nothing to judge, where no execution completes: what holds in none of none is no PASS."""
    if executions > 0:
        return ()
    if not assumed:
        return (reasons.nothing_completes(),)
    return tuple(reasons.assumed_away(at) for at in sorted(assumed, key=str))


def bound_met(program: Program, found: ErrorReport) -> Reason:
    """A finding that is no fault of the program, as a reason; for the bound of a loop with its number."""
    reason = reasons.met(found.kind, found.message, found.at)
    if found.kind is not ErrorKind.LOOP_BOUND:
        return reason
    return Reason(reason.code, reason.message, reason.at, _rounds(program, found.at))


def _rounds(program: Program, at: Position | None) -> int | None:
    """How often the loop whose bound stands there may go round."""
    fails = (i for f in program.functions for i in f.code if isinstance(i, Fail) and i.kind is ErrorKind.LOOP_BOUND)
    return next((i.rounds for i in fails if i.at == at and i.rounds), None)


def refutation(program: Program, execution: Execution, model: str) -> Witness:
    """An execution whose final state is against the program's condition, as a witness."""
    state = ", ".join(f"{name} = {value}" for name, value in execution.outcome.items())
    error = ErrorReport(ErrorKind.ASSERTION, f"the final state {state} is against the condition")
    return Witness(execution, error, model, program=program)
