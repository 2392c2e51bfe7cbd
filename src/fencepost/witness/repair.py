"""Makes a whole execution of what an engine has when it meets an error.

An engine that commits out of order may find the error while earlier events of some thread are still open: its graph has
holes in program order. Each hole is filled by running the thread again: writes and fences are what the machine says, a
read takes a value with which the model still allows the graph. Events that a thread made after it ran into the error
are cut off, with whatever depends on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from fencepost.execution.execution import DEPENDENCIES, Event, EventKind, Execution, Pair
from fencepost.models.registry import Model
from fencepost.program.interpret import Action, Kind, Machine, Part, ThreadState
from fencepost.program.operands import to_unsigned
from fencepost.program.program import Program
from fencepost.records import dataclass, field, replace
from fencepost.verdict import Witness
from fencepost.witness.relations import Relations
from fencepost.witness.replay import EVENT_KINDS, ReplayError, replay

_MOST = 300  # graphs that are judged before we give up

_Deps = dict[str, set[Pair]]


def repair(witness: Witness, model: Model) -> Witness:
    """The witness itself where nothing is missing, or where nothing helps: then `confirm` says what is wrong."""
    program = witness.program
    if program is None:
        return witness
    try:
        left = [e.id for run in replay(program, witness.execution).runs.values() for e in run.left]
        return _cut(witness, left) if left else witness
    except ReplayError:
        found = islice(_Filler(program, witness.execution).executions(), _MOST)
        whole = next((x for x in found if model.judge(x, all_violations=False).consistent), None)
        if whole is None or len(whole.events) == len(witness.execution.events):
            return witness  # there was no hole
        return repair(replace(witness, execution=whole), model)


def _cut(witness: Witness, left: list[int]) -> Witness:
    """Without these events and what comes after them in (po ∪ rf ∪ spawn)+; numbers are given anew."""
    x = witness.execution
    gone = set(left)
    for e in x.events:
        if gone & Relations(x).causal_past([e.id]):
            gone.add(e.id)
    number = {e.id: i for i, e in enumerate(e for e in x.events if e.id not in gone)}

    def pairs(relation: frozenset[Pair]) -> frozenset[Pair]:
        return frozenset((number[a], number[b]) for a, b in relation if a in number and b in number)

    cut = replace(
        x,
        events=tuple(replace(e, id=number[e.id]) for e in x.events if e.id in number),
        reads_from={number[r]: number[w] for r, w in x.reads_from.items() if r in number},
        coherence={a: tuple(number[w] for w in order if w in number) for a, order in x.coherence.items()},
        rmw=pairs(x.rmw), spawns=pairs(x.spawns),
    ).depending({name: pairs(getattr(x, name)) for name in DEPENDENCIES})  # fmt: skip
    blamed = tuple(number[e] for e in witness.error.events if e in number)
    return replace(witness, execution=cut, error=replace(witness.error, events=blamed))


@dataclass(slots=True)
class _Draft:
    """What is known so far: the events of each thread in order, and what the new ones add."""

    lines: dict[int, list[Event]] = field(default_factory=dict)
    fresh: list[Event] = field(default_factory=list)
    reads_from: dict[int, int] = field(default_factory=dict)
    rmw: set[Pair] = field(default_factory=set)
    deps: _Deps = field(default_factory=lambda: {"address": set(), "data": set(), "control": set()})

    def clone(self) -> _Draft:
        return _Draft({t: line[:] for t, line in self.lines.items()}, self.fresh[:], dict(self.reads_from),
                      set(self.rmw), {k: set(v) for k, v in self.deps.items()})  # fmt: skip


class _Filler:
    def __init__(self, program: Program, execution: Execution) -> None:
        self.machine, self.x = Machine(program), execution
        self.begin = {a: b for a, b in execution.spawns if execution.events[a].kind is EventKind.SPAWN}
        self.static = len(program.threads)

    def executions(self) -> Iterator[Execution]:
        """Candidates with every hole filled, the likely ones first."""
        states = {t: self.machine.start(t) for t in range(self.static)}
        for draft in self.threads(sorted(states), states, _Draft()):
            yield self.execution(draft)

    def threads(self, todo: list[int], states: dict[int, ThreadState], draft: _Draft) -> Iterator[_Draft]:
        if not todo:
            yield draft
            return
        first, rest = todo[0], todo[1:]
        for spawned, done in self.thread(first, states[first].clone(), 0, draft, {}):
            yield from self.threads([*rest, *sorted(spawned)], states | spawned, done)

    def thread(
        self, t: int, state: ThreadState, at: int, draft: _Draft, spawned: dict[int, ThreadState]
    ) -> Iterator[tuple[dict[int, ThreadState], _Draft]]:
        """Runs a thread along its events from number `at`; yields once per way to fill its holes."""
        draft, spawned, events = draft.clone(), dict(spawned), self.x.thread_events(t)
        line = draft.lines.setdefault(t, [])
        while True:
            action = self.machine.run(state)
            if action.kind is Kind.MALLOC and (at == len(events) or events[at].kind is not EventKind.MALLOC):
                self.machine.reply(state)
                continue
            if at == len(events) or action.kind in (Kind.END, Kind.BLOCK, Kind.ERROR):
                line += events[at:]  # what comes after an error is for `_cut`
                if at == len(events) or action.kind is Kind.ERROR:
                    yield spawned, draft
                return
            event = events[at]
            if _same(action, event):
                at += 1
                self.depend(draft, action, event.id)
                self.machine.reply(state, self.answer(action, event, spawned), event.id)
                line.append(event)
            elif action.kind in (Kind.WRITE, Kind.FENCE):
                new = self.add(draft, t, action, action.value)
                self.machine.reply(state, 1, new.id)
            else:
                yield from self.read(t, state, at, draft, spawned, action)
                return

    def read(
        self, t: int, state: ThreadState, at: int, draft: _Draft, spawned: dict[int, ThreadState], action: Action
    ) -> Iterator[tuple[dict[int, ThreadState], _Draft]]:
        if action.kind is not Kind.READ:
            return
        for source in self.sources(t, action, draft):
            if not self.machine.satisfied(state, source.value):
                continue
            tried, copy = draft.clone(), state.clone()
            new = self.add(tried, t, action, source.value)
            tried.reads_from[new.id] = source.id
            self.machine.reply(copy, source.value, new.id)
            yield from self.thread(t, copy, at, tried, spawned)

    def sources(self, t: int, action: Action, draft: _Draft) -> list[Event]:
        """The thread's own last write first, then the newest ones."""
        same = [e for e in (*self.x.events, *draft.fresh) if e.is_write and (e.address, e.size) == _place(action)]
        own = [e for e in draft.lines[t] if e in same]
        return list(dict.fromkeys([*own[-1:], *reversed(same)]))

    def answer(self, action: Action, event: Event, spawned: dict[int, ThreadState]) -> int:
        if action.kind is Kind.SPAWN:
            child = self.x.events[self.begin[event.id]].thread if event.id in self.begin else event.value
            spawned[child] = self.machine.start_function(child, action.function, action.args)
            return child
        return 1 if action.conditional is not None else to_unsigned(event.value)

    def add(self, draft: _Draft, t: int, action: Action, value: int) -> Event:
        number = len(self.x.events) + len(draft.fresh)
        half = action.rmw or action.part in (Part.RMW, Part.BLOCKING_CAS)
        new = Event(
            number, t, 0, EVENT_KINDS[action.kind], action.address, action.size, value, action.mode, action.fence, half,
            action.part is Part.EXCLUSIVE or action.conditional is not None, action.at,
        )  # fmt: skip
        if action.rmw:
            draft.rmw.add((draft.lines[t][-1].id, number))
        self.depend(draft, action, number)
        draft.fresh.append(new)
        draft.lines[t].append(new)
        return new

    @staticmethod
    def depend(draft: _Draft, action: Action, number: int) -> None:
        for name, found in draft.deps.items():
            found |= {(d, number) for d in getattr(action, f"{name}_deps")}

    def execution(self, draft: _Draft) -> Execution:
        index = {e.id: i for line in draft.lines.values() for i, e in enumerate(line)}
        events = tuple(replace(e, index=index.get(e.id, e.index)) for e in (*self.x.events, *draft.fresh))
        return replace(
            self.x,
            events=events,
            reads_from={**self.x.reads_from, **draft.reads_from},
            coherence=self.coherence(draft),
            rmw=self.x.rmw | draft.rmw,
            address_deps=self.x.address_deps | draft.deps["address"],
            data_deps=self.x.data_deps | draft.deps["data"],
            control_deps=self.x.control_deps | draft.deps["control"],
        )

    def coherence(self, draft: _Draft) -> dict[int, tuple[int, ...]]:
        """New writes come last, or before the next write of their own thread to the location."""
        orders = {a: list(order) for a, order in self.x.coherence.items()}
        for line in draft.lines.values():
            for i, e in enumerate(line):
                if e in draft.fresh and e.is_write:
                    order = orders.setdefault(e.address, [])
                    later = [order.index(f.id) for f in line[i + 1 :] if f.id in order]
                    order.insert(min(later, default=len(order)), e.id)
        return {a: tuple(order) for a, order in orders.items()}


def _place(action: Action) -> Pair:
    return action.address, action.size


def _same(action: Action, event: Event) -> bool:
    if EVENT_KINDS.get(action.kind) is not event.kind or action.at != event.at:
        return False
    if action.kind is Kind.WRITE and action.value != to_unsigned(event.value, 8 * event.size):
        return False
    return action.kind not in (Kind.READ, Kind.WRITE) or _place(action) == (event.address, event.size)
