"""The one form that every analysis returns: a Verdict, and the Witness that proves a FAIL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, IntEnum
from math import log10
from typing import Any

from fencepost.display import show
from fencepost.execution.execution import Execution
from fencepost.program.instructions import ErrorKind, FenceKind, Mode
from fencepost.program.operands import Position
from fencepost.program.program import Program
from fencepost.reasons import Code, Reason
from fencepost.records import dataclass, field


class ExitCode(IntEnum):
    """What the command returns to its caller, all of it. The last three are the customs of the system."""

    PASS = 0
    FAIL = 1
    BAD_INPUT = 2  # bad usage or bad input
    UNKNOWN = 3
    INTERNAL = 70  # a bug of ours
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class Answer(Enum):
    """PASS: every execution explored, none bad. FAIL: there is a witness. BOUNDED: every execution within the bounds of
    loops explored, none bad; some go beyond. UNKNOWN: our knowledge ends; the reason says where."""

    PASS = "PASS"
    FAIL = "FAIL"
    BOUNDED = "BOUNDED"
    UNKNOWN = "UNKNOWN"

    @property
    def exit_code(self) -> int:
        """That of BOUNDED is UNKNOWN's: only who accepts bounds may take it for a PASS."""
        return ExitCode.UNKNOWN if self is Answer.BOUNDED else ExitCode[self.value]


def _exit_code(answer: Answer, reasons: tuple[Reason, ...]) -> int:
    interrupted = answer is Answer.UNKNOWN and any(r.code is Code.INTERRUPTED for r in reasons)
    return ExitCode.INTERRUPTED if interrupted else answer.exit_code


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


STATEMENT = "statement"  #: `Fix.operation` of fences between two statements of a text


@dataclass(frozen=True, slots=True)
class Fix:
    """One place of the source: a load, store or update that should have the order `mode`, or `fences` before it; a
    statement with `fences` before it; or a declaration that should read `after`."""

    at: Position | None
    operation: str
    mode: Mode | None = None
    fences: tuple[FenceKind, ...] = ()
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Cured:
    """Changes with which the whole program passes, or is robust; `bounded`: within the bounds of its loops and the
    like. `cautions`: what the changes do not do."""

    fixes: tuple[Fix, ...]
    bounded: bool = False
    robust: bool = False
    cautions: tuple[str, ...] = ()

    def __call__(self) -> Cured:
        """What is known already is its own answer."""
        return self


@dataclass(frozen=True, slots=True)
class Witness:
    """An execution that shows the error. `cycle` is the reason where the reason is a cycle; `run` the steps where the
    analysis has steps; `notes` sentences that the analysis wants told. `program` is the program whose execution this
    is, after every pass (unrolled, mapped, ...): with it the witness can be replayed and its locations have names.
    `model_text` is the text of a model that is the user's own: its name may be that of one of ours. `cure` looks for
    changes that repair the program, when it is called; the answer is always the same."""

    execution: Execution
    error: ErrorReport
    model: str
    cycle: tuple[Edge, ...] = ()
    run: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    program: Program | None = None
    model_text: str = ""
    cure: Callable[[], Cured | None] | None = field(default=None, compare=False, repr=False)

    def _repr_html_(self) -> str | None:
        return show(self, "html")

    def _repr_svg_(self) -> str | None:
        return show(self, "svg")


@dataclass(frozen=True, slots=True)
class Estimate:
    """How many executions, complete and blocked, an exploration seems to have: between `low` and `high` nine times in
    ten. Where samples do not agree, `executions` and `high` are None, and `low` is a bound that holds nine times in
    ten. `share`: how much of the work is done; `seconds_left`: how long the rest takes at the speed so far."""

    executions: float | None
    low: float
    high: float | None
    share: float = 0.0
    seconds_left: float | None = None

    @property
    def exact(self) -> bool:
        return self.executions is not None and self.low == self.high

    def __str__(self) -> str:
        if self.executions is None:
            return f"at least {_round(self.low)}" if self.low < _HUGE else _number(self.low)
        if self.exact:
            return _number(self.executions)
        return f"about {_round(self.executions)} ({_round(self.low)} to {_round(self.high or self.executions)})"


_HUGE = 1e300


def _number(value: float) -> str:
    if value < 1e15:
        return f"{value:,.0f}"
    return f"10^{int(log10(value))}" if value < _HUGE else "more than 10^300"


def _round(value: float) -> str:
    """To two digits: an estimate knows no more."""
    return _number(float(f"{value:.1e}"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """`executions` and `blocked` count complete and blocked executions (or states, where the analysis visits states:
    then `extra` says so). `reason` is for people; `reasons` are the same as codes with places, to decide by.
    `accepts_bounds`: who asked takes BOUNDED for a success. `witness` shows the first error; `others` show the further
    ones, in the order of `errors`, where every error was asked for."""

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
    reasons: tuple[Reason, ...] = ()
    accepts_bounds: bool = False
    others: tuple[Witness, ...] = ()

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """One execution for each error."""
        return (self.witness, *self.others) if self.witness is not None else ()

    def __post_init__(self) -> None:
        if self.answer is Answer.UNKNOWN and not self.reasons:
            object.__setattr__(self, "reasons", (Reason(Code.NOT_PROVED, self.reason),))

    @property
    def exit_code(self) -> int:
        if self.answer is Answer.BOUNDED and self.accepts_bounds:
            return ExitCode.PASS
        return _exit_code(self.answer, self.reasons)

    def __str__(self) -> str:
        """One line: the answer, and why."""
        return show(self, "line") or f"{self.answer.value}: {self.reason} under {self.model}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """The same line where IPython has no page to show; `repr` says everything."""
        printer.text(str(self))

    def story(self) -> str:
        """The whole report, as `fencepost check` prints it."""
        return show(self, "story") or str(self)

    @property
    def why(self) -> str:
        """The reason in a sentence or two: of a FAIL what went wrong, else what the answer rests on."""
        return show(self, "why") or self.reason

    @property
    def fix(self) -> str:
        """What would help, where something was found; empty otherwise."""
        return show(self, "fix") or ""

    def to_html(self) -> str:
        """One self-contained page: the picture, the source beside it, the story to step through."""
        return show(self, "page") or str(self)

    def _repr_html_(self) -> str | None:
        return show(self, "html")

    def _repr_svg_(self) -> str | None:
        return show(self, "svg")


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The final states of all executions. `states` maps each state, as (name, value) pairs in the order of the
    program's observations, to the number of executions that end in it. `holds` answers the program's condition (None:
    it has none, or we do not know). `reason` says why the list may be incomplete; empty where it is complete. `engine`
    is explore or enumerate: what the explorer does not treat is enumerated; `why` is the reason for that
    choice, where there was one. `digest`: the sum of the hashes of all executions, where it was asked for."""

    model: str
    states: Mapping[tuple[tuple[str, int], ...], int]
    holds: bool | None = None
    executions: int = 0
    blocked: int = 0
    seconds: float = 0.0
    reason: str = ""
    errors: tuple[ErrorReport, ...] = ()
    engine: str = "explore"
    why: str = ""
    reasons: tuple[Reason, ...] = ()
    digest: str = ""

    @property
    def answer(self) -> Answer:
        """PASS where the condition holds or there is none to hold; FAIL where it does not."""
        if self.holds is None:
            return Answer.UNKNOWN if self.reason else Answer.PASS
        return Answer.PASS if self.holds else Answer.FAIL

    @property
    def exit_code(self) -> int:
        return _exit_code(self.answer, self.reasons)

    def _repr_html_(self) -> str | None:
        return show(self, "html")

    def _repr_svg_(self) -> str | None:
        return show(self, "svg")


class OutcomesByModel(dict[str, Outcomes]):
    """The final states under several models, side by side."""

    def _repr_html_(self) -> str | None:
        return show(self, "html")

    def __str__(self) -> str:
        return show(self, "story") or super().__str__()
