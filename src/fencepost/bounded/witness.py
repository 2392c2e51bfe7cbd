"""A run of the POWER machine as a Witness: its steps as in Fig. 4 of the paper, and the execution graph it makes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from fencepost.bounded.ending import Came, run_ending
from fencepost.bounded.power_machine import Label, Write
from fencepost.bounded.power_paths import End, Fetched, Path, What
from fencepost.bounded.power_search import outcome_of
from fencepost.bounded.replay import Run, failed_process
from fencepost.bounded.straight import Straight
from fencepost.errors import InternalError
from fencepost.execution.execution import Event, EventKind, Execution, Pair
from fencepost.program import instructions as ins
from fencepost.program.condition import Quantifier, holds
from fencepost.program.instructions import ErrorKind, FenceKind, Mode
from fencepost.program.layout import condition_constants
from fencepost.program.operands import to_signed
from fencepost.program.symbols import demangled
from fencepost.verdict import ErrorReport, Step, Witness

_FENCES = {w: FenceKind(w.value) for w in (What.SYNC, What.LWSYNC, What.ISYNC, What.EIEIO)}


def witness_of(straight: Straight, run: Run) -> Witness:
    """The witness; raises InternalError where the run does not show a violation after all."""
    graph = _Graph(straight, run)
    error = _error(straight, run, graph)
    notes = [f"context {k}: {straight.program.threads[p].name}" for k, p in enumerate(run.schedule, start=1)]
    return Witness(graph.execution(), error, "power", run=tuple(_steps(straight, run, graph)), notes=tuple(notes),
                   program=straight.program)  # fmt: skip


# --- the error


def _error(straight: Straight, run: Run, graph: _Graph) -> ErrorReport:
    p = failed_process(run)
    if p is not None:
        return _assertion(run.machine.path(run.state, p).events[-1], p)
    ending = _run_ending(straight, run)
    if ending is not None:
        return ending
    if not all(run.machine.path(run.state, q).end is End.DONE for q in range(run.machine.count)):
        raise InternalError("the run that the solver found neither fails nor ends")
    if not _condition_met(straight, run):
        raise InternalError("the run that the solver found does not show what was asked for")
    assert straight.program.condition is not None, "a condition should be there to be met"
    exists = straight.program.condition.quantifier is Quantifier.EXISTS
    message = "this state is reached" if exists else "the condition does not hold in this state"
    return ErrorReport(ErrorKind.ASSERTION, f"{message}: {_state(run)}")


def _assertion(event: Fetched, p: int) -> ErrorReport:
    i = event.instruction
    kind = i.kind if isinstance(i, ins.Assert | ins.Fail) else ErrorKind.ASSERTION
    message = getattr(i, "message", "") or "assertion failed"
    return ErrorReport(kind, message, i.at, p)


def _state(run: Run) -> str:
    return " ".join(f"{name}={value};" for name, value in sorted(outcome_of(run.machine, run.state)))


def _condition_met(straight: Straight, run: Run) -> bool:
    condition = straight.program.condition
    if condition is None:
        return False
    values = dict(outcome_of(run.machine, run.state))
    constants = condition_constants(straight.program, run.machine.layout)
    if condition.filter is not None and not holds(condition.filter, values, constants):
        return False
    return holds(condition.formula, values, constants) is not (condition.quantifier is Quantifier.FORALL)


def _run_ending(straight: Straight, run: Run) -> ErrorReport | None:
    """Executes `main` after its threads on what they left; what fails there."""
    machine, state, end, main = run.machine, run.state, run.machine.count, straight.processes.main
    ended = [machine.path(state, p).end is End.DONE for p in range(machine.count)]
    saved = {pc: value for (p, pc), value in (run.plan.results | run.plan.choices).items() if p == main}
    choices = {pc: value for (p, pc), value in run.plan.choices.items() if p == end}
    return run_ending(straight, Came(partial(machine.final_value, state), ended, run.returned, saved, choices))


# --- the graph


class _Graph:
    """Numbers the events of a run that an execution shows: initial writes, reads, writes and fences."""

    def __init__(self, straight: Straight, run: Run) -> None:
        self.straight, self.run, self.machine, self.state = straight, run, run.machine, run.state
        self.paths: list[Path] = [self.machine.path(self.state, p) for p in range(self.machine.count)]
        self.numbers: dict[Write, int] = {}
        self.pairs = {
            ((p, e.reserve), (p, n))
            for p, path in enumerate(self.paths)
            for n, e in enumerate(path.events)
            if e.reserve is not None and e.what is What.WRITE
        }
        self.halves = {half for pair in self.pairs for half in pair}
        self.events: list[Event] = []
        for cell in straight.locations.cells:
            self._add((-1, cell.address), EventKind.INIT, -1, cell.index, cell.address, cell.size, cell.initial)
        for p, path in enumerate(self.paths):
            shown = [n for n, e in enumerate(path.events) if e.what not in (What.ASSIGN, What.ACI)]
            for index, n in enumerate(shown):
                self._event(p, n, index)

    def _add(self, key: Write, kind: EventKind, thread: int, index: int, address: int = 0, size: int = 0,
             value: int = 0, fetched: Fetched | None = None) -> None:  # fmt: skip
        fence = _FENCES.get(fetched.what) if fetched is not None else None
        at = fetched.instruction.at if fetched is not None else None
        self.numbers[key] = len(self.events)
        number = len(self.events)
        self.events.append(
            Event(number, thread, index, kind, address, size, value, Mode.RLX, fence, key in self.halves, at=at)
        )

    def _event(self, p: int, n: int, index: int) -> None:
        fetched, process = self.paths[p].events[n], self.state.processes[p]
        i = fetched.instruction
        if isinstance(i, ins.Load | ins.Store | ins.StoreConditional):
            kind = EventKind.READ if isinstance(i, ins.Load) else EventKind.WRITE
            address = self.machine.variable(process, self.paths[p], n)
            value = process.values[n]
            assert address is not None and value is not None, "a committed access should have address and value"
            self._add((p, n), kind, p, index, address, i.size, value, fetched)
        else:
            self._add((p, n), EventKind.FENCE, p, index, fetched=fetched)

    def execution(self) -> Execution:
        machine, state = self.machine, self.state
        reads_from = {
            self.numbers[p, n]: self.numbers[write]
            for p, process in enumerate(state.processes)
            for n, write in enumerate(process.reads_from)
            if write is not None
        }
        deps = {what: frozenset(self._dependencies(what)) for what in ("address", "data", "control")}
        blocked = {p: path.events[-1].instruction.at if path.events else None
                   for p, path in enumerate(self.paths) if path.end is not End.DONE}  # fmt: skip
        outcome = dict(outcome_of(machine, state)) if not blocked else {}
        return Execution(
            tuple(self.events), reads_from, dict(self._coherence()), self._rmw(), deps["address"], deps["data"],
            deps["control"], threads=tuple(t.name for t in self.straight.program.threads), outcome=outcome,
            blocked=blocked,
        )  # fmt: skip

    def _rmw(self) -> frozenset[Pair]:
        return frozenset((self.numbers[read], self.numbers[write]) for read, write in self.pairs)

    def _coherence(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        for cell in self.straight.locations.cells:
            order = self.machine.writes(self.state, cell.address)
            yield cell.address, (self.numbers[-1, cell.address], *(self.numbers[w] for w in order))

    def _dependencies(self, what: str) -> Iterator[Pair]:
        for p, path in enumerate(self.paths):
            for n, event in enumerate(path.events):
                if (p, n) in self.numbers:
                    for m in self._reads(path, self._sources(path, event, what)):
                        yield self.numbers[p, m], self.numbers[p, n]

    def _sources(self, path: Path, event: Fetched, what: str) -> list[int]:
        if what == "control":
            return [s.event for c in event.controls for s in path.events[c].values if s.event is not None]
        sources = event.values if what == "data" else (event.address,) if event.address is not None else ()
        return [s.event for s in sources if s.event is not None]

    def _reads(self, path: Path, sources: list[int]) -> set[int]:
        """The reads that these events depend on, through assigns."""
        found: set[int] = set()
        todo = list(sources)
        while todo:
            n = todo.pop()
            event = path.events[n]
            if event.what is What.READ:
                found.add(n)
            else:
                todo += [s.event for s in event.values if s.event is not None]
        return found


# --- the steps


def _steps(straight: Straight, run: Run, graph: _Graph) -> Iterator[Step]:
    for k, label in run.steps:
        key = (label.process, label.event)
        if key in graph.numbers:
            number = graph.numbers[key]
            fetched = graph.paths[label.process].events[label.event]
            what = _describe(straight, graph.events[number], known=label.rule != "fetch")
            text = f"context {k}: {label.rule} {what}"
            yield Step(label.process, text + _target(straight, label), fetched.instruction.at, number)


def _target(straight: Straight, label: Label) -> str:
    return "" if label.target is None else f" to {straight.program.threads[label.target].name}"


def _describe(straight: Straight, event: Event, *, known: bool) -> str:
    """`known`: whether the event has its value yet."""
    if event.fence is not None:
        return event.fence.value
    cell = straight.locations.by_address[event.address]
    pointed = straight.ranges.layout.find(event.value) if event.size == 8 else None
    value = (
        f"&{demangled(pointed[0].name)}" if pointed and not pointed[1] else str(to_signed(event.value, 8 * event.size))
    )
    name = demangled(cell.name)
    if not known:
        return f"{'read' if event.is_read else 'write'} {name}"
    return f"read {name} = {value}" if event.is_read else f"write {name} := {value}"
