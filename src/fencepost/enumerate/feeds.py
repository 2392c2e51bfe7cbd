"""Which values could come out of thin air: they rest on themselves by a way that the model does not order.

A circle of values goes through two threads at least: within one, what a write comes of is before it in program order,
and so is the write that a read of its own thread sees, where the model keeps accesses of one location coherent.
(docs/how/thin-air.md says why that is enough.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product

from fencepost.enumerate.behind import all_seen
from fencepost.enumerate.comes import comes_of
from fencepost.enumerate.foreseen import ELSEWHERE
from fencepost.enumerate.moments import Locks, Moments
from fencepost.enumerate.traces import Deps, Instance, Location, Step, ThreadRunner, reached
from fencepost.execution.execution import EventKind
from fencepost.program.instructions import Mode, Tag
from fencepost.records import dataclass


def thin_air(runner: ThreadRunner) -> bool:
    """Whether values could rest on themselves by a way that the model does not order, and were not foreseen: values
    that no program made, or that come of too many others. A circle within one location is none: there program order
    and reads-from are acyclic under the kernel's model. (Most others forbid such values.)"""
    foreseen = runner.foreseen
    if foreseen is None:
        return False
    if not foreseen.known:
        shown = _Feeds(runner, _anything, lambda location: True, {})
        return shown.circle() or not all(all_seen(runner, i, traces) for i, traces in runner.traces.items())
    code = {root: Moments(foreseen, root) for root in foreseen.roots()}
    data = _Feeds(runner, lambda s: s.address_deps | s.data_deps, lambda location: True, code)
    open_ = _Feeds(runner, _anything, foreseen.is_open, code)
    return (
        data.circle() or data.misses(lambda location: True, by_branches=False)
        or open_.circle() or open_.misses(foreseen.is_open, by_branches=True)
    )  # fmt: skip


def _releases(write: Step) -> bool:
    """Whether it is a release store: no half of an update, which is not after its own read in program order."""
    return write.mode is Mode.REL and not write.rmw and write.tag is Tag.NONE


def _anything(step: Step) -> Deps:
    """All that a write comes of, branches that are over included."""
    return step.address_deps | step.data_deps | step.control_deps | step.decided_by


@dataclass(frozen=True, slots=True)
class Arc:
    """A write to one location may come of a read of another. `thread`: who does so; `many`: several may. `loose`: the
    model may not order the two. `held`: the locks that are held at the read."""

    first: Location
    second: Location
    thread: object
    loose: bool
    held: Locks = frozenset()
    many: bool = False


def circular(arcs: Iterable[Arc], *, coherent: bool, is_one: Callable[[Location], bool]) -> bool:
    """Whether a loose arc is on a circle through several pieces of memory (`is_one`: which locations are one only), and
    through several threads where the model is coherent, that no lock keeps apart."""
    arcs = list(arcs)
    leads: dict[Location, set[Location]] = {}
    for arc in arcs:
        leads.setdefault(arc.first, set()).add(arc.second)
    ahead = {place: reached(leads, *targets) for place, targets in leads.items()}
    for start in {arc.first for arc in arcs if arc.loose}:
        if start not in ahead[start]:
            continue
        together = {place for place in ahead[start] if start in ahead.get(place, ())}
        on = [arc for arc in arcs if arc.first in together and arc.second in together]
        apart = coherent and (not any(a.many for a in on) and len({a.thread for a in on}) == 1)
        one = len(together) == 1 and is_one(start)
        kept = coherent and frozenset.intersection(*(arc.held for arc in on))
        if any(arc.loose for arc in on) and not (apart or one or kept):
            return True
    return False


class _Feeds:
    """Which locations the writes of which others depend on, in the traces. `loose`: where the model may not order the
    two; the kernel's does but for plain accesses and branches that are over, and before a release store it orders all
    marked reads. A plain read of what only its own thread writes sees a write before it, so on a circle another read of
    its thread comes first, whose own edge says whether that one is marked. `exits`: threads, and locations that they
    read for what no release store writes: a circle may leave a thread there, behind a release store of that place."""

    def __init__(
        self,
        runner: ThreadRunner,
        dependencies: Callable[[Step], Deps],
        counts: Callable[[Location], bool],
        code: Mapping[str, Moments],
    ) -> None:
        assert runner.foreseen is not None, "only such models know circles of values"
        self.machine, self.scoped, self.foreseen = runner.machine, runner.machine.scoped, runner.foreseen
        self.coherent, self.code = runner.keeps.own, code
        self.known: dict[Location, set[Location]] = {}
        steps = [(i, t.steps, s) for i, ts in runner.traces.items() for t in ts for s in t.steps]
        writes = [(by, before, s) for by, before, s in steps if s.kind is EventKind.WRITE and _anything(s)]
        self.writers: dict[Location, set[int]] = {}
        for by, _, write in writes:
            self.writers.setdefault(self._place(write), set()).add(by.thread)
        found = [
            (by, before[i], write, i)
            for by, before, write in writes
            for i in dependencies(write)
            if before[i].kind is EventKind.READ and counts(self._place(before[i])) and counts(self._place(write))
        ]
        self.exits = {(by.thread, self._place(read)) for by, read, write, _ in found if not _releases(write)}
        self.arcs: dict[tuple[Instance, Location, Location], bool] = {}
        for by, read, write, i in found:
            key = by, self._place(read), self._place(write)
            self.arcs[key] = self.arcs.get(key, False) or not self._ordered(by.thread, read, write, i)

    def _ordered(self, thread: int, read: Step, write: Step, number: int) -> bool:
        marked, place = read.mode is not Mode.NA, self._place(read)
        if not self.scoped or write.mode is Mode.NA:
            return False
        if marked and number in write.address_deps | write.data_deps | write.control_deps:
            return True
        own = self.coherent and place != ELSEWHERE and self.writers.get(place, set()) <= {thread}
        return (marked or own) and _releases(write) and (thread, self._place(write)) not in self.exits

    def _place(self, step: Step) -> Location:
        return step.location if ELSEWHERE not in self._in_code(step.location) else ELSEWHERE

    def circle(self) -> bool:
        """Whether a loose arc is on a circle."""
        arcs = [
            Arc(first, second, by.thread, loose, self._held(by.function, first))
            for (by, first, second), loose in self.arcs.items() if self._meets(by.function, first, second)
        ]  # fmt: skip
        return circular(arcs, coherent=self.coherent, is_one=lambda location: location != ELSEWHERE)

    def _in_code(self, location: Location) -> set[Location]:
        """What stands for a piece of memory in the code."""
        found = self.known.get(location)
        if found is None:
            is_global = location == ELSEWHERE or self.machine.layout.find(location[0]) is not None
            found = self.known[location] = {location} if is_global else self.foreseen.locations(*location)
        return found

    def _meets(self, root: str, first: Location, second: Location) -> bool:
        """Whether a thread may do so while others run."""
        pairs = set(product(self._in_code(first), self._in_code(second)))
        unknown = root not in self.code or any(ELSEWHERE in pair for pair in pairs)
        return unknown or not pairs.isdisjoint(self.code[root].pairs)

    def _held(self, root: str, first: Location) -> Locks:
        if root not in self.code or not self.scoped:
            return frozenset()
        return frozenset.intersection(*(self.code[root].locks(place) for place in self._in_code(first)))

    def misses(self, counts: Callable[[Location], bool], *, by_branches: bool) -> bool:
        """Whether the code has a circle of which the traces show only a part, or one through what a thread is started
        with or returns."""
        foreseen = self.foreseen
        shown = {
            (by.function, *pair)
            for by, first, second in self.arcs
            for pair in product(self._in_code(first), self._in_code(second))
        }
        arcs = [
            Arc(first, second, root, (root, first, second) not in shown,
                moments.locks(first) if self.scoped else frozenset(), foreseen.is_many(root))
            for root, moments in self.code.items()
            for first, second in moments.pairs & comes_of(foreseen, moments.functions, by_branches=by_branches)
            if counts(first) and counts(second)
        ]  # fmt: skip
        return circular(arcs, coherent=self.coherent, is_one=foreseen.is_one)
