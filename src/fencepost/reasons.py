"""Why a verdict is what it is: codes to decide by, and words for people, which are made here and nowhere else.

Nothing may look into the words of a reason. What a program decides on is its code.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from fencepost.program.instructions import ErrorKind
from fencepost.program.operands import Position
from fencepost.records import dataclass


class Code(Enum):
    """What kind of reason it is. The values stand in JSON and never change."""

    COMPLETE = "complete"  # everything was looked at
    ERROR = "error"  # an error of the program
    CONDITION = "condition"  # the program's condition decides
    LIMIT = "limit"  # time, memory or a number that the user gave ran out
    BOUND = "bound"  # a loop (or the contexts) within which everything was looked at
    UNSUPPORTED = "unsupported"  # the program does what the analysis cannot treat
    INTERRUPTED = "interrupted"  # Ctrl-C
    ASSUMPTIONS = "assumptions-exclude-every-execution"
    IGNORED = "ignored-error"  # an error that is not reported ends executions, and what comes after was not looked at
    CLUSTER = "cluster"  # the workers or the scheduler are gone
    NOT_PROVED = "not-proved"  # the search ended, but nothing shows that it missed nothing


@dataclass(frozen=True, slots=True)
class Reason:
    """`at` is the place that it is about. `rounds`: how often the loop there may go round (code BOUND)."""

    code: Code
    message: str
    at: Position | None = None
    rounds: int | None = None

    def __str__(self) -> str:
        return f"{self.at}: {self.message}" if self.at is not None else self.message


def words(reasons: Iterable[Reason]) -> str:
    """Several reasons as one line."""
    return "; ".join(dict.fromkeys(map(str, reasons)))


def plural(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


# --- limits that the user set


def out_of_time(seconds: float) -> Reason:
    return Reason(Code.LIMIT, f"stopped after {seconds:g} seconds")


def out_of_executions(number: int) -> Reason:
    return Reason(Code.LIMIT, f"stopped after {plural(number, 'execution')}")


def out_of_memory(mebibytes: int) -> Reason:
    return Reason(Code.LIMIT, f"stopped at {mebibytes} MiB of memory")


def hopeless(seconds: float) -> Reason:
    """No limit was set, and there is no end in sight."""
    return Reason(
        Code.LIMIT, f"stopped after {seconds:g} seconds: the rest would take ages (--time-limit looks at a part)"
    )


def interrupted() -> Reason:
    return Reason(Code.INTERRUPTED, "interrupted")


def cluster_gone(why: str) -> Reason:
    return Reason(Code.CLUSTER, f"the cluster is gone: {why}")


# --- where knowledge ends

#: What a finding that is no fault of the program means for the answer.
_CODES = {
    ErrorKind.LOOP_BOUND: Code.BOUND,
    ErrorKind.STEP_BOUND: Code.LIMIT,
    ErrorKind.EVENT_BOUND: Code.LIMIT,
    ErrorKind.THREAD_BOUND: Code.LIMIT,
    ErrorKind.UNSUPPORTED: Code.UNSUPPORTED,
    ErrorKind.MIXED_SIZE: Code.UNSUPPORTED,
    ErrorKind.LEFT_OUT: Code.NOT_PROVED,
}


def met(kind: ErrorKind, message: str, at: Position | None) -> Reason:
    """A bound that an execution met, or an ignored error at which it ended."""
    if kind is ErrorKind.UNSUPPORTED:
        return unsupported(message, at)
    if kind in _CODES:
        return Reason(_CODES[kind], message, at)
    return Reason(
        Code.IGNORED, f"executions end here at an ignored error ({kind.value}); what comes after was not looked at", at
    )


def unsupported(message: str, at: Position | None = None) -> Reason:
    return Reason(Code.UNSUPPORTED, f"not supported: {message}", at)


def only_bounds(reasons: Iterable[Reason]) -> bool:
    """Whether everything within the bounds of loops was looked at, and there were such bounds."""
    codes = {r.code for r in reasons}
    return codes == {Code.BOUND}


def within(reasons: Iterable[Reason]) -> str:
    """The bounds within which there is no error, for the headline."""
    return "; ".join(dict.fromkeys(map(_bound, (r for r in reasons if r.code is Code.BOUND))))


def _bound(reason: Reason) -> str:
    if reason.at is None or reason.rounds is None:
        return reason.message
    return (
        f"within {plural(reason.rounds, 'round')} of the loop at {reason.at.file.rpartition('/')[2]}:{reason.at.line}"
    )


def assumed_away(at: Position | None) -> Reason:
    return Reason(Code.ASSUMPTIONS, "assumptions exclude every execution: nothing was checked", at)


def nothing_completes() -> Reason:
    return Reason(Code.NOT_PROVED, "no execution completes: nothing was checked")
