"""What each thread can do on its own, for every value that its reads could return.

Which values a location can hold is a least fixpoint: run every thread with what is known, collect what it writes and
what that rests on (`facts.py`), run again. Each round follows one more write of a chain of values, so as many rounds
as an execution has writes are enough.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from enum import Enum
from typing import TypeVar

from fencepost.enumerate.facts import NOTHING, Alternatives, conjunction, smallest
from fencepost.enumerate.foreseen import Foreseen
from fencepost.errors import UnsupportedError
from fencepost.execution.execution import EventKind
from fencepost.program import instructions as ins
from fencepost.program.instructions import BOUNDS, ErrorKind, FenceKind, Mode, Tag
from fencepost.program.interpret import Action, Kind, Machine, Part, ThreadState
from fencepost.program.operands import Position, to_unsigned
from fencepost.program.program import Program
from fencepost.records import dataclass

Location = tuple[int, int]  # address, size
Deps = frozenset[int]
INITIAL = -1
MAX_EVENTS = 120
MAX_TRACES = 300_000
_Node = TypeVar("_Node")


class Ending(Enum):
    __hash__ = object.__hash__  # that of Enum is ten times as slow

    END = "end"
    EXIT = "exit"  # the end of the whole program, which nobody can join
    BLOCKED = "blocked"  # an assume that failed or a spin without effect
    WAITING = "waiting"  # an await, a blocking CAS or a join that nothing served
    ERROR = "error"
    BOUND = "bound"  # our own limit, or a Fail that says so


@dataclass(frozen=True, slots=True)
class Step:
    """One event of a thread. Dependencies and `pair` (the read half) are positions in the thread."""

    kind: EventKind
    address: int = 0
    size: int = 0
    value: int = 0
    mode: Mode = Mode.NA
    fence: FenceKind | None = None
    rmw: bool = False
    exclusive: bool = False
    at: Position | None = None
    address_deps: Deps = frozenset()
    data_deps: Deps = frozenset()
    control_deps: Deps = frozenset()
    pair: int | None = None
    function: str = ""  # SPAWN
    args: tuple[int, ...] = ()
    tag: Tag = Tag.NONE
    address_picks: Deps = frozenset()
    data_picks: Deps = frozenset()
    control_picks: Deps = frozenset()
    decided_by: Deps = frozenset()

    @property
    def location(self) -> Location:
        return self.address, self.size


@dataclass(frozen=True, slots=True)
class Trace:
    """One way of a thread. `waits` is the access that could not be served and the values that would serve it."""

    steps: tuple[Step, ...]
    ending: Ending
    registers: tuple[int, ...]
    result: int = 0
    error: ErrorKind | None = None
    message: str = ""
    at: Position | None = None
    waits: Waiting | None = None
    spin: Position | None = None  # the loop that the thread waits or spins in
    why: tuple[Alternatives, ...] = ()

    def last_block(self) -> range:
        """The indices of the events in the atomic block that the thread did not leave."""
        marks = [i for i, s in enumerate(self.steps) if s.kind in (EventKind.ATOMIC_BEGIN, EventKind.ATOMIC_END)]
        if not marks or self.steps[marks[-1]].kind is EventKind.ATOMIC_END:
            return range(0)
        return range(marks[-1] + 1, len(self.steps))


@dataclass(frozen=True, slots=True)
class Waiting:
    """`writes` maps a value that would let the access go on to what a blocking CAS would then write."""

    action: Action
    serve: dict[int, int | None] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Instance:
    """A thread by its number and what it runs: the same spawn may start another function on another path."""

    thread: int
    function: str
    args: tuple[int, ...]


class Pool:
    """Which thread can have written which value where, and what each thread can return to a join."""

    def __init__(self) -> None:
        self.values: dict[Location, dict[int, dict[int, Alternatives]]] = {}
        self.results: dict[int, set[int]] = {}
        self.changed: dict[Location, int] = {}  # how often the values there have changed

    def add(self, location: Location, thread: int, value: int, why: Alternatives) -> bool:
        """Whether the value, or a justification of it, is new."""
        known = self.values.setdefault(location, {}).setdefault(thread, {})
        before = known.get(value)
        known[value] = why if before is None else smallest((*before, *why))
        new = known[value] != before
        if new:
            self.changed[location] = self.changed.get(location, 0) + 1
        return new

    def written(self, location: Location, thread: int, *, by_others: bool) -> dict[int, Alternatives]:
        """The values that the other threads, or this one, can have written."""
        found: dict[int, Alternatives] = {}
        for writer, values in self.values.get(location, {}).items():
            if (writer != thread) == by_others:
                for value, why in values.items():
                    found[value] = smallest((*found.get(value, ()), *why))
        return found


@dataclass(frozen=True, slots=True)
class Path:
    """A trace in the making. `why` justifies what each event read or wrote; `rests_on` is all of it together.
    `slots` counts how often the thread came to each instruction that writes, with the compare-exchanges and
    store-conditionals that failed. A write has the same name on every path that reaches it: where nothing makes it wait
    for what decided the path, it may be seen before that is decided."""

    state: ThreadState
    steps: tuple[Step, ...] = ()
    why: tuple[Alternatives, ...] = ()
    rests_on: Alternatives = NOTHING
    slots: Mapping[object, int] = field(default_factory=dict, hash=False)

    def writer(self) -> object:
        """The instruction that the thread is at."""
        frame = self.state.frames[-1]
        return len(self.state.frames), frame.function.name, frame.pc

    def counted(self) -> dict[object, int]:
        """`slots` with one more time at this instruction."""
        return {**self.slots, self.writer(): self.slots.get(self.writer(), 0) + 1}


@dataclass(frozen=True, slots=True)
class Keeps:
    """What a model is known to keep; see `ThreadRunner`."""

    own: bool
    compared: bool = True
    dependencies: bool = True


class OutOfTimeError(Exception):
    """The deadline passed before everything was seen."""


def check_time(deadline: float | None) -> None:
    if deadline is not None and time.perf_counter() > deadline:
        raise OutOfTimeError


class ThreadRunner:
    """All traces of all threads of a program, as far as the model says. `keeps.own`: a read never sees its own thread's
    older or later writes in place of the last one. `keeps.compared`: no write comes of a compare-exchange that it
    decides. `keeps.dependencies`: no write comes of itself. All three keep the choices small."""

    def __init__(
        self, program: Program, keeps: Keeps, max_events: int = MAX_EVENTS, deadline: float | None = None
    ) -> None:
        self.machine = Machine(program)
        self.deadline = deadline
        self.keeps, self.max_events = keeps, max_events
        self.pool = Pool()
        self.children: dict[tuple[int, int], int] = {}  # parent, how manieth spawn -> thread
        self.names: dict[int, str] = {i: t.name for i, t in enumerate(program.threads)}
        self.static = [
            Instance(i, t.function, tuple(self.machine.layout.value(a) for a in t.args))
            for i, t in enumerate(program.threads)
        ]
        self.foreseen = None if keeps.dependencies else Foreseen(self.machine)
        self.traces: dict[Instance, list[Trace]] = {}
        self.spawned: set[int] = set()
        self.looked: dict[Location, int] = {}  # where the traces in the making look, and its `Pool.changed`
        self.joined = False  # whether they look at other threads' results
        self.blocks: dict[int, int] = {}  # what is allocated, by address: how many bytes
        self.before: dict[Instance, tuple[dict[Location, int], list[Trace]]] = {}

    def run(self) -> None:
        """Iterates to the fixpoint; afterwards `traces` holds every trace of every instance."""
        rounds = 0
        while True:
            self.traces = {}
            pending = list(self.static)
            while pending:
                instance = pending.pop(0)
                if instance not in self.traces:
                    self.traces[instance] = self._all_traces(instance)
                    pending += self._children_of(instance)
            rounds += 1
            if not self._collect() or rounds > self._most_writes():
                return

    def _children_of(self, instance: Instance) -> Iterator[Instance]:
        for trace in self.traces[instance]:
            for step in trace.steps:
                if step.kind is EventKind.SPAWN:
                    yield Instance(step.value, step.function, step.args)

    def _collect(self) -> bool:
        """Adds what the traces write to the pool; whether anything was new."""
        new = False
        for instance, traces in self.traces.items():
            for trace in traces:
                for step, why in zip(trace.steps, trace.why, strict=False):
                    if step.kind is EventKind.WRITE:
                        new |= self.pool.add(step.location, instance.thread, step.value, why)
                if trace.ending is Ending.END:
                    results = self.pool.results.setdefault(instance.thread, set())
                    new |= trace.result not in results
                    results.add(trace.result)
        return new

    def _most_writes(self) -> int:
        most: dict[int, int] = {}
        for instance, traces in self.traces.items():
            count = max((sum(s.kind is EventKind.WRITE for s in t.steps) for t in traces), default=0)
            most[instance.thread] = max(count, most.get(instance.thread, 0))
        return sum(most.values()) + len(most)  # a result handed to a join is a link of the chain too

    def _all_traces(self, instance: Instance) -> list[Trace]:
        """Those of the last round where nothing has changed that they looked at."""
        looked, known = self.before.get(instance, ({}, None))
        if known is not None and all(self.pool.changed.get(at, 0) == n for at, n in looked.items()):
            return known
        self.looked, self.joined = {}, False
        traces = list(self._traces(instance))
        if not self.joined:
            self.before[instance] = self.looked, traces
        return traces

    def _traces(self, instance: Instance) -> Iterator[Trace]:
        start = Path(self.machine.start_function(instance.thread, instance.function, instance.args))
        if instance.thread in self.spawned:
            start = replace(start, steps=(Step(EventKind.BEGIN),), why=(NOTHING,))
        stack = [start]
        count = 0
        while stack:
            check_time(self.deadline)
            for found in self._advance(stack.pop()):
                if isinstance(found, Trace):
                    count += 1
                    yield found
                else:
                    stack.append(found)
            if count + len(stack) > MAX_TRACES:
                raise UnsupportedError(
                    f"thread {self.names[instance.thread]} has more than {MAX_TRACES} paths: too many to enumerate"
                )

    def _advance(self, path: Path) -> Iterator[Trace | Path]:
        """What one more action can lead to: the trace if it ends here, or paths to go on with."""
        action = self.machine.run(path.state)
        if action.kind in (Kind.END, Kind.BLOCK, Kind.ERROR):
            yield self._finished(path, action)
        elif len(path.steps) >= self.max_events:
            message = f"a thread with more than {self.max_events} events"
            yield _ended(path, Ending.BOUND, action, error=ErrorKind.EVENT_BOUND, message=message)
        elif action.kind is Kind.READ:
            yield from self._read(path, action)
        elif action.kind is Kind.WRITE:
            yield from self._write(path, action)
        elif action.kind is Kind.CHOOSE:
            for value in range(action.value, action.high + 1):
                yield self._went_on(_copy(path), _step(action, EventKind.CHOOSE, value=value), value)
        elif action.kind is Kind.JOIN:
            yield from self._join(path, action)
        elif action.kind is Kind.SPAWN:
            yield self._spawn(path, action)
        else:
            known = len(path.state.objects)
            went_on = self._went_on(path, _step(action, EventKind(action.kind.value), value=action.value), 0)
            if action.kind is Kind.MALLOC:
                block = list(path.state.objects)[known]
                self.blocks[block] = action.value
                went_on = replace(went_on, steps=(*path.steps, replace(went_on.steps[-1], address=block)))
            yield went_on

    def _finished(self, path: Path, action: Action) -> Trace:
        if action.kind is Kind.END:
            if path.state.thread in self.spawned:
                last = Step(EventKind.END, value=action.value, at=action.at)
                path = replace(path, steps=(*path.steps, last), why=(*path.why, NOTHING))
            ending = Ending.EXIT if action.process else Ending.END
            return replace(_ended(path, ending, action), registers=path.state.final, result=action.value)
        if action.alone:
            return replace(_ended(path, Ending.WAITING, action), waits=Waiting(action), spin=action.spin)
        if action.kind is Kind.BLOCK:
            return replace(_ended(path, Ending.BLOCKED, action, message=action.message), spin=action.spin)
        ending = Ending.BOUND if action.error in BOUNDS else Ending.ERROR
        closed = _sections_closed(path) if self.machine.scoped else path
        return _ended(closed, ending, action, error=action.error, message=action.message)

    def _went_on(self, path: Path, step: Step, value: int, why: Alternatives = NOTHING) -> Path:
        """The path with one more event. It owns its state."""
        self.machine.reply(path.state, value, len(path.steps))
        return Path(path.state, (*path.steps, step), (*path.why, why), path.rests_on, path.slots)

    # --- reads

    def _read(self, path: Path, action: Action) -> Iterator[Trace | Path]:
        location = (action.address, action.size)
        waits = action.part in (Part.AWAIT, Part.BLOCKING_CAS)
        serve: dict[int, int | None] = {}
        readable = self._readable(location, path)
        if action.part is Part.CAS and not self.keeps.compared and self.foreseen is None:
            readable[self._expected(path.state, action.size)] = NOTHING
        for value, why in sorted(readable.items()):
            if waits and not self.machine.satisfied(path.state, value):
                continue
            after = _copy(path)
            self.machine.reply(after.state, value, len(path.steps))
            second = after.state.pending_write
            serve[value] = second.value if second is not None else None
            rests_on = conjunction([path.rests_on, why])
            if not rests_on:
                continue  # contradicts what was read before
            step = _step(action, EventKind.READ, value=value, rmw=second is not None)
            failed = action.part is Part.CAS and second is None
            if failed:
                step = replace(step, mode=self._failure_mode(path.state))
            if action.part is Part.EXCLUSIVE:
                step = replace(step, exclusive=True)
            slots = path.counted() if failed else path.slots
            yield Path(after.state, (*path.steps, step), (*path.why, why), rests_on, slots)
        if waits:
            yield replace(_ended(path, Ending.WAITING, action), waits=Waiting(action, serve), spin=action.spin)

    def _expected(self, state: ThreadState, size: int) -> int:
        """The value with which the compare-exchange here succeeds, whether or not it is known to be written."""
        frame = state.frames[-1]
        instruction = frame.function.code[frame.pc]
        assert isinstance(instruction, ins.Cas)
        return to_unsigned(self.machine.value(frame, instruction.expected), 8 * size)

    def _failure_mode(self, state: ThreadState) -> Mode:
        frame = state.frames[-1]
        instruction = frame.function.code[frame.pc]
        return instruction.failure if isinstance(instruction, ins.Cas) else Mode.RLX

    def _readable(self, location: Location, path: Path) -> dict[int, Alternatives]:
        """The values that a read can return here, each with what it rests on."""
        self.looked[location] = self.pool.changed.get(location, 0)
        thread, initial = path.state.thread, self.machine.initial(*location)
        readable = self.pool.written(location, thread, by_others=True)
        own = [
            (s.value, why)
            for s, why in zip(path.steps, path.why, strict=True)
            if s.kind is EventKind.WRITE and s.location == location
        ]
        if not self.keeps.own:
            for value, why in (*self.pool.written(location, thread, by_others=False).items(), *own):
                readable[value] = smallest((*readable.get(value, ()), *why))
        if own:
            value, why = own[-1]
            readable[value] = smallest((*readable.get(value, ()), *why))
        if not own or not self.keeps.own:
            readable[initial] = NOTHING
        if self.foreseen is not None:
            readable |= dict.fromkeys(self.foreseen.at(location), NOTHING)
        return readable

    # --- writes

    def _write(self, path: Path, action: Action) -> Iterator[Path]:
        pair = len(path.steps) - 1 if action.rmw else action.conditional
        if action.conditional is not None and action.may_fail:
            failed = _copy(path)
            self.machine.reply(failed.state, 0, -1)
            yield replace(failed, slots=path.counted())
        slot = (path.state.thread, path.writer(), path.slots.get(path.writer(), 0))
        fact = frozenset({(slot, (action.address, action.size), action.value)})
        causes = conjunction(path.why[i] for i in self._flow(action))
        why = tuple(facts | fact for facts in causes if not any(s == slot for s, _, _ in facts))
        rests_on = conjunction([path.rests_on, (fact,)]) if why else ()
        if not rests_on:
            return  # it would rest on itself, or on another thread having seen something else here
        steps = path.steps
        if action.conditional is not None:
            reserve = replace(steps[action.conditional], rmw=True)
            steps = (*steps[: action.conditional], reserve, *steps[action.conditional + 1 :])
        step = _step(action, EventKind.WRITE, value=action.value, rmw=pair is not None)
        step = replace(step, pair=pair, exclusive=action.conditional is not None)
        went_on = replace(_copy(path), steps=steps, rests_on=rests_on, slots=path.counted())
        yield self._went_on(went_on, step, 1, why)

    def _flow(self, action: Action) -> Deps:
        """What a write comes of, and so cannot come of it; less where the model does not keep that."""
        flow = action.address_deps | action.data_deps
        if self.foreseen is not None or (action.rmw and not self.keeps.compared):
            return flow
        return flow | action.control_deps

    # --- spawn, join

    def _spawn(self, path: Path, action: Action) -> Path:
        parent = path.state.thread
        key = (parent, sum(s.kind is EventKind.SPAWN for s in path.steps))
        if key not in self.children:
            self.children[key] = len(self.static) + len(self.children)
            self.names[self.children[key]] = f"{action.function}#{self.children[key]}"
        child = self.children[key]
        self.spawned.add(child)
        step = replace(_step(action, EventKind.SPAWN, value=child), function=action.function, args=action.args)
        return self._went_on(path, step, child)

    def _join(self, path: Path, action: Action) -> Iterator[Trace | Path]:
        self.joined = True
        target = action.value
        if target not in self.names or target == path.state.thread:
            message = f"join of thread {target}, which does not exist"
            yield _ended(path, Ending.ERROR, action, error=ErrorKind.BAD_JOIN, message=message)
            return
        for value in sorted(self.pool.results.get(target, set())):
            step = replace(_step(action, EventKind.JOIN, value=value), address=target)
            yield self._went_on(_copy(path), step, value)
        yield replace(_ended(path, Ending.WAITING, action), waits=Waiting(action))


def reached(edges: Mapping[_Node, set[_Node]], *starts: _Node) -> set[_Node]:
    """Where the edges lead from these nodes, themselves included."""
    found, todo = set(starts), list(starts)
    while todo:
        fresh = edges.get(todo.pop(), set()) - found
        found |= fresh
        todo += fresh
    return found


def _copy(path: Path) -> Path:
    return Path(path.state.clone(), path.steps, path.why, path.rests_on, path.slots)


def _sections_closed(path: Path) -> Path:
    """A path of a kernel program that ends before its time, with the ends of the critical sections that it is in:
    nobody's grace period is over before they are. (At a bound they end later, which orders the same events.)"""
    open_: list[int] = []
    for i, s in enumerate(path.steps):
        if s.fence is FenceKind.RCU_LOCK or (s.tag is Tag.SRCU and s.kind is EventKind.READ):
            open_.append(i)
        elif open_ and (s.fence is FenceKind.RCU_UNLOCK or (s.tag is Tag.SRCU and s.kind is EventKind.WRITE)):
            open_.pop()
    ends = tuple(_section_end(path.steps[i], i) for i in reversed(open_))
    return replace(path, steps=(*path.steps, *ends), why=(*path.why, *(NOTHING for _ in ends)))


def _section_end(begin: Step, index: int) -> Step:
    if begin.kind is EventKind.FENCE:
        return replace(begin, fence=FenceKind.RCU_UNLOCK)
    return replace(begin, kind=EventKind.WRITE, data_deps=frozenset({index}))


def _ended(path: Path, ending: Ending, action: Action, *, error: ErrorKind | None = None, message: str = "") -> Trace:
    registers = tuple(path.state.frames[0].values)
    return Trace(path.steps, ending, registers, error=error, message=message, at=action.at, why=path.why)


def _step(action: Action, kind: EventKind, *, value: int, rmw: bool = False) -> Step:
    return Step(
        kind, action.address, action.size, value, action.mode, action.fence, rmw, False, action.at,
        action.address_deps, action.data_deps, action.control_deps, tag=action.tag, address_picks=action.address_picks,
        data_picks=action.data_picks, control_picks=action.control_picks, decided_by=action.decided_by,
    )  # fmt: skip
