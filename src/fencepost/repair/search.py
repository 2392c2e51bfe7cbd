"""The cheapest assignment that passes, by implicit hitting set.

    A := the cheapest assignment that meets all clauses
    some known execution is bad under A, or the check of A finds one:
        grow A to a largest M under which that execution is still bad
        learn: one of the smallest atoms outside M is needed
    the check of A passes: A is the answer

Executions are kept: one of them gives many clauses, and most candidates are refused without a check. Each clause is
necessary where the model is monotone (`monotone.py`): below M the execution is bad. So the first candidate that passes
is a cheapest one. That each clause excludes its A makes the search end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from time import monotonic
from typing import Protocol

from fencepost.records import dataclass, field
from fencepost.repair.hitting import HittingSet, TooHardError
from fencepost.repair.space import NOTHING, Assignment, Atom, Space
from fencepost.verdict import Answer, Verdict, Witness


class Oracle(Protocol):
    """What the search may ask. `check` explores; `bad` judges one known execution under another assignment."""

    def check(self, chosen: Assignment) -> Verdict: ...

    def bad(self, witness: Witness, chosen: Assignment) -> bool: ...


class Ending(Enum):
    """FOUND: an assignment passes. NONE: not even the strongest one does. UNKNOWN: a limit ran out."""

    FOUND = "found"
    NONE = "none"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much work the search may do. Counts, not seconds, where the answer has to be the same on every machine."""

    checks: int | None = None
    judgements: int | None = None
    seconds: float | None = None


@dataclass(slots=True)
class Search:
    """What was found and what it took. `verdict` is the last check: the one that passes, fails or knows nothing.
    `exact`: no clause was learnt by anything but the rule above."""

    ending: Ending
    chosen: Assignment
    verdict: Verdict
    first: Verdict
    reason: str = ""
    lower: int = 0
    checks: int = 0
    judgements: int = 0
    clauses: list[tuple[Atom, ...]] = field(default_factory=list)
    pool: list[Witness] = field(default_factory=list)

    @property
    def bounded(self) -> bool:
        """Whether the answer holds within bounds only."""
        return self.ending is Ending.FOUND and self.verdict.answer is Answer.BOUNDED


def passes(verdict: Verdict) -> bool:
    """No error in what was explored, which was everything within the bounds of loops and the like."""
    return verdict.answer in (Answer.PASS, Answer.BOUNDED)


class _OutOfWorkError(Exception):
    """A limit ran out."""


def search(space: Space, oracle: Oracle, limits: Limits = Limits()) -> Search:  # noqa: B008 - immutable
    return _Run(space, oracle, limits).run()


class _Run:
    def __init__(self, space: Space, oracle: Oracle, limits: Limits) -> None:
        self.space, self.oracle, self.limits = space, oracle, limits
        self.until = monotonic() + limits.seconds if limits.seconds is not None else None
        self.solver = HittingSet(space.atoms, space.weights, space.below)
        self.clauses: list[tuple[Atom, ...]] = []
        self.pool: list[Witness] = []
        self.checks = self.judgements = self.lower = 0
        self.verdicts: dict[Assignment, Verdict] = {}
        # what stands close together in the source first: those steps are mostly needed or not needed together
        self.order = sorted(space.atoms, key=lambda a: (a.site, len(space.below[a]), a.step))

    def run(self) -> Search:
        first = self.check(NOTHING)
        if passes(first):
            return self.ended(Ending.FOUND, NOTHING, first, first)
        if first.answer is Answer.UNKNOWN or not self.space.atoms:
            ending = Ending.UNKNOWN if first.answer is Answer.UNKNOWN else Ending.NONE
            return self.ended(ending, NOTHING, first, first, first.reason)
        last = first
        try:
            last = self.check(self.space.top)
            if last.answer is Answer.FAIL:
                return self.ended(Ending.NONE, self.space.top, last, first)
            if not passes(last):
                return self.ended(Ending.UNKNOWN, self.space.top, last, first, last.reason)
            return self.solve(first)
        except _OutOfWorkError:
            return self.ended(Ending.UNKNOWN, self.space.top, last, first, "the search was limited")
        except TooHardError as problem:
            self.lower = max(self.lower, problem.bound)
            return self.ended(Ending.UNKNOWN, self.space.top, last, first, "too many ways to combine the changes")

    def solve(self, first: Verdict) -> Search:
        while True:
            chosen = self.solver.cheapest()
            assert chosen is not None, "the strongest assignment passes, so every clause should have an atom"
            self.lower = self.space.cost(chosen)
            witness = next((w for w in reversed(self.pool) if self.bad(w, chosen)), None)
            if witness is None:
                verdict = self.check(chosen)
                if passes(verdict):
                    return self.ended(Ending.FOUND, chosen, verdict, first)
                if verdict.answer is Answer.UNKNOWN:
                    return self.ended(Ending.UNKNOWN, chosen, verdict, first, verdict.reason)
                witness = verdict.witness
            self.learn(chosen, self.grown(chosen, self.test(witness, chosen)))

    def test(self, witness: Witness | None, chosen: Assignment) -> Callable[[Assignment], bool]:
        """How to ask whether an assignment is still bad: of the execution, where it can be told under other orders
        (which is tried on the assignment that it was found for), else by checking."""
        if witness is not None and self.bad(witness, chosen):
            if witness not in self.pool:
                self.pool.append(witness)
            return lambda tried: self.bad(witness, tried)
        return lambda tried: self.check(tried).answer is Answer.FAIL

    def grown(self, chosen: Assignment, still_bad: Callable[[Assignment], bool]) -> Assignment:
        """A largest assignment above this one that is still bad, by halves: about k log n questions for a clause of
        k atoms. An atom that was refused stays refused, since badness only shrinks upwards."""
        grown, refused = set(chosen), set[Atom]()

        def add(atoms: Sequence[Atom]) -> None:
            atoms = [a for a in atoms if a not in grown]
            if not atoms:
                return
            tried = grown | self.space.closed(atoms)
            if not tried & refused and still_bad(frozenset(tried)):
                grown.update(tried)
            elif len(atoms) == 1:
                refused.add(atoms[0])
            else:
                half = len(atoms) // 2
                add(atoms[:half])
                add(atoms[half:])

        add(self.order)
        return frozenset(grown)

    def learn(self, chosen: Assignment, grown: Assignment) -> None:
        outside = [a for a in self.space.atoms if a not in grown]
        if not outside:  # the strongest one passes, so the model is not monotone: refuse this candidate alone
            outside = [a for a in self.space.atoms if a not in chosen]
        clause = tuple(a for a in outside if not any(b in outside for b in self.space.below[a]))
        assert clause and not set(clause) & chosen, "a clause should exclude the assignment that it was learnt from"
        self.clauses.append(clause)
        self.solver.add(clause)

    def check(self, chosen: Assignment) -> Verdict:
        if chosen not in self.verdicts:
            self.spend(self.checks, self.limits.checks)
            self.checks += 1
            self.verdicts[chosen] = self.oracle.check(chosen)
        return self.verdicts[chosen]

    def bad(self, witness: Witness, chosen: Assignment) -> bool:
        self.spend(self.judgements, self.limits.judgements)
        self.judgements += 1
        return self.oracle.bad(witness, chosen)

    def spend(self, done: int, most: int | None) -> None:
        if (most is not None and done >= most) or (self.until is not None and monotonic() > self.until):
            raise _OutOfWorkError

    def ended(
        self, ending: Ending, chosen: Assignment, verdict: Verdict, first: Verdict, reason: str = ""
    ) -> Search:  # fmt: skip
        return Search(
            ending, chosen, verdict, first, reason, self.lower, self.checks, self.judgements, self.clauses, self.pool
        )
