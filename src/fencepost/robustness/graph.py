"""The execution graph of a sequentially consistent run, and what it becomes with one more event that SC cannot add."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace

from fencepost._core import LabelKind, TraceStep
from fencepost.execution.execution import Event, EventKind, Execution
from fencepost.prepare.encoded import Prepared
from fencepost.program.instructions import FenceKind, Mode
from fencepost.program.operands import Position
from fencepost.records import dataclass
from fencepost.verdict import Edge

_MODES, _FENCES = tuple(Mode), tuple(FenceKind)
#: Numbered as the core's ActionKind.
_ACTIONS = (
    EventKind.READ, EventKind.WRITE, EventKind.FENCE, EventKind.CHOOSE, EventKind.FREE, EventKind.SPAWN, EventKind.JOIN,
    EventKind.ATOMIC_BEGIN, EventKind.ATOMIC_END,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Label:
    """A step of a run as the core tells it, or a label that a thread offers."""

    thread: int
    kind: LabelKind
    event: EventKind
    address: int
    size: int
    mode: Mode
    failure: Mode  # of a compare-exchange that is only offered
    fence: FenceKind
    reads: bool
    writes: bool
    read: int
    written: int
    other: int  # the thread that a spawn starts or a join waits for
    at: Position | None

    @classmethod
    def of(cls, s: TraceStep, prepared: Prepared) -> Label:
        at = prepared.encoded.positions[s.position]
        return cls(s.thread, s.kind, _ACTIONS[s.action], s.address, s.size, _MODES[s.mode], _MODES[s.failure],
                   _FENCES[s.fence], s.reads, s.writes, s.value_read, s.value_written, s.other, at)  # fmt: skip

    @property
    def is_access(self) -> bool:
        return self.event in (EventKind.READ, EventKind.WRITE)


@dataclass(slots=True)
class Graph:
    """A graph under construction. Steps are added in the order of the run, each behind the last write of its location
    unless another predecessor is named."""

    prepared: Prepared
    events: list[Event] = field(default_factory=list)
    reads_from: dict[int, int] = field(default_factory=dict)
    coherence: dict[int, list[int]] = field(default_factory=dict)
    rmw: set[tuple[int, int]] = field(default_factory=set)
    spawns: set[tuple[int, int]] = field(default_factory=set)
    last: dict[int, int] = field(default_factory=dict)  # thread -> its last event
    spawner: dict[int, int] = field(default_factory=dict)  # thread -> the event that starts it
    threads: int = 0

    @classmethod
    def of_run(cls, prepared: Prepared, steps: Sequence[Label], *offered: Label) -> Graph:
        """The graph of the steps. Locations that they or the offered labels touch have an initial write."""
        graph = cls.begin(prepared, sorted({(s.address, s.size) for s in (*steps, *offered) if s.is_access}))
        for step in steps:
            graph.add(step)
        return graph

    @classmethod
    def begin(cls, prepared: Prepared, locations: Iterable[tuple[int, int]]) -> Graph:
        """The initial writes of these addresses and sizes, and nothing else."""
        graph = cls(prepared, threads=len(prepared.program.threads))
        for number, (address, size) in enumerate(locations):
            value = _initial(prepared, address, size)
            graph.events.append(Event(number, -1, number, EventKind.INIT, address, size, value))
            graph.coherence[address] = [number]
        return graph

    def copy(self) -> Graph:
        return replace(
            self, events=list(self.events), reads_from=dict(self.reads_from), rmw=set(self.rmw),
            coherence={a: list(w) for a, w in self.coherence.items()}, spawns=set(self.spawns),
            last=dict(self.last), spawner=dict(self.spawner),
        )  # fmt: skip

    def add(self, step: Label, behind: int | None = None) -> int:
        """Adds what a step did; returns its last event."""
        kind = step.event
        if kind is EventKind.READ:
            return self._add_read(step, behind if behind is not None else self.coherence[step.address][-1])
        value = {EventKind.WRITE: step.written, EventKind.CHOOSE: step.read, EventKind.SPAWN: step.other,
                 EventKind.JOIN: step.other}.get(kind, 0)  # fmt: skip
        number = self._event(step, kind, value)
        if kind is EventKind.WRITE:
            self._place(step.address, number, behind if behind is not None else self.coherence[step.address][-1])
        elif kind is EventKind.SPAWN:
            self.spawner[step.other] = number
            self.threads = max(self.threads, step.other + 1)
        elif kind is EventKind.JOIN and step.other in self.last:
            self.spawns.add((self.last[step.other], number))
        return number

    def _add_read(self, step: Label, write: int) -> int:
        read = self._event(step, EventKind.READ, step.read, rmw=step.writes)
        self.reads_from[read] = write
        if not step.writes:
            return read
        written = self._event(step, EventKind.WRITE, step.written, rmw=True)
        self.rmw.add((read, written))
        self._place(step.address, written, write)
        return written

    def _event(self, step: Label, kind: EventKind, value: int, *, rmw: bool = False) -> int:
        number, before = len(self.events), self.last.get(step.thread)
        index = 0 if before is None else self.events[before].index + 1
        fence = step.fence if kind is EventKind.FENCE else None
        address = step.address if step.is_access or kind is EventKind.FREE else 0
        size, mode = (step.size, step.mode) if step.is_access else (0, Mode.NA)
        event = Event(number, step.thread, index, kind, address, size, value, mode, fence, rmw, at=step.at)
        self.events.append(event)
        if before is None and step.thread in self.spawner:
            self.spawns.add((self.spawner[step.thread], number))
        self.last[step.thread] = number
        return number

    def _place(self, address: int, write: int, behind: int) -> None:
        order = self.coherence[address]
        order.insert(order.index(behind) + 1, write)

    def execution(self) -> Execution:
        names = [t.name for t in self.prepared.program.threads]
        names += [f"thread {t}" for t in range(len(names), self.threads)]
        coherence = {address: tuple(writes) for address, writes in self.coherence.items()}
        return Execution(tuple(self.events), dict(self.reads_from), coherence, frozenset(self.rmw),
                         spawns=frozenset(self.spawns), threads=tuple(names))  # fmt: skip


def hb_sc_cycle(execution: Execution) -> tuple[Edge, ...]:
    """A shortest cycle of po, rf, co and fr, through as late an event as possible; () where there is none."""
    edges = _edges(execution)
    return next((c for e in reversed(execution.events) if (c := _cycle_through(e.id, edges))), ())


def _cycle_through(target: int, edges: dict[int, list[tuple[int, str]]]) -> tuple[Edge, ...]:
    parents: dict[int, tuple[int, str]] = {}
    queue = deque([target])
    while queue:
        at = queue.popleft()
        for following, name in edges[at]:
            if following not in parents:
                parents[following] = (at, name)
                queue.append(following)
        if target in parents:
            return _path(parents, target)
    return ()


def _path(parents: dict[int, tuple[int, str]], target: int) -> tuple[Edge, ...]:
    cycle, at = [], target
    while True:
        source, name = parents[at]
        cycle.append(Edge(source, at, name))
        at = source
        if at == target:
            return tuple(reversed(cycle))


def _edges(x: Execution) -> dict[int, list[tuple[int, str]]]:
    edges: dict[int, list[tuple[int, str]]] = {e.id: [] for e in x.events}
    for source, target, name in _pairs(x):
        if source != target:
            edges[source].append((target, name))
    for source in edges:  # what crosses threads is the better explanation of the same order
        edges[source].sort(key=lambda e: e[1] == "po")
    return edges


def _pairs(x: Execution) -> Iterator[tuple[int, int, str]]:
    for t in {e.thread for e in x.events if e.thread >= 0}:
        row = x.thread_events(t)
        yield from ((a.id, b.id, "po") for i, a in enumerate(row) for b in row[i + 1 :])
    yield from ((a, b, "spawn") for a, b in x.spawns)
    yield from ((w, r, "rf") for r, w in x.reads_from.items())
    for order in x.coherence.values():
        yield from ((a, b, "co") for i, a in enumerate(order) for b in order[i + 1 :] if x.events[a].thread >= 0)
    halves = dict(x.rmw)
    for r, w in x.reads_from.items():
        order = x.coherence[x.events[r].address]
        for later in order[order.index(w) + 1 :]:
            if halves.get(r) != later:
                yield r, later, "fr"


def _initial(prepared: Prepared, address: int, size: int) -> int:
    found = prepared.encoded.layout.find(address)
    if found is None:
        return 0
    o, offset = found
    value = 0
    for init in o.init:
        if init.offset == offset and init.size == size:
            value = prepared.encoded.layout.value(init.value) & ((1 << 8 * size) - 1)
    return value
