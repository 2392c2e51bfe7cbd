"""Everything that the operational POWER machine reaches within K contexts, for small programs.

A context is a run of steps of one process. `search` with `literal=True` takes every step of Fig. 7 one by one. By
default steps that nobody else can notice and that only ever enable others are taken at once: all of a process is
fetched when it is first active; assigns, conditionals, isyncs and the commits of reads happen as soon as they can, and
writes are initialised as soon as they can. A test holds the two equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field

from fencepost.bounded.power_machine import Label, PowerMachine, Process, State, Status
from fencepost.bounded.power_paths import SENT, End, Trail, What
from fencepost.errors import UnsupportedError
from fencepost.program.condition import FinalMemory, FinalRegister
from fencepost.program.operands import to_signed, to_unsigned
from fencepost.program.program import Program
from fencepost.records import dataclass

Outcome = frozenset[tuple[str, int]]
MAX_STATES = 2_000_000


@dataclass(slots=True)
class Reached:
    """The least number of contexts for each failing assertion (process, index of the instruction) and for each outcome
    of the observations in runs that end."""

    errors: dict[tuple[int, int], int] = field(default_factory=dict)
    outcomes: dict[Outcome, int] = field(default_factory=dict)
    states: int = 0


def search(
    program: Program, contexts: int, *, literal: bool = False, max_states: int = MAX_STATES, overtaking: bool = True
) -> Reached:
    """All complete runs of at most `contexts` contexts."""
    return _Search(PowerMachine(program, overtaking=overtaking), contexts, literal, max_states).run()


class _Search:
    def __init__(self, machine: PowerMachine, contexts: int, literal: bool, max_states: int) -> None:
        self.machine, program = machine, machine.program
        self.contexts, self.literal, self.max_states = contexts, literal, max_states
        self.reached = Reached()
        self.cuts = literal or any(i.mnemonic in ("assert", "fail") for f in program.functions for i in f.code)
        self.judged: set[State] = set()

    def run(self) -> Reached:
        processes = range(self.machine.count)
        seen: list[set[State]] = [set() for _ in processes]
        frontier = {self.machine.initial()}
        for k in range(1, self.contexts + 1):
            after: set[State] = set()
            for p in processes:
                after |= self.context(frontier - seen[p], p, seen[p], k)
            frontier = after
        self.reached.states = len(self.judged)
        return self.reached

    def context(self, start: set[State], p: int, seen: set[State], k: int) -> set[State]:
        """What process p makes of these states in one context."""
        todo, found = list(start), set[State]()
        while todo:
            state = todo.pop()
            if state in seen:
                continue
            seen.add(state)
            for after in self.moves(state, p):
                if after not in seen:
                    found.add(after)
                    todo.append(after)
                self.judge(after, k)
        return found

    def moves(self, state: State, p: int) -> Iterator[State]:
        machine = self.machine
        if self.literal:
            yield from (after for _, after in machine.steps(state, p))
            return
        if not state.processes[p].trail:
            for trail in self.trails(p):
                n = len(trail)
                fetched = Process(trail, (Status.FETCH,) * n, (None,) * n, (None,) * n)
                processes = (*state.processes[:p], fetched, *state.processes[p + 1 :])
                settled = settle(machine, state._replace(processes=processes), p)
                if settled is not None:
                    yield settled
            return
        for n in range(len(state.processes[p].trail)):
            rules = (machine.initialisations, machine.commits, machine.propagations)
            for _, after in (step for rule in rules for step in rule(state, p, n)):
                settled = settle(machine, after, p)
                if settled is not None:
                    yield settled

    def trails(self, p: int) -> Iterator[Trail]:
        """Every path of p to its end, and every cut of it right before something that others can notice."""
        paths = self.machine.paths[p]
        todo: list[Trail] = [()]
        while todo:
            trail = todo.pop()
            path = paths.path(trail)
            if path.next_pc is None:
                if trail:
                    yield trail
                continue
            grown = list(paths.successors(trail))
            next_up = paths.path(grown[0]).events[-1].what
            noticed = next_up is What.WRITE or next_up in SENT
            if self.cuts and trail and noticed:
                yield trail
            todo += grown

    def judge(self, state: State, k: int) -> None:
        if state in self.judged:
            return
        self.judged.add(state)
        if len(self.judged) > self.max_states:
            raise UnsupportedError(f"more than {self.max_states} states within {k} contexts")
        machine = self.machine
        if not machine.complete(state):
            return
        for p in range(machine.count):
            path = machine.path(state, p)
            if path.end is End.FAILED:
                self.reached.errors.setdefault((p, path.events[-1].pc), k)
        if all(machine.path(state, p).end is End.DONE for p in range(machine.count)):
            self.reached.outcomes.setdefault(outcome_of(machine, state), k)


def settle(machine: PowerMachine, state: State, p: int, note: Callable[[Label], None] = lambda _: None) -> State | None:
    """Takes every step of p that nobody else can notice. None where p has made a guess that is wrong for good."""
    n = 0
    while n < len(state.processes[p].trail):
        event, status = machine.path(state, p).events[n], state.processes[p].status[n]
        taken: list[tuple[Label, State]] = []
        if event.what in (What.ASSIGN, What.WRITE) and status is Status.FETCH:
            taken = list(machine.initialisations(state, p, n))
        elif event.what in (What.ASSIGN, What.ACI, What.ISYNC, What.READ) and status is not Status.COM:
            taken = list(machine.commits(state, p, n))
        if not taken:
            if _hopeless(machine, state, p, n):
                return None
            n += 1
            continue
        note(taken[0][0])
        state, n = taken[0][1], 0
    return state


def _hopeless(machine: PowerMachine, state: State, p: int, n: int) -> bool:
    """A conditional whose guess is known to be wrong, or a read that is known to be too old."""
    event, status = machine.path(state, p).events[n], state.processes[p].status[n]
    if event.what is What.ACI and status is Status.FETCH:
        return machine.valid_cnd(state, p, n) is False
    if event.what is What.READ and status is Status.INIT:
        return machine.com_cnd(state, p, n) and not machine.rd_cnd(state, p, n)
    return False


def outcome_of(machine: PowerMachine, state: State) -> Outcome:
    """The observed values in a complete configuration, in the reading of their observations."""
    found: list[tuple[str, int]] = []
    names = [t.name for t in machine.program.threads]
    for o in machine.program.observations:
        match o.what:
            case FinalRegister(thread, register):
                p = names.index(thread)
                value = machine.final_register(state, p, machine.paths[p].function.registers.index(register))
            case FinalMemory(name, offset, size):
                value = machine.final_value(state, machine.layout.globals[name] + offset, size)
        found.append((o.name, to_signed(value, o.width) if o.signed else to_unsigned(value, o.width)))
    return frozenset(found)
