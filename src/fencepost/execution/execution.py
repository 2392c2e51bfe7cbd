"""One execution of a program: what happened, and which event saw which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from fencepost.program.instructions import FenceKind, Mode, Tag
from fencepost.program.operands import Position
from fencepost.records import dataclass, field, replace

Pair = tuple[int, int]


class EventKind(Enum):
    """INIT is the initial write of a location. BEGIN and END frame a thread that was spawned; the SPAWN of the parent
    comes before its BEGIN, its END before the JOIN of whoever waits."""

    __hash__ = object.__hash__  # that of Enum is ten times as slow

    INIT = "init"
    READ = "read"
    WRITE = "write"
    FENCE = "fence"
    CHOOSE = "choose"
    MALLOC = "malloc"
    FREE = "free"
    SPAWN = "spawn"
    BEGIN = "begin"
    JOIN = "join"
    END = "end"
    ATOMIC_BEGIN = "atomic_begin"
    ATOMIC_END = "atomic_end"


_FRAME = (EventKind.BEGIN, EventKind.END, EventKind.MALLOC)


@dataclass(frozen=True, slots=True)
class Event:
    """`id` is the index in `Execution.events`. `index` is the position in program order of the thread. `thread` is -1
    for initial writes. `rmw`: half of a read-modify-write (or of a successful exclusive pair)."""

    id: int
    thread: int
    index: int
    kind: EventKind
    address: int = 0
    size: int = 0
    value: int = 0
    mode: Mode = Mode.NA
    fence: FenceKind | None = None
    rmw: bool = False
    exclusive: bool = False
    at: Position | None = None
    tag: Tag = Tag.NONE

    @property
    def is_read(self) -> bool:
        return self.kind is EventKind.READ

    @property
    def is_write(self) -> bool:
        return self.kind in (EventKind.WRITE, EventKind.INIT)

    @property
    def is_access(self) -> bool:
        return self.is_read or self.is_write

    def same_place(self, other: Event) -> bool:
        """Whether both access memory of which a part is the same."""
        overlap = self.address < other.address + other.size and other.address < self.address + self.size
        return self.is_access and other.is_access and overlap

    def conflicts(self, other: Event) -> bool:
        """Whether the two race where neither happens before the other: one of them writes, one is not atomic."""
        some_write, some_plain = self.is_write or other.is_write, Mode.NA in (self.mode, other.mode)
        return self.thread != other.thread and self.same_place(other) and some_write and some_plain


#: The fields of an execution that are dependencies, with what models call each.
DEPENDENCIES = {
    "address_deps": "addr", "data_deps": "data", "control_deps": "ctrl",
    "address_picks": "pick.addr", "data_picks": "pick.data", "control_picks": "pick.ctrl",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Execution:
    """A graph. `reads_from` maps each read to its write; `coherence` lists, per address, its writes in order with the
    initial write first. `rmw` pairs the halves of read-modify-writes. Dependencies go from reads to later events.
    `spawns` pairs SPAWN with BEGIN, and END with JOIN. `outcome` gives the observed values by name."""

    events: tuple[Event, ...]
    reads_from: Mapping[int, int]
    coherence: Mapping[int, tuple[int, ...]]
    rmw: frozenset[Pair] = frozenset()
    address_deps: frozenset[Pair] = frozenset()
    data_deps: frozenset[Pair] = frozenset()
    control_deps: frozenset[Pair] = frozenset()
    spawns: frozenset[Pair] = frozenset()
    threads: tuple[str, ...] = ()
    outcome: Mapping[str, int] = field(default_factory=dict)
    blocked: Mapping[int, Position | None] = field(default_factory=dict)  # thread -> where it waits
    address_picks: frozenset[Pair] = frozenset()  # those among the dependencies that are pick dependencies only
    data_picks: frozenset[Pair] = frozenset()
    control_picks: frozenset[Pair] = frozenset()

    def depending(self, found: Mapping[str, Iterable[Pair]]) -> Execution:
        """The same with these dependencies, by the names of DEPENDENCIES."""
        given: dict[str, Any] = {name: frozenset(pairs) for name, pairs in found.items()}
        return replace(self, **given)

    def thread_events(self, thread: int) -> tuple[Event, ...]:
        """The events of a thread in program order."""
        return tuple(sorted((e for e in self.events if e.thread == thread), key=lambda e: e.index))

    def canonical(self) -> tuple[object, ...]:
        """A value that is equal for two executions exactly when they are the same graph, however they were numbered
        and whether or not the engine makes events of a thread's frame and of allocations."""
        ranks: dict[int, int] = {}
        lengths: dict[int, int] = {}
        for e in sorted(self.events, key=lambda e: e.index):
            if e.kind not in _FRAME:
                ranks[e.id] = lengths.get(e.thread, 0)
                lengths[e.thread] = ranks[e.id] + 1

        def name(event_id: int) -> tuple[int, int, int]:
            e = self.events[event_id]
            return (e.thread, 0, e.address) if e.kind is EventKind.INIT else (e.thread, ranks[e.id], 0)

        labels = frozenset(
            (*name(e.id), e.kind, e.address, e.size, e.value, e.mode, e.fence)
            for e in self.events
            if e.kind is not EventKind.INIT and e.kind not in _FRAME
        )
        reads = frozenset((name(r), name(w)) for r, w in self.reads_from.items())
        order = frozenset(
            (address, tuple(name(w) for w in writes)) for address, writes in self.coherence.items() if len(writes) > 1
        )
        # A store-conditional that succeeds and a store after one that fails are told apart by this alone.
        pairs = frozenset((name(r), name(w)) for r, w in self.rmw)
        return (labels, reads, order, pairs)
