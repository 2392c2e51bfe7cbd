"""Plain variables that become atomic: the last resort of `repair`.

It is tried only for a race that the strongest orders leave, so that missing order is never answered with atomics. The
objects that race are made atomic one by one until the strongest program passes, and those that turn out not to be
needed become plain again. What is left is offered only where nothing was meant to keep the threads apart there: a race
inside a lock or a protocol is a fault of that, and atomic memory would hide it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from fencepost.errors import FencepostError
from fencepost.program.instructions import ErrorKind, Load, Mode, Store
from fencepost.program.operands import Operand, Position, Reg
from fencepost.program.passes.rewrite import defined, used
from fencepost.program.program import Function, Program
from fencepost.records import dataclass
from fencepost.repair.oracle import Check
from fencepost.repair.reasons import meant_to_keep_apart
from fencepost.repair.search import passes
from fencepost.repair.sources import Sources, language_of
from fencepost.repair.survey import Survey
from fencepost.repair.text.edits import Declared, apply, position_of
from fencepost.verdict import Verdict, Witness
from fencepost.witness.case import open_case
from fencepost.witness.protocols import read_too_early

_MOST = 4  # objects: a program with more of them was not written with other threads in mind
COST = 20  # of an object; more than any fence, since every access to it pays


@dataclass(frozen=True, slots=True)
class MadeAtomic:
    """`without` is an execution that races on it where it alone stays plain."""

    at: Position
    declared: Declared
    without: Witness


@dataclass(frozen=True, slots=True)
class Atomics:
    """The survey of the changed texts, and the objects; or the `reason` why no such change is offered."""

    survey: Survey | None = None
    objects: tuple[MadeAtomic, ...] = ()
    reason: str = ""


def with_atomics(first: Survey, failed: Verdict, survey: Callable[[Sources], Survey], check: Check) -> Atomics:
    """`failed` is the verdict of the strongest program of `first`."""
    try:
        return _Attempt(first, failed, survey, check).run()
    except FencepostError:  # a changed text that is not accepted: then it is not offered
        return Atomics()


class _Attempt:
    def __init__(self, first: Survey, failed: Verdict, survey: Callable[[Sources], Survey], check: Check) -> None:
        self.first, self.survey, self.check = first, survey, check
        self.known: dict[frozenset[str], tuple[Survey, Verdict]] = {frozenset(): (first, failed)}

    def run(self) -> Atomics:
        names = self.enough()
        if names is None:
            return Atomics()
        for name in sorted(names):
            if len(names) > 1 and passes(self.strongest(names - {name})[1]):
                names -= {name}
        made = self.strongest(names)[0]
        objects = []
        for name in sorted(names):
            without = self.strongest(names - {name})[1].witness
            if without is None:
                return Atomics()
            if reason := meant_to_keep_apart(without) or torn_apart(self.first.space.program, made.space.program):
                return Atomics(reason=reason)
            file, declared = self.declared(name)
            objects.append(
                MadeAtomic(position_of(file, self.first.sources.texts[file], declared.offset), declared, without)
            )
        return Atomics(made, tuple(objects))

    def enough(self) -> frozenset[str] | None:
        """Objects with which the strongest program passes."""
        names: frozenset[str] = frozenset()
        while not passes(verdict := self.strongest(names)[1]):
            name = raced(verdict)
            if name is None or name in names or len(names) == _MOST:
                return None
            names |= {name}
        return names

    def strongest(self, names: frozenset[str]) -> tuple[Survey, Verdict]:
        if names not in self.known:
            made = self.survey(self.first.sources.overlay(self.texts(names)))
            self.known[names] = made, self.check(made.space.build(made.space.top))
        return self.known[names]

    def texts(self, names: frozenset[str]) -> dict[str, str]:
        """One declaration after the other: two may stand in one statement."""
        texts: dict[str, str] = {}
        for name in sorted(names):
            file, declared = self.declared(name, texts)
            texts[file] = apply(texts.get(file, self.first.sources.texts[file]), declared.edits)
        return texts

    def declared(self, name: str, texts: dict[str, str] | None = None) -> tuple[str, Declared]:
        found = []
        for file, original in self.first.sources.texts.items():
            language = language_of(file)
            declared = language.made_atomic((texts or {}).get(file, original), name) if language is not None else None
            if declared is not None:
                found.append((file, declared))
        if len(found) != 1:
            raise FencepostError(f"{name} is declared where it cannot be changed")
        return found[0]


_STEPS = (
    "each access of an atomic variable is a step of its own: where several of them belong together, hold a lock around"
    " them instead"
)


def cautions(objects: Iterable[MadeAtomic]) -> list[str]:
    """What atomic memory does not do, and what else may have been meant."""
    notes = [_STEPS]
    for o in objects:
        case = open_case(o.without)
        found = read_too_early(case)
        if found is not None:
            read, write = found
            notes.append(
                f"{case.names.subject(read.thread)} reads {case.names.location(read.address)}"
                f" ({case.names.place(read.at)}) while {case.names.subject(write.thread)}, which it started, may still"
                " be at work: if it wants the result, it should join that thread before"
            )
    return notes


def raced(verdict: Verdict) -> str | None:
    """The name by which the source declares what a race is about: the variable, or the member of a struct."""
    witness = verdict.witness
    if witness is None or witness.error.kind is not ErrorKind.RACE or len(witness.error.events) != 2:
        return None
    case = open_case(witness)
    location = case.names.location(case.events[witness.error.events[0]].address)
    named = re.fullmatch(r"(?:.*[.>:])?([A-Za-z_]\w*)(?:\[\d+\])*", location)
    return named.group(1) if named is not None else None


def torn_apart(before: Program, after: Program) -> str:
    """`x = x + 1` of an atomic x is a load and a store: another thread comes in between, which no race shows."""
    known, found = _updates(before), _updates(after)
    if len(found) <= len(known):
        return ""
    return (
        "a value is read, changed and written back by a load and a store: in atomic memory the updates of other threads"
        " would be lost; make it one atomic operation, or hold a lock around it"
    )


def _updates(program: Program) -> list[Position | None]:
    return [at for function in program.functions for at in _split(function)]


def _split(function: Function) -> Iterator[Position | None]:
    """Plainly written updates of one place: an atomic store of what was computed from an atomic load of the same."""
    sources: dict[int, set[Operand]] = {}
    for i in function.code:
        inside = {s for o in used(i) if isinstance(o, Reg) for s in sources.get(o.index, ())}
        if isinstance(i, Store) and i.address in inside and i.mode is not Mode.NA:
            yield i.at
        if isinstance(i, Load):
            inside = {i.address}
        for register in defined(i):
            sources[register.index] = inside
