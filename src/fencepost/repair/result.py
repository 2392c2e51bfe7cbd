"""What `repair` and `relax` answer."""

from __future__ import annotations

from fencepost.program.operands import Position
from fencepost.records import dataclass
from fencepost.verdict import Answer, ErrorReport, ExitCode, Verdict, Witness

DECLARATION = "declaration"  #: `Change.what` of a variable that becomes atomic


@dataclass(frozen=True, slots=True)
class Change:
    """One place of the source. `before` and `after` are its orders in words (of a fence: what stands there, `nothing`
    where none does). `without` is an execution that is possible where this change alone is left out, and its error."""

    at: Position
    what: str
    before: str
    after: str
    cost: int = 0
    error: ErrorReport | None = None
    without: Witness | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """A row of `relax`: what a place has, what it needs, and the error one step weaker. `costs` are what the order
    that is needed compiles to, by machine."""

    at: Position
    what: str
    now: str
    needed: str
    error: ErrorReport | None = None
    without: Witness | None = None
    costs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Repair:
    """PASS: with `changes` (none: as it is) the program passes, which was checked on the changed text. FAIL: no order
    and no fence helps; `verdict` is that of the strongest program, and `reason` says which rule is broken. BOUNDED: as
    PASS, within the bounds of loops. UNKNOWN: a
    limit was met. `proved`: nothing cheaper passes; else `objections` say why that is not known."""

    answer: Answer
    model: str
    reason: str = ""
    changes: tuple[Change, ...] = ()
    kept: tuple[Kept, ...] = ()
    patch: str = ""
    texts: tuple[tuple[str, str], ...] = ()  # file -> its new text
    before: tuple[tuple[str, str], ...] = ()  # file -> the text that was read, of the same files
    cost: int = 0
    lower: int = 0
    proved: bool = False
    objections: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    verdict: Verdict | None = None  # of the changed program, or of the strongest one
    first: Verdict | None = None  # of the program as it is
    checks: int = 0
    judgements: int = 0
    seconds: float = 0.0

    @property
    def exit_code(self) -> int:
        accepted = self.answer is Answer.BOUNDED and self.verdict is not None and self.verdict.accepts_bounds
        return ExitCode.PASS if accepted else self.answer.exit_code
