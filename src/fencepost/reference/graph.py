"""Execution graphs while they grow, and the threads that grow them.

An event is named by its thread and its place in program order, so its name survives whatever happens to the rest of the
graph; the initial write of an address is `(-1, address)`. A Graph is never changed: every step copies it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from fencepost.errors import UnsupportedError
from fencepost.execution.execution import DEPENDENCIES, Event, EventKind, Execution
from fencepost.execution.memory import final_value
from fencepost.program.condition import FinalMemory, FinalRegister
from fencepost.program.dependencies import Deps
from fencepost.program.instructions import ErrorKind, FenceKind, Mode
from fencepost.program.interpret import Action, Kind, Machine, Part, ThreadState
from fencepost.program.operands import Position, to_signed, to_unsigned
from fencepost.program.program import Program
from fencepost.records import dataclass

Name = tuple[int, int]
_SHIFT = 32
FLAG = 1 << 60


def number(name: Name) -> int:
    """How the machine's dependencies call an event."""
    return name[0] << _SHIFT | name[1]


def names(deps: Deps) -> frozenset[Name]:
    """The reads that these dependencies come from."""
    return frozenset((d >> _SHIFT, d & (1 << _SHIFT) - 1) for d in deps if d < FLAG)


def flags(deps: Deps) -> frozenset[Name]:
    """The store-conditionals whose success these dependencies come from: no dependency to any model, but to us."""
    return frozenset((d - FLAG >> _SHIFT, d & (1 << _SHIFT) - 1) for d in deps if d >= FLAG)


@dataclass(frozen=True, slots=True)
class Label:
    """What an event is. `value` is what was written, read or chosen. `hidden`: a choice that only this engine makes
    (a store-conditional that fails), not an event of the execution. `stuck`: an await that must wait."""

    kind: EventKind
    address: int = 0
    size: int = 0
    value: int = 0
    mode: Mode = Mode.NA
    fence: FenceKind | None = None
    rmw: bool = False
    exclusive: bool = False
    at: Position | None = None
    address_deps: frozenset[Name] = frozenset()
    data_deps: frozenset[Name] = frozenset()
    control_deps: frozenset[Name] = frozenset()
    address_picks: frozenset[Name] = frozenset()
    data_picks: frozenset[Name] = frozenset()
    control_picks: frozenset[Name] = frozenset()
    low: int = 0  # the canonical choice of a CHOOSE
    hidden: bool = False
    stuck: bool = False
    optional: bool = False  # a write that also has an alternative without it, which is the canonical one

    @property
    def is_read(self) -> bool:
        return self.kind is EventKind.READ

    @property
    def is_write(self) -> bool:
        return self.kind in (EventKind.WRITE, EventKind.INIT)


@dataclass(frozen=True)
class Graph:
    """`labels` is in the order in which events were added: that is `<` of the papers. `states` holds each thread's
    state after each of its events."""

    labels: Mapping[Name, Label]
    rf: Mapping[Name, Name] = field(default_factory=dict)
    co: Mapping[int, tuple[Name, ...]] = field(default_factory=dict)
    pairs: Mapping[Name, Name] = field(default_factory=dict)  # write of a read-modify-write -> its read
    spawns: frozenset[tuple[Name, Name]] = frozenset()
    states: Mapping[Name, ThreadState] = field(default_factory=dict)

    def __contains__(self, name: Name) -> bool:
        return name in self.labels

    def of_thread(self, thread: int) -> list[Name]:
        """In program order."""
        return sorted(n for n in self.labels if n[0] == thread)

    def writes(self, address: int) -> list[Name]:
        return [n for n, e in self.labels.items() if e.is_write and e.address == address]

    def reads(self, address: int) -> list[Name]:
        return [n for n, e in self.labels.items() if e.is_read and e.address == address]

    def with_event(self, name: Name, label: Label, state: ThreadState | None) -> Graph:
        states = {**self.states, name: state} if state is not None else self.states
        return replace(self, labels={**self.labels, name: label}, states=states)

    def place(self, write: Name, after: Name) -> Graph:
        """`write` put into coherence right after another one."""
        address = self.labels[write].address
        order = [w for w in self.co[address] if w != write]
        order.insert(order.index(after) + 1, write)
        return replace(self, co={**self.co, address: tuple(order)})

    def without(self, gone: set[Name]) -> Graph:
        return Graph(
            {n: e for n, e in self.labels.items() if n not in gone},
            {r: w for r, w in self.rf.items() if r not in gone and w not in gone},
            {a: tuple(w for w in ws if w not in gone) for a, ws in self.co.items()},
            {w: r for w, r in self.pairs.items() if w not in gone and r not in gone},
            frozenset((a, b) for a, b in self.spawns if a not in gone and b not in gone),
            {n: s for n, s in self.states.items() if n not in gone},
        )

    def direct(self, name: Name) -> Iterator[Name]:
        """The immediate predecessors of an event in po ∪ rf ∪ spawns (initial writes aside)."""
        if name[0] >= 0:
            earlier = [n for n in self.of_thread(name[0]) if n < name]
            if earlier:
                yield earlier[-1]
        if name in self.rf:
            yield self.rf[name]
        yield from (a for a, b in self.spawns if b == name)

    def prefix(self, name: Name) -> set[Name]:
        """Everything porf-before an event, without the event."""
        found: set[Name] = set()
        todo = list(self.direct(name))
        while todo:
            n = todo.pop()
            if n not in found:
                found.add(n)
                todo += self.direct(n)
        return found | {n for n in self.labels if n[0] < 0}

    def execution(self, threads: tuple[str, ...] = (), outcome: Mapping[str, int] | None = None) -> Execution:
        """The same graph as data, numbered thread by thread."""
        shown = [n for n in sorted(self.labels) if not self.labels[n].hidden]
        ids = {n: i for i, n in enumerate(shown)}
        index: dict[int, int] = {}
        events = []
        for n in shown:
            e, k = self.labels[n], index.get(n[0], 0)
            index[n[0]] = k + 1
            events.append(
                Event(
                    ids[n], n[0], k if n[0] >= 0 else 0, e.kind, e.address, e.size, e.value, e.mode, e.fence, e.rmw,
                    e.exclusive, e.at,
                )
            )  # fmt: skip

        def deps(which: str) -> frozenset[tuple[int, int]]:
            return frozenset((ids[a], ids[n]) for n in shown for a in getattr(self.labels[n], which) if a in ids)

        return Execution(
            tuple(events),
            {ids[r]: ids[w] for r, w in self.rf.items()},
            {a: tuple(ids[w] for w in ws) for a, ws in self.co.items()},
            frozenset((ids[r], ids[w]) for w, r in self.pairs.items()),
            spawns=frozenset((ids[a], ids[b]) for a, b in self.spawns),
            threads=threads,
            outcome=outcome or {},
            blocked={n[0]: e.at for n, e in self.labels.items() if e.stuck},
        ).depending({name: deps(name) for name in DEPENDENCIES})


@dataclass(frozen=True, slots=True)
class Step:
    """The next thing a thread does: its event's name, the action, and the thread's state waiting for the reply."""

    name: Name
    action: Action
    state: ThreadState


class Threads:
    """The threads of a program, run as far as a graph says."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.machine = Machine(program)
        self.names = tuple(t.name for t in program.threads)

    def count(self, graph: Graph) -> int:
        return len(self.program.threads) + sum(1 for a, _ in graph.spawns if graph.labels[a].kind is EventKind.SPAWN)

    def step(self, graph: Graph, thread: int) -> Step | None:
        """The next step of a thread; None where it is stuck at an await."""
        done = graph.of_thread(thread)
        return self.step_after(graph, thread, done[-1] if done else None)

    def step_after(self, graph: Graph, thread: int, last: Name | None) -> Step | None:
        if last is None:
            state = self.machine.start(thread)
        elif graph.labels[last].stuck:
            return None
        else:
            state = graph.states[last].clone()
        action = self.machine.run(state)
        return Step((thread, last[1] + 1 if last else 0), action, state)

    def value(self, graph: Graph, write: Name) -> int:
        return graph.labels[write].value

    def ensure_location(self, graph: Graph, action: Action) -> Graph:
        """The graph with the initial write of the accessed location."""
        address, size = action.address, action.size
        for n, e in graph.labels.items():
            if n[0] < 0 and e.address < address + size and address < e.address + e.size:
                if (e.address, e.size) != (address, size):
                    raise UnsupportedError(f"{action.at}: accesses of different sizes to the same memory")
                return graph
        init = (-1, address)
        label = Label(EventKind.INIT, address, size, self.machine.initial(address, size))
        labels = {init: label, **graph.labels}
        return replace(graph, labels=labels, co={**graph.co, address: (init,)})

    def add_read(self, graph: Graph, step: Step, write: Name) -> Graph:
        """The graph with a READ that reads from `write`."""
        action, value = step.action, graph.labels[write].value
        state = step.state.clone()
        stuck = not self.machine.satisfied(state, value)
        mode = self.machine.read_mode(state, value)
        if not stuck:
            self.machine.reply(state, value, number(step.name))
        label = _access(EventKind.READ, action, value, mode)
        rmw = not stuck and state.pending_write is not None
        label = replace(label, rmw=rmw, exclusive=action.part is Part.EXCLUSIVE, stuck=stuck)
        return replace(graph.with_event(step.name, label, state), rf={**graph.rf, step.name: write})

    def add_write(self, graph: Graph, step: Step) -> Graph:
        """The graph with a WRITE, not yet in coherence."""
        action, state = step.action, step.state.clone()
        self.machine.reply(state, 1, number(step.name))
        exclusive = action.conditional is not None
        label = replace(_access(EventKind.WRITE, action, action.value, action.mode), exclusive=exclusive)
        label = replace(label, rmw=action.rmw or exclusive, optional=exclusive and action.may_fail)
        graph = graph.with_event(step.name, label, state)
        if action.conditional is not None:
            (read,) = names(frozenset({action.conditional}))
            return replace(graph, pairs={**graph.pairs, step.name: read})
        if action.rmw:
            return replace(graph, pairs={**graph.pairs, step.name: (step.name[0], step.name[1] - 1)})
        return graph

    def add_failure(self, graph: Graph, step: Step) -> Graph:
        """The graph in which a store-conditional fails: a hidden choice, and the canonical one, since it is always
        possible."""
        state = step.state.clone()
        self.machine.reply(state, 0, -1)
        return graph.with_event(step.name, self.absent(step), state)

    def absent(self, step: Step) -> Label:
        """The write that does not happen."""
        a = step.action
        return Label(
            EventKind.CHOOSE, a.address, a.size, mode=a.mode, at=a.at, address_deps=names(a.address_deps), hidden=True
        )  # fmt: skip

    def add_choice(self, graph: Graph, step: Step, value: int) -> Graph:
        state = step.state.clone()
        self.machine.reply(state, to_unsigned(value), number(step.name))
        label = Label(EventKind.CHOOSE, value=to_unsigned(value), low=to_unsigned(step.action.value), at=step.action.at)
        return graph.with_event(step.name, label, state)

    def add_other(self, graph: Graph, step: Step) -> Graph | None:
        """The graph with a fence, a spawn or a join; None where a join must wait."""
        action, state = step.action, step.state.clone()
        if action.kind is Kind.FENCE:
            self.machine.reply(state, 0, number(step.name))
            label = Label(
                EventKind.FENCE, fence=action.fence, at=action.at, control_deps=names(action.control_deps)
            )  # fmt: skip
            return graph.with_event(step.name, label, state)
        if action.kind is Kind.SPAWN:
            return self._spawn(graph, step, state)
        if action.kind is Kind.JOIN:
            return self._join(graph, step, state)
        raise UnsupportedError(f"{action.at}: the reference algorithms do not treat {action.kind.value}")

    def _spawn(self, graph: Graph, step: Step, state: ThreadState) -> Graph:
        child = self.count(graph)
        self.machine.reply(state, child, number(step.name))
        graph = graph.with_event(step.name, Label(EventKind.SPAWN, value=child, at=step.action.at), state)
        begin = (child, 0)
        first = self.machine.start_function(child, step.action.function, step.action.args)
        graph = graph.with_event(begin, Label(EventKind.BEGIN, at=step.action.at), first)
        return replace(graph, spawns=graph.spawns | {(step.name, begin)})

    def _join(self, graph: Graph, step: Step, state: ThreadState) -> Graph | None:
        child = graph.of_thread(step.action.value)
        if not child or graph.labels[child[-1]].kind is not EventKind.END:
            return None
        self.machine.reply(state, graph.labels[child[-1]].value, number(step.name))
        graph = graph.with_event(step.name, Label(EventKind.JOIN, value=step.action.value, at=step.action.at), state)
        return replace(graph, spawns=graph.spawns | {(child[-1], step.name)})

    def add_end(self, graph: Graph, step: Step) -> Graph:
        """The END of a spawned thread."""
        label = Label(EventKind.END, value=step.action.value, at=step.action.at)
        if step.action.process:
            raise UnsupportedError(f"{step.action.at}: the reference algorithms do not treat exit() in a thread")
        return graph.with_event(step.name, label, step.state)

    def finish(self, graph: Graph) -> Execution:
        """The execution of a graph whose threads have all ended or stopped, with its outcome."""
        return graph.execution(self.names, self.outcome(graph))

    def outcome(self, graph: Graph) -> dict[str, int]:
        found = {}
        for o in self.program.observations:
            value = self._observe(graph, o.what)
            found[o.name] = to_signed(value, o.width) if o.signed else to_unsigned(value, o.width)
        return found

    def _observe(self, graph: Graph, what: FinalRegister | FinalMemory) -> int:
        if isinstance(what, FinalMemory):
            address = self.machine.layout.globals[what.object] + what.offset
            last = [graph.labels[order[-1]] for order in graph.co.values() if order]
            initial = self.machine.initial(address, what.size)
            return final_value(address, what.size, initial, ((e.address, e.size, e.value) for e in last))
        thread = self.names.index(what.thread)
        step = self.step(graph, thread)
        function = self.machine.functions[self.program.threads[thread].function]
        index = function.registers.index(what.register)
        if step is None or not step.state.final:
            return 0
        return step.state.final[index]


def _access(kind: EventKind, action: Action, value: int, mode: Mode) -> Label:
    return Label(
        kind, action.address, action.size, value, mode, at=action.at, address_deps=names(action.address_deps),
        data_deps=names(action.data_deps) if kind is EventKind.WRITE else frozenset(),
        control_deps=names(action.control_deps), address_picks=names(action.address_picks),
        data_picks=names(action.data_picks) if kind is EventKind.WRITE else frozenset(),
        control_picks=names(action.control_picks),
    )  # fmt: skip


@dataclass
class Exploration:
    """What an exploration found. `duplicates` counts complete graphs that were reached again."""

    complete: list[Execution] = field(default_factory=list)
    blocked: list[Execution] = field(default_factory=list)
    errors: list[tuple[ErrorKind, str, Execution]] = field(default_factory=list)
    seen: set[tuple[object, ...]] = field(default_factory=set)
    duplicates: int = 0

    def report(self, execution: Execution, *, blocked: bool = False) -> None:
        key = execution.canonical()
        if key in self.seen:
            self.duplicates += 1
        self.seen.add(key)
        (self.blocked if blocked else self.complete).append(execution)

    @property
    def settled(self) -> list[Execution]:
        """The blocked executions as the explorer and enumeration count them. A thread that waits looks again and again,
        so that it is stuck only if the coherence-last write does not serve it; which older writes it has seen in vain
        makes no difference. Here the waiting read is an event, so of the graphs that differ in what such reads saw the
        one counts in which all of them saw the last write. It is always consistent: nothing comes after these reads."""
        return [x for x in self.blocked if all(_sees_last(x, t) for t in x.blocked)]


def _sees_last(x: Execution, thread: int) -> bool:
    read = x.thread_events(thread)[-1]
    return x.reads_from[read.id] == x.coherence[read.address][-1]
