"""The basic sets and relations of an execution, by the papers' names."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from fencepost.execution.execution import Event, EventKind, Execution
from fencepost.program.fences import ORDERS
from fencepost.program.instructions import FenceKind, Mode
from fencepost.reference.relations import Relation, Set, bits


class Facts:
    """Computed when asked for. Sets are bit sets of event ids; `po` contains the initial writes before everything."""

    def __init__(self, execution: Execution) -> None:
        self.x = execution
        self.events = execution.events
        self.n = len(execution.events)

    def those(self, test: Callable[[Event], bool]) -> Set:
        return sum(1 << e.id for e in self.events if test(e))

    def identity(self, s: Set) -> Relation:
        return Relation.identity(self.n, s)

    @cached_property
    def R(self) -> Set:  # noqa: N802 - the papers' names
        return self.those(lambda e: e.is_read)

    @cached_property
    def W(self) -> Set:  # noqa: N802 - the papers' names
        return self.those(lambda e: e.is_write)

    @cached_property
    def F(self) -> Set:  # noqa: N802 - the papers' names
        return self.those(lambda e: e.kind is EventKind.FENCE)

    @cached_property
    def initial(self) -> Set:
        return self.those(lambda e: e.kind is EventKind.INIT)

    def fences(self, *kinds: FenceKind) -> Set:
        return self.those(lambda e: e.fence in kinds)

    def modes(self, test: Callable[[Mode], bool]) -> Set:
        """The accesses whose mode passes the test."""
        return self.those(lambda e: e.is_access and e.kind is not EventKind.INIT and test(e.mode))

    @cached_property
    def po(self) -> Relation:
        rows = [0] * self.n
        for a in self.events:
            for b in self.events:
                same = a.thread == b.thread and a.index < b.index and a.kind is not EventKind.INIT
                first = a.kind is EventKind.INIT and b.kind is not EventKind.INIT
                if same or first:
                    rows[a.id] |= 1 << b.id
        return Relation(rows)

    @cached_property
    def same_location(self) -> Relation:
        access = [e for e in self.events if e.is_access]
        return Relation.of(self.n, ((a.id, b.id) for a in access for b in access if a.address == b.address))

    @cached_property
    def external(self) -> Relation:
        """Pairs of different threads; the initial writes are nobody's."""
        return Relation.of(
            self.n, ((a.id, b.id) for a in self.events for b in self.events if a.thread != b.thread)
        )  # fmt: skip

    @cached_property
    def po_loc(self) -> Relation:
        return self.po & self.same_location

    @cached_property
    def rf(self) -> Relation:
        return Relation.of(self.n, ((w, r) for r, w in self.x.reads_from.items()))

    @cached_property
    def co(self) -> Relation:
        pairs = ((a, b) for ws in self.x.coherence.values() for i, a in enumerate(ws) for b in ws[i + 1 :])
        return Relation.of(self.n, pairs)

    @cached_property
    def fr(self) -> Relation:
        """rf⁻¹; co"""
        return (self.rf.inverse() >> self.co) - Relation.identity(self.n)

    @cached_property
    def com(self) -> Relation:
        return self.rf | self.co | self.fr

    @cached_property
    def rmw(self) -> Relation:
        return Relation.of(self.n, self.x.rmw)

    @cached_property
    def spawns(self) -> Relation:
        return Relation.of(self.n, self.x.spawns)

    @cached_property
    def porf(self) -> Relation:
        return (self.po | self.rf | self.spawns).plus()

    @cached_property
    def fenced(self) -> Relation:
        """Pairs of accesses with a fence in between that orders them, whatever machine the fence belongs to."""
        found = Relation([0] * self.n)
        by_letter = {"r": self.R, "w": self.W}
        for f in bits(self.F):
            kind = self.events[f].fence
            earlier, later = self.po.predecessors(f), self.po.rows[f]
            for pair in ORDERS.get(kind, frozenset()) if kind is not None else ():
                found |= self.po.between(earlier & by_letter[pair[0]], later & by_letter[pair[1]])
        return found
