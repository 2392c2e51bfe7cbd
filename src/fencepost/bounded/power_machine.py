"""The operational POWER semantics of "Context-Bounded Model Checking for POWER" (Fig. 7 and Table 2), as a machine.

Events are fetched, initialised, committed and propagated; `sync` and `lwsync` are propagated and acknowledged. Rules
and predicates carry the paper's names. Three readings of the paper:

- ≺co orders the writes to a variable totally. A write gets its place when it commits, anywhere after what its process
  has seen, so that PropWrite's premise `Prop(q,x) ≺co e` means what it says, and as the paper's translation guesses it.
  (If ≺co grew by propagation only, some fences would be acknowledged later: a run found in the corpus, DETOUR0412.)
- `status(e') = init` in RdInitCnd and InitCnd means "initialised or committed", as in Table 1.
- ≺poloc relates reads and writes only; a variable is undetermined (⊤) until the address has a value.

The paper leaves lwarx and stwcx. out. Here a store-conditional may succeed where its write comes right after the write
that its load-reserve read from, in coherence order, for good: it commits only while that write is the last one that its
process has seen, and no later write gets its place between the two.

The paper leaves `eieio` out, too. Here it orders writes of its process: it commits after the writes before it, the
writes after it commit after it, and it is propagated like `lwsync`, but after those writes only and not after what its
process has seen of others. Nothing else waits for it. That is what the axioms make of it (eieio ∩ W×W).

The machine is the judge of `bounded/`: it takes programs whose threads are single functions made of loads, stores,
computations, conditionals and POWER's fences (`bounded/straighten.py` makes them so).
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple, TypeVar

from fencepost.bounded.power_paths import SENT, End, Fetched, Path, Paths, Source, Trail, What
from fencepost.execution.memory import final_value
from fencepost.program import instructions as ins
from fencepost.program.arithmetic import compute
from fencepost.program.interpret import Machine as Interpreter
from fencepost.program.operands import to_unsigned
from fencepost.program.program import Program
from fencepost.records import dataclass

Event = tuple[int, int]  # process, position in its program order
Write = tuple[int, int]  # an event, or (-1, address): the initial write of a location
T = TypeVar("T")


class Status(IntEnum):
    FETCH = 0
    INIT = 1
    COM = 2


class Process(NamedTuple):
    """`values`: of initialised reads, and of initialised assigns and writes. `reads_from`: of initialised reads."""

    trail: Trail
    status: tuple[Status, ...]
    values: tuple[int | None, ...]
    reads_from: tuple[Write | None, ...]


class State(NamedTuple):
    """A configuration. `prop[p]` lists (address, write) where it is not the initial write; `syncs[p]` is SyncProp(p);
    `seen_writes` SeenWr, `seen_syncs` SeenSyncs, `order` ≺co: the committed writes to each address, without the initial
    one; `pairs` what a load-reserve read from with the write of its store-conditional."""

    processes: tuple[Process, ...]
    prop: tuple[frozenset[tuple[int, Write]], ...]
    syncs: tuple[frozenset[Event], ...]
    seen_writes: frozenset[tuple[Event, frozenset[tuple[int, Write]]]] = frozenset()
    seen_syncs: frozenset[tuple[Event, frozenset[Event]]] = frozenset()
    order: frozenset[tuple[int, tuple[Write, ...]]] = frozenset()
    pairs: frozenset[tuple[Write, Write]] = frozenset()


@dataclass(frozen=True, slots=True)
class Label:
    """One step: a rule applied to an event of the active process. `target` is where a propagation goes, `after` the
    write that a committed write follows in coherence order."""

    rule: str  # fetch, init, commit, propagate
    process: int
    event: int
    target: int | None = None
    after: Write | None = None


class PowerMachine:
    """`memory` is what memory holds at the start, byte by byte, where it is not what the program says. `overtaking`:
    as in the paper, a write that is overtaken at a process before it has reached it leaves the fences that it is behind
    where they are; without it these must be there before (`holds_together`), as the axioms demand."""

    def __init__(self, program: Program, memory: dict[int, int] | None = None, *, overtaking: bool = True) -> None:
        self.program, self.overtaking = program, overtaking
        self.memory = Interpreter(program)
        if memory is not None:
            self.memory.memory = memory
        self.layout = self.memory.layout
        self.count = len(program.threads)
        self.paths = [Paths(program, self.layout, p) for p in range(self.count)]

    def initial(self) -> State:
        nothing: frozenset[tuple[int, Write]] = frozenset()
        start = Process((), (), (), ())
        return State((start,) * self.count, (nothing,) * self.count, (frozenset(),) * self.count)

    # --- what is known of an event

    def path(self, state: State, p: int) -> Path:
        return self.paths[p].path(state.processes[p].trail)

    def value_of(self, process: Process, path: Path, source: Source) -> int | None:
        """Val: reads have a value once initialised, assigns as soon as their operands have."""
        if source.event is None:
            return source.value
        event = path.events[source.event]
        if event.what is What.READ:
            return process.values[source.event]
        return self.computed(process, path, event)

    def computed(self, process: Process, path: Path, event: Fetched) -> int | None:
        i = event.instruction
        if isinstance(i, ins.Choose):
            return to_unsigned(event.guess)
        values = [self.value_of(process, path, s) for s in event.values]
        known = tuple(v for v in values if v is not None)
        if len(known) < len(values):
            return None
        if isinstance(i, ins.Compute):
            return compute(i.op, i.width, known)
        if isinstance(i, ins.Store) or (isinstance(i, ins.StoreConditional) and event.guess):
            return to_unsigned(known[0], 8 * i.size)
        return known[0] if known else 0

    def variable(self, process: Process, path: Path, n: int) -> int | None:
        """Var: the address that an access is about, None while it is undetermined (⊤)."""
        source = path.events[n].address
        assert source is not None, "only accesses should be asked for their variable"
        return self.value_of(process, path, source)

    def initial_value(self, write: Write, size: int) -> int:
        assert write[0] < 0, "only the initial write has an initial value"
        return self.memory.initial(write[1], size)

    def writes(self, state: State, address: int) -> tuple[Write, ...]:
        """The committed writes to an address in coherence order, without the initial one."""
        return next((order for a, order in state.order if a == address), ())

    def coherent(self, state: State, a: Write, b: Write) -> bool:
        """a ⪯co b, for writes to the same variable."""
        if a == b or a[0] < 0 or b[0] < 0:
            return a == b or a[0] < 0
        order = self.writes(state, self.address_of(state, b))
        return order.index(a) < order.index(b)

    def latest(self, state: State, p: int, address: int) -> Write:
        """Prop(p, x)."""
        return next((w for a, w in state.prop[p] if a == address), (-1, address))

    # --- predicates of Tables 1 and 2, over the event n of process p

    def _all(self, process: Process, events: Iterator[int], least: Status) -> bool:
        return all(process.status[n] >= least for n in events)

    def sources(self, event: Fetched, *, address: bool = True, data: bool = True) -> Iterator[int]:
        for s in (*(event.values if data else ()), *((event.address,) if address and event.address else ())):
            if s.event is not None:
                yield s.event

    def all_sync_cnd(self, state: State, p: int, n: int, *, commits: bool = True) -> bool:
        process, path = state.processes[p], self.path(state, p)
        ordered = commits and path.events[n].what is What.WRITE
        for m in range(n):
            match path.events[m].what:
                case What.SYNC:
                    if not all((p, m) in state.syncs[q] for q in range(self.count)):
                        return False
                case What.LWSYNC | What.ISYNC:
                    if process.status[m] is not Status.COM:
                        return False
                case What.EIEIO:
                    if ordered and process.status[m] is not Status.COM:
                        return False
        return True

    def com_cnd(self, state: State, p: int, n: int) -> bool:
        process, path = state.processes[p], self.path(state, p)
        event = path.events[n]
        if not self._all(process, self.sources(event), Status.COM):
            return False
        if not self._all(process, iter(event.controls), Status.COM):
            return False
        return event.address is None or self._all(process, self._poloc(process, path, n), Status.COM)

    def _poloc(self, process: Process, path: Path, n: int) -> Iterator[int]:
        """Earlier accesses to the same variable, or to one that is not determined yet."""
        here = self.variable(process, path, n)
        for m in range(n):
            if path.events[m].address is not None:
                there = self.variable(process, path, m)
                if there is None or there == here:
                    yield m

    def closest_write(self, process: Process, path: Path, n: int) -> int | None:
        return max((m for m in self._poloc(process, path, n) if path.events[m].what is What.WRITE), default=None)

    def rd_cnd(self, state: State, p: int, n: int) -> bool:
        process, path = state.processes[p], self.path(state, p)
        mine = process.reads_from[n]
        assert mine is not None, "a read should be initialised before it commits"
        for m in self._poloc(process, path, n):
            theirs = process.reads_from[m]
            if path.events[m].what is What.READ and theirs is not None and not self.coherent(state, theirs, mine):
                return False
        return True

    def valid_cnd(self, state: State, p: int, n: int) -> bool | None:
        """Whether the guess made for a conditional is right; None while its operand has no value."""
        process, path = state.processes[p], self.path(state, p)
        event = path.events[n]
        if not event.values:
            return True
        value = self.computed(process, path, event)
        if value is None:
            return None
        return self.paths[p].outcome(event, value) == event.guess

    # --- the rules

    def fetches(self, state: State, p: int) -> Iterator[tuple[Label, State]]:
        process = state.processes[p]
        for trail in self.paths[p].successors(process.trail):
            grown = Process(
                trail, (*process.status, Status.FETCH), (*process.values, None), (*process.reads_from, None)
            )
            yield Label("fetch", p, len(trail) - 1), _with_process(state, p, grown)

    def initialisations(self, state: State, p: int, n: int) -> Iterator[tuple[Label, State]]:
        """InitRead*, InitWrite, InitAssign."""
        process, path = state.processes[p], self.path(state, p)
        event = path.events[n]
        if process.status[n] is not Status.FETCH or event.what not in (What.READ, What.WRITE, What.ASSIGN):
            return
        waits = not self._all(process, self.sources(event), Status.INIT)
        if waits or not self.all_sync_cnd(state, p, n, commits=False):
            return
        if event.what is What.READ:
            found = self._read(state, p, n)
            if found is None:
                return
            write, value = found
            process = process._replace(reads_from=_set(process.reads_from, n, write))
        else:
            computed = self.computed(process, path, event)
            assert computed is not None, "the operands of an event should have values once initialised"
            value = computed
        process = process._replace(values=_set(process.values, n, value), status=_set(process.status, n, Status.INIT))
        yield Label("init", p, n), _with_process(state, p, process)

    def _read(self, state: State, p: int, n: int) -> tuple[Write, int] | None:
        """InitReadFromLocal or InitReadFromProp: the write that a read would get now, and its value."""
        process, path = state.processes[p], self.path(state, p)
        i = path.events[n].instruction
        address, m = self.variable(process, path, n), self.closest_write(process, path, n)
        assert isinstance(i, ins.Load) and address is not None, "the address of a read should be known"
        if m is not None and process.status[m] is Status.FETCH:
            return None
        write = (p, m) if m is not None and process.status[m] is Status.INIT else self.latest(state, p, address)
        if write[0] < 0:
            return write, self.initial_value(write, i.size)
        value = state.processes[write[0]].values[write[1]]
        assert value is not None, "a write that can be read should have a value"
        return write, value

    def commits(self, state: State, p: int, n: int) -> Iterator[tuple[Label, State]]:
        """ComRead, ComWrite, ComAssign, ComACI, ComISync, ComSync."""
        process, path = state.processes[p], self.path(state, p)
        event = path.events[n]
        waits = Status.INIT if event.what in (What.READ, What.WRITE, What.ASSIGN) else Status.FETCH
        if process.status[n] is not waits or not self.com_cnd(state, p, n) or not self.all_sync_cnd(state, p, n):
            return
        after = _with_process(state, p, process._replace(status=_set(process.status, n, Status.COM)))
        match event.what:
            case What.READ:
                if not self.rd_cnd(state, p, n):
                    return
            case What.WRITE:
                yield from self._commit_write(after, p, n)
                return
            case What.ACI:
                if not self.valid_cnd(state, p, n):
                    return
            case What.ISYNC:
                accesses = (e for e in path.events[:n] if e.address is not None)
                if not all(self._all(process, self.sources(e, data=False), Status.COM) for e in accesses):
                    return
            case What.SYNC | What.LWSYNC:
                if any(e.address is not None and process.status[m] is not Status.COM
                       for m, e in enumerate(path.events[:n])):  # fmt: skip
                    return
                after = _sent(after, p, n, after.prop[p])
            case What.EIEIO:
                writes = [m for m, e in enumerate(path.events[:n]) if e.what is What.WRITE]
                if not self._all(process, iter(writes), Status.COM):
                    return
                after = _sent(after, p, n, frozenset({self.address_of(state, (p, m)): (p, m) for m in writes}.items()))
        yield Label("commit", p, n), after

    def _commit_write(self, state: State, p: int, n: int) -> Iterator[tuple[Label, State]]:
        """ComWrite, for every place in ≺co after what p has seen that does not part a pair."""
        address = self.address_of(state, (p, n))
        order, last = self.writes(state, address), self.latest(state, p, address)
        state = state._replace(seen_syncs=state.seen_syncs | {((p, n), state.syncs[p])})
        line = ((-1, address), *order)
        places = range(line.index(last), len(line))
        if isinstance(self.path(state, p).events[n].instruction, ins.StoreConditional):
            if self._reserved(state, p, n) != last:
                return
            state = state._replace(pairs=state.pairs | {(last, (p, n))})
            places = places[:1]
        for place in places:
            if place + 1 < len(line) and (line[place], line[place + 1]) in state.pairs:
                continue
            grown = (*order[:place], (p, n), *order[place:])
            others = frozenset(item for item in state.order if item[0] != address)
            after = self._show(state._replace(order=others | {(address, grown)}), (p, n), p)
            if self.overtaking or self.holds_together(after):
                yield Label("commit", p, n, after=line[place]), after

    def _reserved(self, state: State, p: int, n: int) -> Write | None:
        """What the load-reserve of a store-conditional read, if it is for the same variable."""
        process, path = state.processes[p], self.path(state, p)
        m = path.events[n].reserve
        if m is None or self.variable(process, path, m) != self.variable(process, path, n):
            return None
        return process.reads_from[m]

    def _show(self, state: State, write: Write, q: int) -> State:
        """Prop[⟨q,x⟩ ← e]."""
        address = self.address_of(state, write)
        seen = frozenset({(a, w) for a, w in state.prop[q] if a != address} | {(address, write)})
        return state._replace(prop=_set(state.prop, q, seen))

    def address_of(self, state: State, write: Write) -> int:
        p, n = write
        address = self.variable(state.processes[p], self.path(state, p), n)
        assert address is not None, "a committed write should have an address"
        return address

    def propagations(self, state: State, p: int, n: int) -> Iterator[tuple[Label, State]]:
        """PropWrite and PropSync, of an event of p to every other process."""
        process, path = state.processes[p], self.path(state, p)
        what, event = path.events[n].what, (p, n)
        if process.status[n] is not Status.COM or (what is not What.WRITE and what not in SENT):
            return
        for q in range(self.count):
            if q == p:
                continue
            if what is What.WRITE:
                seen_syncs = next(s for w, s in state.seen_syncs if w == event)
                latest = self.latest(state, q, self.address_of(state, event))
                if not self.coherent(state, event, latest) and seen_syncs <= state.syncs[q]:
                    after = self._show(state, event, q)
                    if self.overtaking or self.holds_together(after):
                        yield Label("propagate", p, n, q), after
            elif event not in state.syncs[q] and self._seen_wr_cnd(state, event, q):
                syncs = _set(state.syncs, q, state.syncs[q] | {event})
                yield Label("propagate", p, n, q), state._replace(syncs=syncs)

    def holds_together(self, state: State) -> bool:
        """Whether every process has all fences behind which a write is that it has seen, or seen overtaken."""
        behind = dict(state.seen_syncs)
        return all(
            behind[w] <= state.syncs[q]
            for q in range(self.count)
            for address, order in state.order
            for w in order
            if self.coherent(state, w, self.latest(state, q, address))
        )

    def _seen_wr_cnd(self, state: State, event: Event, q: int) -> bool:
        seen = next(s for e, s in state.seen_writes if e == event)
        return all(self.coherent(state, w, self.latest(state, q, a)) for a, w in seen)

    def steps(self, state: State, p: int) -> Iterator[tuple[Label, State]]:
        """Every transition that process p can take, fetches last."""
        for n in range(len(state.processes[p].trail)):
            yield from self.initialisations(state, p, n)
            yield from self.commits(state, p, n)
            yield from self.propagations(state, p, n)
        yield from self.fetches(state, p)

    # --- complete configurations and what they show

    def committed(self, state: State) -> bool:
        return all(s is Status.COM for process in state.processes for s in process.status)

    def complete(self, state: State) -> bool:
        """Everything fetched is committed, and nothing can be propagated any more."""
        if not self.committed(state):
            return False
        return not any(
            True
            for p in range(self.count)
            for n in range(len(state.processes[p].trail))
            for _ in self.propagations(state, p, n)
        )

    def final_value(self, state: State, address: int, size: int) -> int:
        """The coherence-last value of a location in a complete configuration, where all processes agree on it."""
        pieces = [(at, *self._written(state, write)) for at, write in state.prop[0] if write[0] >= 0]
        return final_value(address, size, self.initial_value((-1, address), size), pieces)

    def _written(self, state: State, write: Write) -> tuple[int, int]:
        """Size and value of a write."""
        value = state.processes[write[0]].values[write[1]]
        assert value is not None, "a propagated write should have a value"
        instruction = self.path(state, write[0]).events[write[1]].instruction
        return getattr(instruction, "size", 0), value

    def final_register(self, state: State, p: int, register: int) -> int:
        process, path = state.processes[p], self.path(state, p)
        value = self.value_of(process, path, path.definer[register])
        assert value is not None, "registers of a complete configuration should have values"
        return value

    def ended(self, state: State) -> bool:
        return all(self.path(state, p).end is End.DONE for p in range(self.count))


def _set(items: tuple[T, ...], n: int, item: T) -> tuple[T, ...]:
    return (*items[:n], item, *items[n + 1 :])


def _sent(state: State, p: int, n: int, seen: frozenset[tuple[int, Write]]) -> State:
    """A fence is committed: it is propagated to its own process, and SeenWr says after which writes to others."""
    syncs = _set(state.syncs, p, state.syncs[p] | {(p, n)})
    return state._replace(seen_writes=state.seen_writes | {((p, n), seen)}, syncs=syncs)


def _with_process(state: State, p: int, process: Process) -> State:
    return state._replace(processes=_set(state.processes, p, process))
