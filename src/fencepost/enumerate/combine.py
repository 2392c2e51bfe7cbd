"""One trace per thread such that every value read was written by somebody.

The traces of a thread are kept with two masks over all (location, value) pairs: what they need and what they supply.
A choice is dropped as soon as a need can no longer be met, and where only the next thread can meet it, only the traces
that do are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from fencepost.enumerate.traces import Ending, Instance, Location, ThreadRunner, Trace, check_time
from fencepost.execution.execution import EventKind
from fencepost.records import dataclass


@dataclass(frozen=True, slots=True)
class _Entry:
    trace: Trace
    needs: int
    supplies: int


@dataclass(slots=True)
class _Group:
    """The traces of one instance, also by what they supply."""

    entries: list[_Entry] = field(default_factory=list)
    by_supply: dict[int, list[_Entry]] = field(default_factory=dict)


Chosen = dict[int, Trace]


class Combiner:
    def __init__(self, runner: ThreadRunner) -> None:
        self.runner = runner
        self.numbers: dict[tuple[Location, int], int] = {}
        self.groups = {instance: self._group(traces) for instance, traces in runner.traces.items()}
        self.initial = 0
        for (location, value), number in self.numbers.items():
            if runner.machine.initial(*location) == value:
                self.initial |= 1 << number
        self.order = sorted({instance.thread for instance in self.groups})
        self.later = self._later_supplies()

    def _group(self, traces: list[Trace]) -> _Group:
        group = _Group()
        for trace in traces:
            needs = supplies = 0
            for step in trace.steps:
                if step.kind is EventKind.READ:
                    needs |= self._bit(step.location, step.value)
                elif step.kind is EventKind.WRITE:
                    supplies |= self._bit(step.location, step.value)
            entry = _Entry(trace, needs, supplies)
            group.entries.append(entry)
            rest = supplies
            while rest:
                low = rest & -rest
                group.by_supply.setdefault(low, []).append(entry)
                rest ^= low
        return group

    def _bit(self, location: Location, value: int) -> int:
        return 1 << self.numbers.setdefault((location, value), len(self.numbers))

    def _later_supplies(self) -> list[int]:
        """later[k]: what the threads from the k-th on could supply."""
        later = [0]
        for thread in reversed(self.order):
            supplies = later[-1]
            for instance, group in self.groups.items():
                if instance.thread == thread:
                    for entry in group.entries:
                        supplies |= entry.supplies
            later.append(supplies)
        return later[::-1]

    def choices(self) -> Iterator[Chosen]:
        """Every combination in which each read has a supplier and each join its thread."""
        instances = {i.thread: i for i in self.runner.static}
        yield from self._extend(0, instances, {}, 0, self.initial)

    def _extend(
        self, k: int, instances: dict[int, Instance], chosen: Chosen, needs: int, supplies: int
    ) -> Iterator[Chosen]:
        check_time(self.runner.deadline)
        if k == len(self.order):
            if self._joins_hold(chosen):
                yield dict(chosen)
            return
        thread = self.order[k]
        instance = instances.get(thread)
        if instance is None:
            if not needs & ~(supplies | self.later[k + 1]):
                yield from self._extend(k + 1, instances, chosen, needs, supplies)
            return
        reachable = supplies | self.later[k + 1]
        missing = needs & ~reachable
        group = self.groups[instance]
        entries = group.by_supply.get(missing & -missing, []) if missing else group.entries
        for entry in entries:
            if (needs | entry.needs) & ~(reachable | entry.supplies):
                continue
            chosen[thread] = entry.trace
            inner = {**instances, **_children(entry.trace)}
            yield from self._extend(k + 1, inner, chosen, needs | entry.needs, supplies | entry.supplies)
            del chosen[thread]

    def _joins_hold(self, chosen: Chosen) -> bool:
        return all(self._join_holds(trace, chosen) for trace in chosen.values())

    def _join_holds(self, trace: Trace, chosen: Chosen) -> bool:
        for step in trace.steps:
            if step.kind is EventKind.JOIN:
                target = chosen.get(step.address)
                if target is None or target.ending is not Ending.END or target.result != step.value:
                    return False
        if trace.ending is Ending.WAITING and trace.waits is not None and trace.waits.action.size == 0:
            target = chosen.get(trace.waits.action.value)
            return target is None or target.ending is not Ending.END
        return True


def _children(trace: Trace) -> dict[int, Instance]:
    return {s.value: Instance(s.value, s.function, s.args) for s in trace.steps if s.kind is EventKind.SPAWN}
