"""Which values could come out of thin air: they rest on themselves by a way that the model does not order.

A circle of values goes through two threads at least: within one, what a write comes of is before it in program order,
and so is the write that a read of its own thread sees, where the model keeps accesses of one location coherent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from fencepost.enumerate.comes import comes_of
from fencepost.enumerate.foreseen import ELSEWHERE, Foreseen
from fencepost.enumerate.traces import Deps, Location, Step, ThreadRunner
from fencepost.execution.execution import EventKind
from fencepost.program.instructions import Mode, Tag

#: From each location to those whose writes depend on it, with the thread that does so.
Arcs: TypeAlias = "Mapping[Location, Iterable[tuple[Location, object]]]"


def thin_air(runner: ThreadRunner) -> bool:
    """Whether values could rest on themselves by a way that the model does not order, and were not foreseen: values
    that no program made, or that come of too many others. A circle within one location is none: there program order
    and reads-from are acyclic under the kernel's model. (Most others forbid such values.)"""
    foreseen = runner.foreseen
    if foreseen is None:
        return False
    data = _Feeds(runner, lambda s: s.address_deps | s.data_deps, lambda location: True)
    if not foreseen.known:
        return _Feeds(runner, _anything, lambda location: True).circle()
    open_ = _Feeds(runner, _anything, foreseen.is_open)
    return data.circle() or open_.circle() or open_.misses(foreseen)


def _releases(write: Step) -> bool:
    """Whether it is a release store: no half of an update, which is not after its own read in program order."""
    return write.mode is Mode.REL and not write.rmw and write.tag is Tag.NONE


def _anything(step: Step) -> Deps:
    """All that a write comes of, branches that are over included."""
    return step.address_deps | step.data_deps | step.control_deps | step.decided_by


class _Feeds:
    """Which locations the writes of which others depend on, in the traces. `loose`: where the model may not order the
    two; the kernel's does but for plain accesses and branches that are over, and before a release store it orders all
    marked reads. A plain read of what only its own thread writes sees a write before it, so on a circle another read of
    its thread comes first, whose own edge says whether that one is marked. `exits`: threads, and locations that they
    read for what no release store writes: a circle may leave a thread there, behind a release store of that place."""

    def __init__(
        self, runner: ThreadRunner, dependencies: Callable[[Step], Deps], counts: Callable[[Location], bool]
    ) -> None:
        self.layout, self.scoped = runner.machine.layout, runner.machine.scoped
        self.coherent = runner.keeps.own
        steps = [(i.thread, t.steps, s) for i, ts in runner.traces.items() for t in ts for s in t.steps]
        writes = [(thread, before, s) for thread, before, s in steps if s.kind is EventKind.WRITE and _anything(s)]
        self.writers: dict[Location, set[int]] = {}
        for thread, _, write in writes:
            self.writers.setdefault(self._place(write), set()).add(thread)
        found = [
            (thread, before[i], write, i)
            for thread, before, write in writes
            for i in dependencies(write)
            if before[i].kind is EventKind.READ and counts(self._place(before[i])) and counts(self._place(write))
        ]
        self.exits = {(thread, self._place(read)) for thread, read, write, _ in found if not _releases(write)}
        self.arcs: dict[Location, set[tuple[Location, int]]] = {}
        self.loose: set[tuple[Location, Location, int]] = set()
        for thread, read, write, i in found:
            first, second = self._place(read), self._place(write)
            self.arcs.setdefault(first, set()).add((second, thread))
            if not self._ordered(thread, read, write, i):
                self.loose.add((first, second, thread))

    def _ordered(self, thread: int, read: Step, write: Step, number: int) -> bool:
        marked, place = read.mode is not Mode.NA, self._place(read)
        if not self.scoped or write.mode is Mode.NA:
            return False
        if marked and number in write.address_deps | write.data_deps | write.control_deps:
            return True
        own = self.coherent and place != ELSEWHERE and self.writers.get(place, set()) <= {thread}
        return (marked or own) and _releases(write) and (thread, self._place(write)) not in self.exits

    def _place(self, step: Step) -> Location:
        return step.location if self.layout.find(step.address) is not None else ELSEWHERE

    def circle(self) -> bool:
        """Whether a loose edge is on a circle through several locations."""
        return any(
            _leads_back(self.arcs, second, first, thread, other=not self.coherent) if first != second
            else any(
                _leads_back(self.arcs, place, first, thread, other=by != thread or not self.coherent)
                for place, by in self.arcs[first] if place != first
            )
            for first, second, thread in self.loose
        )  # fmt: skip

    def misses(self, foreseen: Foreseen) -> bool:
        """Whether the code has a circle of open locations of which the traces show only a part."""
        arcs: dict[Location, set[tuple[Location, str]]] = {}
        feeds = foreseen.feeds()
        for root, pairs in feeds.items():
            for first, second in pairs & comes_of(foreseen, foreseen.run_by(root)):
                if first != second and foreseen.is_open(first) and foreseen.is_open(second):
                    arcs.setdefault(first, set()).add((second, root))
        shown = {(first, second) for first, targets in self.arcs.items() for second, _ in targets}
        return any(
            (first, second) not in shown
            and _leads_back(arcs, second, first, root, other=not self.coherent or foreseen.is_many(root))
            for first, targets in arcs.items()
            for second, root in targets
        )


def _leads_back(arcs: Arcs, start: Location, end: Location, thread: object, *, other: bool) -> bool:
    """Whether the arcs lead from a location to another one, by one of another thread unless there is one already."""
    found = {(start, other)}
    todo = [*found]
    while todo:
        place, past = todo.pop()
        fresh = {(target, past or by != thread) for target, by in arcs.get(place, ())} - found
        found |= fresh
        todo += fresh
    return (end, True) in found
