"""The same execution under other orders and fences.

A graph that was found for one assignment is asked about for another: the program of that other assignment is run again,
each read answered with the value that the n-th access of its thread has in the graph. Modes, fences and dependencies
are what the machine says; reads-from, coherence and the halves of read-modify-writes stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fencepost.execution.execution import DEPENDENCIES, Event, EventKind, Execution, Pair
from fencepost.program.instructions import Cas, Mode
from fencepost.program.interpret import Action, Kind, Machine, Part, ThreadState
from fencepost.program.operands import to_unsigned
from fencepost.program.program import Program
from fencepost.records import dataclass, replace
from fencepost.witness.replay import EVENT_KINDS

_STOPS = (Kind.ERROR, Kind.BLOCK, Kind.END)


@dataclass(frozen=True, slots=True)
class Refitted:
    """The execution, and the new number of each old event that is no fence."""

    execution: Execution
    number: Mapping[int, int]


class _PartsWaysError(Exception):
    """The program does something else with these values."""


def refit(program: Program, x: Execution) -> Refitted | None:
    """The execution that `program` has with the reads of `x`; None where it parts ways with it."""
    try:
        return _Refit(program, x).run()
    except _PartsWaysError:
        return None


class _Refit:
    def __init__(self, program: Program, x: Execution) -> None:
        self.machine, self.x = Machine(program), x
        kept = [e for e in x.events if e.kind is not EventKind.FENCE]
        self.number = {e.id: n for n, e in enumerate(kept)}
        self.events = [replace(e, id=n) for n, e in enumerate(kept)]
        self.fences: list[Event] = []
        self.deps: dict[str, set[Pair]] = {name: set() for name in DEPENDENCIES}
        self.children = {self.number[a]: b for a, b in x.spawns if x.events[a].kind is EventKind.SPAWN}
        self.lines: dict[int, list[Event]] = {}
        for e in sorted(self.events, key=lambda e: e.index):
            self.lines.setdefault(e.thread, []).append(e)
        self.states = {t: self.machine.start(t) for t in range(len(program.threads))}
        self.position: dict[int, int] = {}
        self.index: dict[int, int] = {}
        self.results: dict[int, int] = {}

    def pairs(self, relation: Iterable[Pair]) -> frozenset[Pair]:
        return frozenset((self.number[a], self.number[b]) for a, b in relation)

    def run(self) -> Refitted:
        todo = list(self.states)
        waited = 0
        while todo:
            thread = todo.pop(0)
            if self.thread(thread, todo):
                waited = 0
            else:  # it waits in a join
                todo.append(thread)
                waited += 1
                if waited > len(todo):
                    raise _PartsWaysError
        x = replace(
            self.x,
            events=(*self.events, *self.fences),
            reads_from={self.number[r]: self.number[w] for r, w in self.x.reads_from.items()},
            coherence={a: tuple(self.number[w] for w in order) for a, order in self.x.coherence.items()},
            rmw=self.pairs(self.x.rmw), spawns=self.spawns(),
        )  # fmt: skip
        return Refitted(x.depending(self.deps), self.number)

    def spawns(self) -> frozenset[Pair]:
        """A thread begins with its first event and ends with its last, which may be fences."""
        ends: dict[int, list[Event]] = {}
        for e in sorted((*self.events, *self.fences), key=lambda e: e.index):
            ends.setdefault(e.thread, []).append(e)
        return frozenset((self.end_of(a, ends, -1), self.end_of(b, ends, 0)) for a, b in self.x.spawns)

    def end_of(self, event: int, ends: dict[int, list[Event]], which: int) -> int:
        """What stands for an end of such a pair: a SPAWN or JOIN for itself, else the end of its thread."""
        e = self.x.events[event]
        if e.kind in (EventKind.SPAWN, EventKind.JOIN):
            return self.number[event]
        line = ends.get(e.thread)
        if line is None:
            raise _PartsWaysError
        return line[which].id

    def thread(self, t: int, todo: list[int]) -> bool:
        """Runs a thread along its events; false where it has to wait for another one."""
        state, line = self.states[t], self.lines.get(t, [])
        while True:
            at = self.position.setdefault(t, 0)
            if at < len(line) and line[at].kind is EventKind.BEGIN:
                self.place(t, line[at])
                continue
            action = self.machine.run(state)
            if action.kind is Kind.FENCE:
                self.fence(t, state, action)
            elif action.kind in _STOPS or at == len(line):
                self.end(t, line, action)
                return True
            elif action.kind is Kind.MALLOC and line[at].kind is not EventKind.MALLOC:
                self.machine.reply(state)
            elif action.conditional is not None and not (line[at].is_write and line[at].exclusive):
                self.machine.reply(state, 0)  # a store-conditional that failed leaves no event
            elif action.kind is Kind.JOIN and action.value not in self.results:
                return False
            else:
                self.answer(t, state, action, line[at], todo)

    def fence(self, t: int, state: ThreadState, action: Action) -> None:
        number = len(self.events) + len(self.fences)
        index = self.index.get(t, 0)
        self.fences.append(Event(number, t, index, EventKind.FENCE, fence=action.fence, at=action.at))
        self.index[t] = index + 1
        self.depend(action, number)
        self.machine.reply(state, 0, number)

    def end(self, t: int, line: list[Event], action: Action) -> None:
        at = self.position[t]
        if action.kind is Kind.END and at < len(line) and line[at].kind is EventKind.END:
            self.place(t, line[at])
        if self.position[t] < len(line):
            raise _PartsWaysError
        self.results[t] = action.value

    def answer(self, t: int, state: ThreadState, action: Action, e: Event, todo: list[int]) -> None:
        if EVENT_KINDS.get(action.kind) is not e.kind:
            raise _PartsWaysError
        if action.kind in (Kind.READ, Kind.WRITE) and (action.address, action.size) != (e.address, e.size):
            raise _PartsWaysError
        if action.kind is Kind.WRITE and action.value != to_unsigned(e.value, 8 * e.size):
            raise _PartsWaysError
        self.place(t, replace(e, mode=self.mode(state, action, e)) if e.is_access else e)
        self.depend(action, e.id)
        self.machine.reply(state, self.value(action, e, todo), e.id)

    def mode(self, state: ThreadState, action: Action, e: Event) -> Mode:
        if action.kind is Kind.READ and action.part is Part.CAS and not e.rmw:
            frame = state.frames[-1]
            cas = frame.function.code[frame.pc]
            assert isinstance(cas, Cas), cas
            return cas.failure
        return action.mode

    def value(self, action: Action, e: Event, todo: list[int]) -> int:
        match action.kind:
            case Kind.READ:
                return to_unsigned(e.value, 8 * e.size)
            case Kind.WRITE:
                return int(action.conditional is not None)
            case Kind.CHOOSE:
                return to_unsigned(e.value)
            case Kind.SPAWN:
                return self.spawn(action, e, todo)
            case Kind.JOIN:
                return self.results[action.value]
        return 0

    def spawn(self, action: Action, e: Event, todo: list[int]) -> int:
        begin = self.children.get(e.id)
        joins = begin is not None and self.x.events[begin].kind is EventKind.JOIN  # of a thread that did nothing
        child = self.x.events[begin].thread if begin is not None and not joins else e.value
        self.states[child] = self.machine.start_function(child, action.function, action.args)
        todo.append(child)
        return child

    def place(self, t: int, e: Event) -> None:
        index = self.index.get(t, 0)
        self.events[e.id] = replace(e, index=index)
        self.index[t] = index + 1
        self.position[t] = self.position.get(t, 0) + 1

    def depend(self, action: Action, number: int) -> None:
        for name, found in self.deps.items():
            found |= {(source, number) for source in getattr(action, name)}


def differences(x: Execution, y: Execution) -> list[str]:
    """In what two executions differ, however their events are numbered. Dependencies count only where both have any: an
    engine for a model without them does not track them."""
    names = ("events", "reads-from", "coherence", "rmw", "spawns")
    found = [n for n, a, b in zip(names, _shape(x), _shape(y), strict=True) if a != b]
    for name in DEPENDENCIES:
        a, b = _pairs(x, getattr(x, name)), _pairs(y, getattr(y, name))
        if a and b and a != b:
            found.append(name)
    return found


def _key(x: Execution, event: int) -> tuple[int, int]:
    e = x.events[event]
    return (e.thread, e.address) if e.thread < 0 else (e.thread, e.index)


def _pairs(x: Execution, relation: Iterable[Pair]) -> frozenset[tuple[tuple[int, int], tuple[int, int]]]:
    return frozenset((_key(x, a), _key(x, b)) for a, b in relation)


def _shape(x: Execution) -> tuple[object, ...]:
    labels = frozenset(
        (_key(x, e.id), e.kind, e.address, e.size, e.value, e.mode if e.is_access else None, e.fence)
        for e in x.events
        if e.thread >= 0
    )
    orders = frozenset((a, tuple(_key(x, w) for w in order)) for a, order in x.coherence.items() if len(order) > 1)
    return labels, _pairs(x, x.reads_from.items()), orders, _pairs(x, x.rmw), _pairs(x, x.spawns)
