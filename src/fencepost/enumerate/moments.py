"""What a thread may read before what it may write, as the text of its code says, but for what no other thread meets.

What the first thread reads before it has started any other is written by itself, and what it writes when all have been
joined is read by nobody else: such an access is on no circle through two threads. The instructions of a function that
is called at several moments count for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import TypeAlias

from fencepost.enumerate.foreseen import ELSEWHERE, OURS, Foreseen, Location, Place
from fencepost.program.instructions import (
    Alloca,
    BlockingCas,
    Call,
    Instruction,
    Join,
    Malloc,
    Return,
    Store,
    Tag,
    ThreadLocalAddress,
)
from fencepost.program.passes.flow import reachable, successors

Locks: TypeAlias = "frozenset[int]"  # their addresses


class Moments:
    """Of the threads that start with one function."""

    def __init__(self, foreseen: Foreseen, root: str) -> None:
        self.foreseen, self.root = foreseen, root
        self.functions = foreseen.run_by(root)
        self.first = [t.function for t in foreseen.program.threads] == [root] and not foreseen.is_many(root)
        self.after = self._after_a_start() if self.first else None
        self.last = self._after_the_joins() if self.first else set[Place]()
        self.held = _held(foreseen, root)
        self.pairs = self._pairs()

    def _pairs(self) -> set[tuple[Location, Location]]:
        """Locations that are read, and such that are written later."""
        found = set[tuple[Location, Location]]().union(*map(self._pairs_in, self.functions))
        own = set() if _is_shared(self.foreseen) else {ELSEWHERE}
        own |= {place for pair in found for place in pair if self.foreseen.is_private(place)}
        return {(a, b) for a, b in found if a not in own and b not in own}

    def _pairs_in(self, name: str) -> set[tuple[Location, Location]]:
        f = self.foreseen.program.function(name)
        read = [self._below((name, n), self.foreseen.reads, self._may_see) for n in range(len(f.code))]
        written = [self._below((name, n), self.foreseen.writes, self._may_be_seen) for n in range(len(f.code))]
        found: set[tuple[Location, Location]] = set()
        for n, first in enumerate(read):
            for later in reachable(f, successors(n, f.code[n])) if first else ():
                found |= set(product(first, written[later]))
        handed = {self.foreseen.handed(name)} & read[0]  # arguments are there before the first instruction
        return found | set(product(handed, written[0]))

    def locks(self, location: Location) -> Locks:
        """Those that are held wherever a location is read that another thread may have written."""
        places = [p for p, found in self.foreseen.reads.items() if location in found and p[0] in self.functions]
        held = [self.held.get(p, _NONE) for p in places if self._may_see(p)]
        return frozenset.intersection(*held) if held else _NONE

    def _may_see(self, place: Place) -> bool:
        """Whether what is read here may be another thread's."""
        return self.after is None or place in self.after

    def _may_be_seen(self, place: Place) -> bool:
        """Whether another thread may read what is written here."""
        return place not in self.last

    def _below(
        self, place: Place, accesses: Mapping[Place, set[Location]], counts: Callable[[Place], bool]
    ) -> set[Location]:
        """What is accessed at an instruction, or by the functions that it calls."""
        found = set(accesses.get(place, ())) if counts(place) else set()
        for name in self.foreseen.called_below(self.foreseen.calls.get(place, set())):
            for n in range(len(self.foreseen.program.function(name).code)):
                found |= accesses.get((name, n), set()) if counts((name, n)) else set()
        return found

    def _after_a_start(self) -> set[Place]:
        """The instructions that may run when another thread has been started."""
        foreseen, found = self.foreseen, set[Place]()
        starting = {name for name, _ in foreseen.spawns}
        whole = set[str]()  # functions that may be called then
        for name in self.functions:
            f = foreseen.program.function(name)
            for n, i in enumerate(f.code):
                if (name, n) in foreseen.spawns or foreseen.called_below(
                    foreseen.calls.get((name, n), set())
                ) & starting:
                    found |= {(name, later) for later in reachable(f, successors(n, i))}
        while True:
            called = {name for place in found for name in foreseen.calls.get(place, ())}
            fresh = foreseen.called_below(called) - whole
            if not fresh:
                return found
            whole |= fresh
            found |= {(name, n) for name in fresh for n in range(len(foreseen.program.function(name).code))}

    def _after_the_joins(self) -> set[Place]:
        """The instructions that run only when every other thread has been joined: they are started in one function,
        each once."""
        foreseen = self.foreseen
        names = {name for name, _ in foreseen.spawns}
        if len(names) != 1 or not names <= self.functions or not all(map(foreseen.once, foreseen.spawns)):
            return set()
        name = names.pop()
        every = frozenset(foreseen.sites[place] for place in foreseen.spawns)
        joined = _flow(foreseen.program.function(name).code, _NONE, partial(_joined, foreseen, name))
        found = {(name, n) for n, known in joined.items() if known >= every}
        calls = {p: callees for p, callees in foreseen.calls.items() if p[0] in self.functions}
        late = set[str]()
        while True:
            callers = {callee: {p for p, c in calls.items() if callee in c} for c in calls.values() for callee in c}
            fresh = {callee for callee, places in callers.items() if places <= found} - late
            if not fresh:
                return found
            late |= fresh
            found |= {(callee, n) for callee in fresh for n in range(len(foreseen.program.function(callee).code))}


def _is_shared(foreseen: Foreseen) -> bool:
    """Whether another thread may see memory that is not global. What goes through a thread's own is no feed: the
    thread reads before it writes in any case."""
    return any(
        isinstance(i, Malloc) or (isinstance(i, Alloca) and not i.private)
        or (isinstance(i, ThreadLocalAddress) and not i.object.startswith(OURS))
        for f in foreseen.program.functions for i in f.code
    )  # fmt: skip


_NONE: Locks = frozenset()


def _flow(
    code: Sequence[Instruction], entry: Locks, step: Callable[[int, Instruction, Locks], Locks]
) -> dict[int, Locks]:
    """What holds before each instruction, on every way to it."""
    known = {0: entry}
    todo = [0]
    while todo:
        n = todo.pop()
        after = step(n, code[n], known[n])
        for m in successors(n, code[n]):
            if m < len(code) and (m not in known or not known[m] <= after):
                known[m] = known[m] & after if m in known else after
                todo.append(m)
    return known


def _joined(foreseen: Foreseen, name: str, _n: int, i: Instruction, known: Locks) -> Locks:
    """A thread that was not started has number 0, and nobody can join that: it is the first."""
    if not isinstance(i, Join):
        return known
    which = (foreseen.of(name, i.thread) or set()) - {0}
    return known | which if len(which) == 1 else known


class _Held:
    """Which locks are held before each instruction of a thread, in all the calls of its function."""

    def __init__(self, foreseen: Foreseen) -> None:
        self.foreseen = foreseen
        self.found: dict[Place, Locks] = {}
        self.ends: dict[tuple[str, Locks], Locks] = {}
        self.inside: list[str] = []
        self.recursive = False

    def run(self, name: str, entry: Locks) -> Locks:
        """Those that are held when the function returns."""
        self.recursive |= name in self.inside
        if name in self.inside or (name, entry) in self.ends:
            return self.ends.get((name, entry), _NONE)
        self.inside.append(name)
        code = self.foreseen.program.function(name).code
        held = _flow(code, entry, partial(self._step, name))
        self.inside.pop()
        for n, locks in held.items():
            self.found[name, n] = self.found.get((name, n), locks) & locks
        ends = [locks for n, locks in held.items() if isinstance(code[n], Return)]
        end = self.ends[name, entry] = frozenset.intersection(*ends) if ends else _NONE
        return end

    def _step(self, name: str, n: int, i: Instruction, held: Locks) -> Locks:
        if isinstance(i, Call):
            ends = [self.run(callee, held) for callee in sorted(self.foreseen.calls.get((name, n), ()))]
            return frozenset.intersection(*ends) if ends else _NONE
        if isinstance(i, BlockingCas) and i.lock and i.tag is Tag.LOCK:
            places = self.foreseen.reads.get((name, n), set())
            one = {a for a, _ in places if len(places) == 1 and self.foreseen.is_one((a, 0))}
            return held | one
        if isinstance(i, Store) and i.tag is Tag.UNLOCK:
            return held - {a for a, _ in self.foreseen.writes.get((name, n), ())}
        return held


def _held(foreseen: Foreseen, root: str) -> dict[Place, Locks]:
    known = _Held(foreseen)
    known.run(root, _NONE)
    return {} if known.recursive else known.found
