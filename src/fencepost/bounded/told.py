"""A run of the machine of messages as a Witness: the execution graph it makes, which the model's own file judges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from fencepost.bounded.ending import Came, run_ending
from fencepost.bounded.messages import Told
from fencepost.bounded.replay import Guesses, Plan, Taken, execute, steps_of
from fencepost.bounded.straight import Straight
from fencepost.errors import InternalError
from fencepost.execution.execution import Event, EventKind, Execution
from fencepost.models.registry import Model
from fencepost.program import instructions as ins
from fencepost.program.condition import FinalRegister, Quantifier, holds
from fencepost.program.instructions import ErrorKind, Mode
from fencepost.program.layout import condition_constants
from fencepost.program.operands import to_signed, to_unsigned
from fencepost.records import dataclass
from fencepost.verdict import ErrorReport, Witness

_Site = tuple[int, int]  # a process and an instruction of it: straight code comes to each once at most


def witness_told(straight: Straight, model: Model, told: Told, guesses: Guesses) -> Witness:
    """The witness. Raises InternalError where the run shows no violation, or where the model forbids it."""
    run = _Run(straight, told, guesses)
    error = run.error()
    execution = run.execution()
    if not model.judge(execution, all_violations=False).consistent:
        raise InternalError(f"the run that the solver found is none under {model.name}")
    return Witness(execution, error, model.name, program=straight.program)


@dataclass(slots=True)
class _Path:
    """What a process did. `end`: its last step."""

    steps: list[Taken]
    registers: list[int]

    @property
    def end(self) -> Taken | None:
        return self.steps[-1] if self.steps else None

    @property
    def ended(self) -> bool:
        return self.end is not None and isinstance(self.end.instruction, ins.Return)

    @property
    def failed(self) -> bool:
        i = None if self.end is None else self.end.instruction
        return isinstance(i, ins.Fail) or (isinstance(i, ins.Assert) and self.end is not None and not self.end.guess)


@dataclass(slots=True)
class _Graph:
    events: list[Event] = field(default_factory=list)
    writes: dict[tuple[int, int], int] = field(default_factory=dict)  # address, place in coherence order -> event
    reads_from: dict[int, tuple[int, int]] = field(default_factory=dict)
    pairs: set[tuple[int, int]] = field(default_factory=set)


class _Run:
    def __init__(self, straight: Straight, told: Told, guesses: Guesses) -> None:
        self.straight, self.program = straight, straight.program
        self.plan = Plan((), results=execute(told.program, told.values, guesses))
        self.places: dict[_Site, int] = execute(told.program, told.places, guesses)
        for index, value in guesses.items():
            match told.choices[index]:
                case ("goes on", int(p), int(pc)) if not value:
                    self.plan.stops.add((p, pc))
                case ("choice" | "succeeds", int(p), int(pc)):
                    self.plan.choices[p, pc] = value
        self.paths = [self._path(p) for p in range(len(self.program.threads))]

    def _path(self, p: int) -> _Path:
        registers = [0] * len(self.program.functions[p].registers)
        return _Path([*steps_of(self.straight, p, self.plan, registers)], registers)

    # --- what went wrong

    def error(self) -> ErrorReport:
        for p, path in enumerate(self.paths):
            if path.failed and path.end is not None:
                i = path.end.instruction
                kind = i.kind if isinstance(i, ins.Assert | ins.Fail) else ErrorKind.ASSERTION
                return ErrorReport(kind, getattr(i, "message", "") or "assertion failed", i.at, p)
        ending = self._ending()
        if ending is not None:
            return ending
        if not all(path.ended for path in self.paths) or not self._is_asked():
            raise InternalError("the run that the solver found does not show what was asked for")
        condition = self.program.condition
        exists = condition is not None and condition.quantifier is Quantifier.EXISTS
        message = "this state is reached" if exists else "the condition does not hold in this state"
        state = " ".join(f"{name}={value};" for name, value in sorted(self.outcome().items()))
        return ErrorReport(ErrorKind.ASSERTION, f"{message}: {state}")

    def _ending(self) -> ErrorReport | None:
        main, end = self.straight.processes.main, len(self.paths)
        returned = {p: path.end.value for p, path in enumerate(self.paths) if path.ended and path.end is not None}
        known = {p: value for p, value in returned.items() if value is not None}
        saved = {pc: value for (p, pc), value in (self.plan.results | self.plan.choices).items() if p == main}
        choices = {pc: value for (p, pc), value in self.plan.choices.items() if p == end}
        came = Came(self.final, [path.ended for path in self.paths], known, saved, choices)
        return run_ending(self.straight, came)

    def _is_asked(self) -> bool:
        condition = self.program.condition
        if condition is None:
            return False
        values, constants = self.outcome(), condition_constants(self.program, self.straight.ranges.layout)
        if condition.filter is not None and not holds(condition.filter, values, constants):
            return False
        return holds(condition.formula, values, constants) is not (condition.quantifier is Quantifier.FORALL)

    # --- what there is in the end

    def final(self, address: int, size: int) -> int:
        last, value = 0, to_unsigned(self.straight.locations.by_address[address].initial, 8 * size)
        for p, path in enumerate(self.paths):
            for step in path.steps:
                if _writes(step) and step.address == address and self.places[p, step.pc] > last:
                    last, value = self.places[p, step.pc], step.value or 0
        return value

    def outcome(self) -> dict[str, int]:
        names = [t.name for t in self.program.threads]
        found: dict[str, int] = {}
        for o in self.program.observations:
            if isinstance(o.what, FinalRegister):
                p = names.index(o.what.thread)
                value = self.paths[p].registers[self.program.functions[p].registers.index(o.what.register)]
            else:
                address = self.straight.ranges.layout.globals[o.what.object] + o.what.offset
                value = self.final(address, o.what.size)
            found[o.name] = to_signed(value, o.width) if o.signed else to_unsigned(value, o.width)
        return found

    # --- the graph

    def execution(self) -> Execution:
        graph = _Graph()
        for cell in self.straight.locations.cells:
            graph.writes[cell.address, 0] = len(graph.events)
            value = to_unsigned(cell.initial, 8 * cell.size)
            graph.events.append(
                Event(len(graph.events), -1, cell.index, EventKind.INIT, cell.address, cell.size, value, Mode.RLX)
            )
        for p, path in enumerate(self.paths):
            self._thread(graph, p, path)
        coherence: dict[int, tuple[int, ...]] = {}
        for (address, _), number in sorted(graph.writes.items()):
            coherence[address] = (*coherence.get(address, ()), number)
        blocked = {
            p: path.end.instruction.at if path.end else None for p, path in enumerate(self.paths) if not path.ended
        }
        return Execution(
            tuple(graph.events), {r: graph.writes[w] for r, w in graph.reads_from.items()}, coherence,
            frozenset(graph.pairs), threads=tuple(t.name for t in self.program.threads),
            outcome={} if blocked else self.outcome(), blocked=blocked,
        )  # fmt: skip

    def _thread(self, graph: _Graph, p: int, path: _Path) -> None:
        halves = dict(_pairs(path.steps))
        successes = {read: write for write, read in halves.items()}
        numbers: dict[int, int] = {}
        for index, (n, step) in enumerate((n, s) for n, s in enumerate(path.steps) if _is_event(s)):
            number = numbers[n] = len(graph.events)
            i = step.instruction
            if isinstance(i, ins.Fence):
                graph.events.append(Event(number, p, index, EventKind.FENCE, fence=i.kind, at=i.at))
                continue
            assert isinstance(i, ins.Load | ins.Store | ins.StoreConditional), "an event should be an access"
            place = step.address, self.places[p, step.pc]
            update = n in halves or n in successes
            mode = _mode(path.steps[successes[n]].instruction) if n in successes else i.mode
            reads = isinstance(i, ins.Load)
            kind = EventKind.READ if reads else EventKind.WRITE
            value = to_unsigned(step.value or 0, 8 * i.size)
            graph.events.append(Event(number, p, index, kind, step.address, i.size, value, mode, rmw=update, at=i.at))
            if reads:
                graph.reads_from[number] = place
            else:
                graph.writes[place] = number
        graph.pairs |= {(numbers[read], numbers[write]) for write, read in halves.items()}


def _mode(i: ins.Instruction) -> Mode:
    assert isinstance(i, ins.StoreConditional), "the second half of an update should be a conditional store"
    return i.mode


def _writes(step: Taken) -> bool:
    i = step.instruction
    return isinstance(i, ins.Store) or (isinstance(i, ins.StoreConditional) and bool(step.guess))


def _is_event(step: Taken) -> bool:
    return isinstance(step.instruction, ins.Load | ins.Fence) or _writes(step)


def _pairs(steps: list[Taken]) -> Iterator[tuple[int, int]]:
    """The store-conditionals that succeed, each with the load that it belongs to."""
    reserve: int | None = None
    for n, step in enumerate(steps):
        i = step.instruction
        if isinstance(i, ins.Load) and i.exclusive:
            reserve = n
        elif isinstance(i, ins.StoreConditional):
            if step.guess and reserve is not None:
                yield n, reserve
            reserve = None
