"""The one form that every analysis returns: a Verdict, and the Witness that proves a FAIL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from fencepost.execution.execution import Execution
from fencepost.program.instructions import ErrorKind
from fencepost.program.operands import Position
from fencepost.program.program import Program


class Answer(Enum):
    """PASS: every execution explored, none bad. FAIL: there is a witness. UNKNOWN: our knowledge ends; the reason says
    where. Exit codes belong to answers: 0, 1 and 3 (2 is for bad usage and bad input)."""

    PASS = "PASS"
    FAIL = "FAIL"
    UNKNOWN = "UNKNOWN"

    @property
    def exit_code(self) -> int:
        return {Answer.PASS: 0, Answer.FAIL: 1, Answer.UNKNOWN: 3}[self]


BAD_INPUT_EXIT_CODE = 2


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """What went wrong, where, in which thread; `events` are the ids in the witness that are to blame (for a race both
    accesses)."""

    kind: ErrorKind
    message: str
    at: Position | None = None
    thread: int = -1
    events: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge of a cycle that explains a verdict, with the name of its relation (`rf`, `fr`, `po`, ...)."""

    source: int
    target: int
    name: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a run, for analyses that have runs (robustness, bounded): who did what."""

    thread: int
    text: str
    at: Position | None = None
    event: int | None = None


@dataclass(frozen=True, slots=True)
class Witness:
    """An execution that shows the error. `cycle` is the reason where the reason is a cycle; `run` the steps where the
    analysis has steps; `notes` sentences that the analysis wants told. `program` is the program whose execution this
    is, after every pass (unrolled, mapped, ...): with it the witness can be replayed and its locations have names."""

    execution: Execution
    error: ErrorReport
    model: str
    cycle: tuple[Edge, ...] = ()
    run: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    program: Program | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """`executions` and `blocked` count complete and blocked executions (or states, where the analysis visits states:
    then `extra` says so). `bounds` lists the limits that were hit, each with its place."""

    answer: Answer
    reason: str
    model: str
    executions: int = 0
    blocked: int = 0
    seconds: float = 0.0
    errors: tuple[ErrorReport, ...] = ()
    witness: Witness | None = None
    warnings: tuple[str, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict)
