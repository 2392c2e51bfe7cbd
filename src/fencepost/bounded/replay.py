"""From the solver's model back to a run of the operational machine.

The model gives, for every event, the contexts of its steps. The translated program is executed on the guesses to learn
what each load read; each process is executed on these values to learn its path; then the POWER machine takes exactly
the steps that were guessed, context by context. If it cannot, or if the violation is not there, we are wrong somewhere:
that is an InternalError, never a verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TypeVar

from fencepost.bounded.power_machine import Label, PowerMachine, State, Status, Write
from fencepost.bounded.power_paths import SENT, End, Trail, What
from fencepost.bounded.power_search import settle
from fencepost.bounded.process import NEVER
from fencepost.bounded.straight import Straight
from fencepost.bounded.translate import Translated
from fencepost.bounded.views import Schedule
from fencepost.errors import InternalError
from fencepost.program import instructions as ins
from fencepost.program.arithmetic import compute
from fencepost.program.instructions import Instruction
from fencepost.program.operands import Const, Operand, Reg, to_signed, to_unsigned
from fencepost.program.program import Program
from fencepost.records import dataclass

Mark = TypeVar("Mark")
Guesses = Mapping[int, int]  # by the index of the Choose in the translated program


@dataclass(slots=True)
class Plan:
    """The contexts of the steps: reads initialised, writes committed, writes and fences propagated."""

    schedule: Schedule
    steps: dict[tuple[object, ...], int] = field(default_factory=dict)
    results: dict[tuple[int, int], int] = field(default_factory=dict)  # what each load read; the stamp of each store
    stops: set[tuple[int, int]] = field(default_factory=set)
    choices: dict[tuple[int, int], int] = field(default_factory=dict)
    idle: set[int] = field(default_factory=set)

    def context(self, p: int, *step: object) -> int:
        """The context of a step; a process that is active once has no choice."""
        mine = [k for k, q in enumerate(self.schedule, start=1) if q == p]
        return self.steps.get((*step[:1], p, *step[1:]), mine[0])


@dataclass(frozen=True, slots=True)
class Run:
    """A complete run of the machine: its steps, each with its context, and the configuration that it ends in."""

    machine: PowerMachine
    steps: tuple[tuple[int, Label], ...]
    state: State
    plan: Plan
    returned: dict[int, int]  # by process

    @property
    def schedule(self) -> Schedule:
        return self.plan.schedule


def plan_of(translated: Translated, guesses: Guesses) -> Plan:
    schedule = translated.schedule or _guessed_schedule(translated, guesses)
    plan = Plan(schedule, results=execute(translated.program, translated.results, guesses))
    for index, value in guesses.items():
        match translated.choices[index]:
            case ("read" | "commit" as step, int(p), int(pc), _):
                plan.steps[step, p, pc] = _context(translated, p, value)
            case ("propagate", int(p), int(pc), _, int(q)) if value != NEVER:
                plan.steps["propagate", p, pc, q] = _context(translated, p, value)
            case ("propagate", int(p), int(pc), _, int(q)):
                plan.steps["propagate", p, pc, q] = NEVER
            case ("fence", int(p), int(pc), int(q)):
                plan.steps["propagate", p, pc, q] = _context(translated, p, value)
            case ("goes on", int(p), int(pc)) if not value:
                plan.stops.add((p, pc))
            case ("choice" | "succeeds", int(p), int(pc)):
                plan.choices[p, pc] = value
            case ("runs", int(p)) if not value:
                plan.idle.add(p)
    return plan


def _guessed_schedule(translated: Translated, guesses: Guesses) -> Schedule:
    active = {what[1]: guesses[index] for index, what in translated.choices.items() if what[0] == "active"}
    if not active:  # one process only: there was nothing to guess
        return (0,)
    return tuple(active[k] for k in sorted(active, key=lambda k: int(str(k))))


def _context(translated: Translated, p: int, number: int) -> int:
    """The context that is the `number`-th of process p."""
    if translated.schedule is None:
        return number
    return [k for k, q in enumerate(translated.schedule, start=1) if q == p][number - 1]


def execute(program: Program, marks: Mapping[int, Mark], guesses: Guesses) -> dict[Mark, int]:
    """Runs a translated program on the guesses, and notes what the marked instructions leave in their registers: what
    each load read, the stamp of each store."""
    function = program.functions[0]
    registers = [0] * len(function.registers)
    found: dict[Mark, int] = {}

    def value(operand: Operand) -> int:
        return registers[operand.index] if isinstance(operand, Reg) else to_unsigned(_number(operand))

    pc = 0
    while True:
        i = function.code[pc]
        match i:
            case ins.Compute():
                registers[i.dst.index] = compute(i.op, i.width, tuple(value(a) for a in i.args))
                if pc in marks:
                    found[marks[pc]] = registers[i.dst.index]
            case ins.Choose():
                registers[i.dst.index] = to_unsigned(guesses[pc])
            case ins.Assume() if not value(i.condition):
                raise InternalError(f"the solver's model violates an assumption of the translation (instruction {pc})")
            case ins.Jump():
                pc = i.target
                continue
            case ins.Branch():
                pc = i.then if value(i.condition) else i.otherwise
                continue
            case ins.Fail():
                return found
            case ins.Return():
                raise InternalError("the solver's model does not reach the failure of the translation")
        pc += 1


def _number(operand: Operand) -> int:
    assert isinstance(operand, Const), "a translated program should have registers and constants only"
    return operand.value


@dataclass(frozen=True, slots=True)
class Taken:
    """An instruction on the path of a process. `guess`: which way a conditional went, what was chosen, whether a
    store-conditional succeeds. `address` of an access; `value`: what is read, stored or returned."""

    pc: int
    instruction: Instruction
    guess: int = 0
    address: int = 0
    value: int | None = None


def steps_of(straight: Straight, p: int, plan: Plan, registers: list[int] | None = None) -> Iterator[Taken]:
    """The path that process p takes with the values that its loads read, up to where it ends, stops or fails;
    `registers` are left as they are then."""
    function, layout = straight.program.functions[p], straight.ranges.layout
    registers = registers if registers is not None else [0] * len(function.registers)

    def value(operand: Operand) -> int:
        return registers[operand.index] if isinstance(operand, Reg) else layout.value(operand)

    pc = 0
    while (p, pc) not in plan.stops:
        i = function.code[pc]
        guess, after, address, held = 0, pc + 1, 0, None
        match i:
            case ins.Return():
                yield Taken(pc, i, value=None if i.value is None else value(i.value))
                return
            case ins.Compute():
                registers[i.dst.index] = compute(i.op, i.width, tuple(value(a) for a in i.args))
            case ins.Load():
                address, held = value(i.address), plan.results[p, pc]
                registers[i.dst.index] = held
            case ins.Store():
                address, held = value(i.address), to_unsigned(value(i.value), 8 * i.size)
            case ins.Choose():
                guess = plan.choices.get((p, pc), to_signed(value(i.low)))
                registers[i.dst.index] = to_unsigned(guess)
            case ins.StoreConditional():
                address, held = value(i.address), to_unsigned(value(i.value), 8 * i.size)
                guess = plan.choices.get((p, pc), 1)
                registers[i.dst.index] = guess
            case ins.Jump():
                pc = i.target
                continue
            case ins.Branch():
                guess = int(value(i.condition) != 0)
                after = i.then if guess else i.otherwise
            case ins.Switch():
                cases = [value(c) for c in i.cases]
                guess = cases.index(value(i.value)) if value(i.value) in cases else len(cases)
                after = i.targets[guess] if guess < len(cases) else i.default
            case ins.Assume() | ins.Assert():
                guess = int(value(i.condition) != 0)
        yield Taken(pc, i, guess, address, held)
        if isinstance(i, ins.Fail) or (isinstance(i, ins.Assume | ins.Assert) and not guess):
            return
        pc = after


def replay(straight: Straight, plan: Plan) -> Run:
    """The run of the machine that the plan describes. Raises InternalError where there is none."""
    return _Replay(straight, plan).run()


class _Replay:
    def __init__(self, straight: Straight, plan: Plan) -> None:
        self.plan, self.straight = plan, straight
        self.machine = PowerMachine(straight.program, straight.processes.memory)
        self.steps: list[tuple[int, Label]] = []
        self.state = self.machine.initial()
        self.returned: dict[int, int] = {}

    def run(self) -> Run:
        for k, p in enumerate(self.plan.schedule, start=1):
            if p in self.plan.idle:
                continue
            if not self.state.processes[p].trail:
                self._fetch(k, p)
            self._context(k, p)
        if not self.machine.complete(self.state):
            raise InternalError(f"the run that the solver found is not complete in the POWER machine: {self._left()}")
        return Run(self.machine, tuple(self.steps), self.state, self.plan, self.returned)

    def _left(self) -> str:
        waiting = [
            f"process {p}, event {n} ({path.events[n].instruction.mnemonic})"
            for p, process in enumerate(self.state.processes)
            for path in (self.machine.path(self.state, p),)
            for n, status in enumerate(process.status)
            if status is not Status.COM
        ]
        return "; ".join(waiting) or "a write or a fence is not propagated"

    def _take(self, k: int, step: tuple[Label, State]) -> None:
        self.steps.append((k, step[0]))
        self.state = step[1]

    def _fetch(self, k: int, p: int) -> None:
        for trail in _prefixes(self._trail(p)):
            step = next((s for s in self.machine.fetches(self.state, p) if s[1].processes[p].trail == trail), None)
            if step is None:
                raise InternalError(f"process {p} cannot fetch what the translation executed")
            self._take(k, step)

    def _trail(self, p: int) -> Trail:
        """The path that process p takes with the values that its loads read."""
        steps = [*steps_of(self.straight, p, self.plan)]
        if steps and isinstance(steps[-1].instruction, ins.Return):
            last = steps.pop()
            if last.value is not None:
                self.returned[p] = last.value
        return tuple((s.pc, s.guess) for s in steps)

    def _context(self, k: int, p: int) -> None:
        """Everything that is planned for this context, in program order, until nothing is left to do."""
        moved = True
        while moved:
            self._settle(k, p)
            moved = False
            for n in range(len(self.state.processes[p].trail)):
                step = self._due(k, p, n)
                if step is not None:
                    self._take(k, step)
                    self._settle(k, p)
                    moved = True

    def _settle(self, k: int, p: int) -> None:
        settled = settle(self.machine, self.state, p, lambda label: self.steps.append((k, label)))
        if settled is None:
            raise InternalError(f"process {p} reads something else in the POWER machine than in the translation")
        self.state = settled

    def _due(self, k: int, p: int, n: int) -> tuple[Label, State] | None:
        event, plan = self.machine.path(self.state, p).events[n], self.plan
        machine, state = self.machine, self.state
        found: list[tuple[Label, State]] = []
        if event.what is What.READ and plan.context(p, "read", event.pc) == k:
            found = list(machine.initialisations(state, p, n))
        if event.what is What.WRITE and plan.context(p, "commit", event.pc) == k:
            found += [step for step in machine.commits(state, p, n) if self._in_place(step[0])]
        if event.what in SENT:
            found += machine.commits(state, p, n)
        for label, after in machine.propagations(state, p, n):
            if plan.context(p, "propagate", event.pc, label.target) == k:
                found.append((label, after))
        return found[0] if found else None

    def _in_place(self, label: Label) -> bool:
        """Whether a write gets the place in coherence order that its stamp says."""
        own = self._stamp((label.process, label.event))
        address = self.machine.address_of(self.state, (label.process, label.event))
        earlier = [w for w in self.machine.writes(self.state, address) if self._stamp(w) < own]
        return label.after == (earlier[-1] if earlier else (-1, address))

    def _stamp(self, write: Write) -> int:
        p, n = write
        return self.plan.results[p, self.machine.path(self.state, p).events[n].pc]


def _prefixes(trail: Trail) -> list[Trail]:
    return [trail[:n] for n in range(1, len(trail) + 1)]


def failed_process(run: Run) -> int | None:
    """The process whose assertion failed in a run."""
    for p in range(run.machine.count):
        if run.machine.path(run.state, p).end is End.FAILED:
            return p
    return None
