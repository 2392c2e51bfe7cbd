"""The relations of an execution: given ones under their usual names, and those that follow from them.

An execution that people look at has at most some hundred events, so a Python integer per row of a relation is fast
enough and needs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise

from fencepost.execution.execution import Event, EventKind, Execution, Pair
from fencepost.execution.relations import Rows, bits, closure, inverse, mask_of, product, relation, union
from fencepost.program.instructions import FenceKind, Mode

_RELEASE_FENCES = frozenset({FenceKind.REL, FenceKind.ACQ_REL, FenceKind.SC})
_ACQUIRE_FENCES = frozenset({FenceKind.ACQ, FenceKind.ACQ_REL, FenceKind.SC})


class Relations:
    """Everything derived is computed when first asked for. Pairs are (id, id) of `execution.events`."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.events = execution.events
        self.threads = sorted({e.thread for e in self.events if e.thread >= 0})
        self.lines = {t: execution.thread_events(t) for t in self.threads}
        self.place = {w: i for order in execution.coherence.values() for i, w in enumerate(order)}  # in coherence

    @cached_property
    def program_order(self) -> frozenset[Pair]:
        """Each event with the next one of its thread; the transitive closure is implied."""
        found: set[Pair] = set()
        for t in self.threads:
            line = self.lines[t]
            found |= {(a.id, b.id) for a, b in pairwise(line)}
        return frozenset(found)

    @cached_property
    def reads_from(self) -> frozenset[Pair]:
        return frozenset((w, r) for r, w in self.execution.reads_from.items())

    @cached_property
    def coherence(self) -> frozenset[Pair]:
        """Each write with the next one of its location."""
        orders = self.execution.coherence.values()
        return frozenset((a, b) for order in orders for a, b in pairwise(order))

    @cached_property
    def from_reads(self) -> frozenset[Pair]:
        """Each read with the first write that it missed; later ones are implied by coherence."""
        return frozenset((r, w) for r in self.execution.reads_from for w in self.missed(r)[:1])

    def missed(self, read: int) -> tuple[int, ...]:
        """The writes that are coherence-after what this read saw, oldest first; its own other half is not missed."""
        source = self.execution.reads_from.get(read)
        address = self.events[read].address
        if address in self.unordered:  # only that the initial value came first is known
            initial = source is not None and self.events[source].kind is EventKind.INIT
            return self.unordered[address] if initial else ()
        order = self.execution.coherence.get(address, ())
        if source is None or source not in self.place:
            return ()
        return tuple(w for w in order[self.place[source] + 1 :] if (read, w) not in self.execution.rmw)

    @cached_property
    def unordered(self) -> dict[int, tuple[int, ...]]:
        """Locations whose writes have no coherence order, since the model (WRC11) has none, with their writes."""
        writes: dict[int, list[int]] = {}
        for e in self.events:
            if e.kind is EventKind.WRITE:
                writes.setdefault(e.address, []).append(e.id)
        return {a: tuple(found) for a, found in writes.items() if not any(w in self.place for w in found)}

    def newest(self, address: int) -> tuple[int, ...]:
        """The writes that may be the last one to a location: one where they are ordered, in the order of their numbers
        where they are not, none where nobody wrote it."""
        return self.unordered.get(address) or self.execution.coherence.get(address, ())[-1:]

    @cached_property
    def po(self) -> Rows:
        return closure(relation(self.program_order, len(self.events)))

    @cached_property
    def synchronises_with(self) -> frozenset[Pair]:
        """sw of RC11: from a release (store, or fence before a store) to the acquire (load, or fence after a load)
        that reads from its release sequence."""
        found: set[Pair] = set()
        for r, w in self.execution.reads_from.items():
            read = self.events[r]
            if self.events[w].kind is EventKind.INIT or read.mode is Mode.NA:
                continue
            for head in self._sequence_heads(w):
                for source in self._releases(self.events[head]):
                    found |= {(source, target) for target in self._acquires(read)}
        return frozenset((a, b) for a, b in found if self.events[a].thread != self.events[b].thread)

    @cached_property
    def _writes_at(self) -> dict[Pair, list[Event]]:
        """(thread, address) -> its atomic writes in program order."""
        found: dict[Pair, list[Event]] = {}
        for line in self.lines.values():
            for e in line:
                if e.is_write and e.mode is not Mode.NA:
                    found.setdefault((e.thread, e.address), []).append(e)
        return found

    def _sequence_heads(self, write: int) -> set[int]:
        """The writes whose release sequence contains `write`: same-thread earlier ones to the location, and those of
        what a read-modify-write read from."""
        heads: set[int] = set()
        at: int | None = write
        while at is not None and self.events[at].kind is not EventKind.INIT:
            e = self.events[at]
            heads |= {d.id for d in self._writes_at.get((e.thread, e.address), ()) if d.index <= e.index}
            read = self._read_half.get(at)
            at = None if read is None else self.execution.reads_from.get(read)
        return heads

    @cached_property
    def _read_half(self) -> dict[int, int]:
        return {w: r for r, w in self.execution.rmw}

    @cached_property
    def _fences_in(self) -> dict[int, list[Event]]:
        return {t: [e for e in line if e.fence is not None] for t, line in self.lines.items()}

    def _releases(self, write: Event) -> Iterator[int]:
        if write.mode.releases:
            yield write.id
        for f in self._fences_in[write.thread]:
            if f.fence in _RELEASE_FENCES and f.index < write.index:
                yield f.id

    def _acquires(self, read: Event) -> Iterator[int]:
        if read.mode.acquires:
            yield read.id
        for f in self._fences_in[read.thread]:
            if f.fence in _ACQUIRE_FENCES and f.index > read.index:
                yield f.id

    @cached_property
    def hb(self) -> Rows:
        """happens-before of the C and C++ models: (po ∪ sw ∪ spawn and join)+, initial writes before everything."""
        count = len(self.events)
        rows = relation(self.program_order | self.synchronises_with | self.execution.spawns, count)
        initial = mask_of(e.id for e in self.events if e.kind is EventKind.INIT)
        started = ((1 << count) - 1) & ~initial
        return closure(union(rows, product(initial, started, count)))

    @cached_property
    def happens_before(self) -> frozenset[Pair]:
        """Pairs of hb between different threads that no other event lies between; initial writes left out. Only sw and
        spawn lead from one thread to another, so only their pairs can be such."""
        before = inverse(self.hb)
        return frozenset(
            (a, b) for a, b in self.synchronises_with | self.execution.spawns
            if self.events[a].thread != self.events[b].thread and not self.hb[a] & before[b]
        )  # fmt: skip

    @cached_property
    def fences(self) -> frozenset[tuple[int, int, int]]:
        """(a, fence, b): the nearest accesses on both sides of each fence."""
        found: set[tuple[int, int, int]] = set()
        for t in self.threads:
            line = self.lines[t]
            for f in (e for e in line if e.kind is EventKind.FENCE):
                before = [e.id for e in line if e.index < f.index and e.is_access]
                after = [e.id for e in line if e.index > f.index and e.is_access]
                if before and after:
                    found.add((before[-1], f.id, after[0]))
        return frozenset(found)

    def named(self) -> dict[str, frozenset[Pair]]:
        """What reports draw and save, under the names of the literature."""
        x = self.execution
        return {
            "po": self.program_order, "rf": self.reads_from, "co": self.coherence, "fr": self.from_reads,
            "sw": self.synchronises_with, "hb": self.happens_before, "addr": x.address_deps, "data": x.data_deps,
            "ctrl": x.control_deps, "rmw": x.rmw, "spawn": x.spawns,
            "fence": frozenset((a, b) for a, _, b in self.fences),
        }  # fmt: skip

    def causal_past(self, roots: Iterable[int]) -> frozenset[int]:
        """The events that led to these: closed under po, rf and spawn, against the direction; roots included."""
        steps = self.program_order | self.reads_from | self.execution.spawns
        before = inverse(relation(steps, len(self.events)))
        reached, todo = 0, list(roots)
        while todo:
            e = todo.pop()
            if not reached >> e & 1:
                reached |= 1 << e
                todo.extend(bits(before[e] & ~reached))
        return frozenset(bits(reached))
