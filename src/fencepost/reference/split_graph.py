"""Graphs in which a write is two events, its data and its commit, and the threads that grow them: for models that let
events commit out of program order (docs/how/power.md). Written to be read; `native/graph/split_graph.hpp` is the fast
one.

An event is named by its thread, its place in program order, and which part it is. A compare-exchange or another update
takes two places, whether or not it writes. A graph keeps its events in the order in which they were added.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace

from fencepost.errors import UnsupportedError
from fencepost.execution.execution import DEPENDENCIES, Event, EventKind, Execution
from fencepost.program import instructions as ins
from fencepost.program.instructions import Mode
from fencepost.program.interpret import Action, Kind, Machine, Part, ThreadState
from fencepost.program.program import Program
from fencepost.records import dataclass
from fencepost.reference.graph import FLAG, names, number

#: Thread, place in program order, part. The initial write of an address is (-1, address, WHOLE).
Node = tuple[int, int, int]
#: The parts: a whole event or the data of a write; the commit of a write; whether a store-conditional succeeds.
WHOLE, COMMIT, OUTCOME = range(3)
UPDATES = (Part.RMW, Part.CAS, Part.BLOCKING_CAS)
_SHOWN = {
    Kind.READ: EventKind.READ, Kind.WRITE: EventKind.WRITE, Kind.FENCE: EventKind.FENCE, Kind.CHOOSE: EventKind.CHOOSE,
    Kind.SPAWN: EventKind.SPAWN, Kind.JOIN: EventKind.JOIN, Kind.ATOMIC_BEGIN: EventKind.ATOMIC_BEGIN,
    Kind.ATOMIC_END: EventKind.ATOMIC_END,
}  # fmt: skip
_END = 1 << 30  # the slot of a thread's end, after all others


@dataclass(frozen=True, slots=True)
class Split:
    """What an event is. `value`: what is read, written or chosen; of an outcome 0 or 1; of a spawn the child. `state`:
    the thread before it. `failed`: the read of a compare-exchange whose write is not there."""

    action: Action
    state: ThreadState
    value: int = 0
    mode: Mode = Mode.NA
    stuck: bool = False
    failed: bool = False
    pair: Node | None = None  # a write: its read, where that is there

    @property
    def failure(self) -> Mode:
        """The mode of a compare-exchange that fails; of other reads their own."""
        i = self.state.instruction()
        return i.failure if isinstance(i, ins.Cas) else self.action.mode


@dataclass
class SplitGraph:
    events: dict[Node, Split] = field(default_factory=dict)
    rf: dict[Node, Node] = field(default_factory=dict)
    co: dict[int, list[Node]] = field(default_factory=dict)  # the initial write first
    prefix: dict[Node, frozenset[Node]] = field(default_factory=dict)  # what must be there before an event
    children: dict[int, Node] = field(default_factory=dict)  # thread: the spawn
    initials: dict[int, tuple[int, int]] = field(default_factory=dict)  # size and value of the initial writes; shared
    fits: bool = False  # the model allowed it, before events came that nothing comes after

    def copy(self) -> SplitGraph:
        order = {a: list(ws) for a, ws in self.co.items()}
        return SplitGraph(
            dict(self.events), dict(self.rf), order, dict(self.prefix), dict(self.children), self.initials, self.fits
        )

    def at(self, thread: int, slot: int) -> Node | None:
        """What stands in a slot: an event, or the outcome of a store-conditional whose write is not there."""
        return next((n for n in ((thread, slot, WHOLE), (thread, slot, OUTCOME)) if n in self.events), None)

    def slots(self, thread: int) -> list[Node]:
        """The events of a thread in program order; outcomes only where their write is not there."""
        mine = (n for n in self.events if n[0] == thread and n[2] != COMMIT)
        return sorted(n for n in mine if n[2] == WHOLE or (*n[:2], WHOLE) not in self.events)

    def is_read(self, n: Node) -> bool:
        return n[2] == WHOLE and self.events[n].action.kind is Kind.READ

    def is_write(self, n: Node) -> bool:
        return n[2] == WHOLE and self.events[n].action.kind is Kind.WRITE

    def compares(self, n: Node) -> bool:
        return self.is_read(n) and self.events[n].action.part is Part.CAS

    def whole(self, n: Node) -> Node:
        """The part of an event after which it is over."""
        return (*n[:2], COMMIT) if self.is_write(n) else n

    def outcome(self, n: Node) -> Node | None:
        found = (*n[:2], OUTCOME)
        return found if found in self.events else None

    def committed(self, n: Node) -> bool:
        return n[0] < 0 or (*n[:2], COMMIT) in self.events

    def updating(self, n: Node) -> Node | None:
        """The write of a read-modify-write, where it is there."""
        w = (n[0], n[1] + 1, WHOLE)
        there = w in self.events and self.events[w].action.rmw and self.events[w].pair == n
        return w if there else None

    def readers(self, w: Node) -> list[Node]:
        return [r for r, source in self.rf.items() if source == w]

    def without(self, gone: set[Node]) -> SplitGraph:
        """Takes events out. What they leave behind goes with them: places in coherence, sources, pairs, children."""
        g = self.copy()
        for n in gone:
            e = g.events.pop(n)
            del g.prefix[n]
            g.rf.pop(n, None)
            if n[2] == COMMIT:
                order = g.co[e.action.address]
                if (*n[:2], WHOLE) in order:
                    order.remove((*n[:2], WHOLE))
            if e.action.kind is Kind.SPAWN:
                del g.children[e.value]
        for n, e in g.events.items():
            if e.pair is not None and e.pair not in g.events:
                g.events[n] = e = replace(e, pair=None)
            if g.compares(n) and not e.failed and g.updating(n) is None:
                g.events[n] = replace(e, failed=True)
        return g

    def execution(self) -> Execution:
        """What a model sees: a write without a commit has no place in coherence."""
        frames = [(t, -1, WHOLE) for t in self.children]  # the beginnings of threads
        joined = {e.action.value for e in self.events.values() if e.action.kind is Kind.JOIN}
        ends = [(t, _END, WHOLE) for t in joined]
        touched = {self.events[n].action.address for n in self.events if self.is_read(n) or self.is_write(n)}
        inits = sorted(ws[0] for a, ws in self.co.items() if a in touched)
        inside = [n for n in self.events if n[2] == WHOLE and self.events[n].action.kind in _SHOWN]
        shown = inits + sorted([n for n in inside if not self.events[n].stuck] + frames + ends)
        ids = {n: i for i, n in enumerate(shown)}
        made = self._numbered(shown, ids)
        spawns = {(ids[s], ids[t, -1, WHOLE]) for t, s in self.children.items()}
        spawns |= {
            (ids[e.action.value, _END, WHOLE], ids[n]) for n, e in self.events.items() if e.action.kind is Kind.JOIN
        }
        pairs = frozenset((ids[e.pair], ids[n]) for n, e in self.events.items() if n in ids and e.pair in ids)
        return Execution(
            made,
            {ids[r]: ids[w] for r, w in self.rf.items() if r in ids},
            {a: tuple(ids[w] for w in ws) for a, ws in self.co.items() if ws[0] in ids},
            pairs,
            spawns=frozenset(spawns),
        ).depending({name: self._dependencies(name, ids) for name in DEPENDENCIES})

    def _dependencies(self, which: str, ids: dict[Node, int]) -> Iterator[tuple[int, int]]:
        for n in self.events:
            if n not in ids or (which.startswith("data") and not self.is_write(n)):
                continue
            for t, k in names(getattr(self.events[n].action, which)):
                if (t, k, WHOLE) in ids:
                    yield ids[t, k, WHOLE], ids[n]

    def _numbered(self, shown: list[Node], ids: dict[Node, int]) -> tuple[Event, ...]:
        found, index = [], dict[int, int]()
        for n in shown:
            k = index.get(n[0], 0)
            index[n[0]] = k + 1
            found.append(self._event(n, ids[n], k))
        return tuple(found)

    def _event(self, n: Node, number: int, index: int) -> Event:
        if n[0] < 0:
            size, value = self.initials[n[1]]
            return Event(number, -1, 0, EventKind.INIT, n[1], size, value, Mode.NA)
        if n not in self.events:
            return Event(number, n[0], index, EventKind.BEGIN if n[1] < 0 else EventKind.END)
        e, a = self.events[n], self.events[n].action
        access = a.kind in (Kind.READ, Kind.WRITE)
        rmw = (a.part in UPDATES and not e.failed) if a.kind is Kind.READ else e.pair is not None
        exclusive = a.part is Part.EXCLUSIVE or a.conditional is not None
        return Event(
            number, n[0], index, _SHOWN[a.kind], a.address if access else 0, a.size if access else 0, e.value,
            e.mode, a.fence, access and rmw, access and exclusive, a.at, a.tag,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """Where a thread is: before its first event that is missing, or not committed."""

    thread: int
    slot: int
    action: Action
    state: ThreadState
    halted: bool = False  # it waits

    @property
    def moves(self) -> bool:
        return not self.halted and self.action.kind not in (Kind.END, Kind.BLOCK)


_Path = tuple[tuple[int, int, int], ...]  # of each answer: the value, the event's number, where its success is a choice


class SplitThreads:
    """The threads of a program, run as far as a graph says. What a thread does after some answers is kept."""

    def __init__(self, program: Program) -> None:
        self.machine = Machine(program)
        self.count = len(program.threads)
        self._numbers: dict[Node, int] = {}
        self._kept: dict[tuple[int, object, _Path], tuple[ThreadState, Action]] = {}

    def child(self, spawn: Node) -> int:
        """The number of the thread that an event starts, the same in every graph."""
        return self._numbers.setdefault(spawn, self.count + len(self._numbers))

    def of(self, g: SplitGraph) -> list[int]:
        return [*range(self.count), *sorted(g.children)]

    def value(self, g: SplitGraph, w: Node, address: int, size: int) -> int:
        return g.events[w].value if w[0] >= 0 else self.machine.initial(address, size)

    def _after(self, g: SplitGraph, thread: int, path: _Path) -> tuple[ThreadState, Action]:
        start = g.events[g.children[thread]].action if thread in g.children else None
        key = (thread, (start.function, start.args) if start else None, path)
        if key not in self._kept:
            if path:
                state = self._after(g, thread, path[:-1])[0].clone()
                value, event, chosen = path[-1]
                frame, i = state.frames[-1], state.instruction()
                self.machine.reply(state, value, event)
                if chosen >= 0 and isinstance(i, ins.StoreConditional | ins.Choose):
                    frame.deps[i.dst.index] = frame.deps[i.dst.index] | {FLAG + chosen}
            elif start:
                state = self.machine.start_function(thread, start.function, start.args)
            else:
                state = self.machine.start(thread)
            self._kept[key] = state, self.machine.run(state)
        return self._kept[key]

    def place(self, g: SplitGraph, thread: int) -> Place:
        """Runs a thread over the events that are there. A comparison that is met comes out as it does now."""
        path: _Path = ()
        slot = 0
        while True:
            state, action = self._after(g, thread, path)
            here = Place(thread, slot, action, state)
            name, kind = number((thread, slot)), action.kind
            n = g.at(thread, slot)
            if n is None or kind in (Kind.END, Kind.BLOCK):
                _refuse(action)
                return here
            e = g.events[n]
            assert (e.action.kind, e.action.address) == (kind, action.address), "a kept event should not change"
            if kind is Kind.READ:
                if e.stuck:
                    return replace(here, halted=True)
                path += ((e.value, name, -1),)
                if action.part in UPDATES:
                    after = self._after(g, thread, path)
                    self._meet(g, n, action, state, writes=after[1].rmw)
                    slot += 1
                    w = (thread, slot, WHOLE)
                    if after[1].rmw:
                        if (*w[:2], COMMIT) not in g.events:
                            return Place(thread, slot, after[1], after[0])
                        assert g.events[w].value == after[1].value, "a kept write should not change"
                        path += ((1, number((thread, slot)), -1),)
            elif kind is Kind.WRITE:
                assert n[2] == OUTCOME or e.value == action.value, "a kept write should not change"
                if (n[2] == OUTCOME and e.value) or (n[2] == WHOLE and not g.committed(n)):
                    return here
                path += ((int(n[2] == WHOLE), name if n[2] == WHOLE else -1, name),)
            else:
                path += ((e.value, name, name if kind is Kind.CHOOSE else -1),)
            slot += 1

    def _meet(self, g: SplitGraph, n: Node, action: Action, state: ThreadState, *, writes: bool) -> None:
        e = replace(g.events[n], action=action, state=state)
        g.events[n] = replace(e, mode=action.mode if writes else e.failure)


def _refuse(action: Action) -> None:
    if action.kind in (Kind.ERROR, Kind.FREE, Kind.MALLOC):
        raise UnsupportedError(f"{action.at}: the reference algorithm does not treat {action.kind.value}")
