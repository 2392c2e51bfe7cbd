"""Every execution of a program that a model allows, by brute force: candidates, then the judge.

Independent of every explorer: it shares with them only the plain machine for one thread. It answers for completeness,
not for speed; it is meant for litmus tests and programs of their size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import field, fields
from enum import Enum
from functools import cached_property
from itertools import pairwise, product
from operator import attrgetter
from typing import Protocol

from fencepost.enumerate.behind import cut_off
from fencepost.enumerate.candidates import Candidate, Flags, Frame
from fencepost.enumerate.combine import Chosen, Combiner
from fencepost.enumerate.feeds import thin_air
from fencepost.enumerate.locations import Access, Solution, solve
from fencepost.enumerate.traces import (
    MAX_EVENTS,
    Ending,
    Keeps,
    Location,
    OutOfTimeError,
    Step,
    ThreadRunner,
    Trace,
    check_time,
)
from fencepost.errors import UnsupportedError
from fencepost.execution.execution import EventKind, Execution
from fencepost.models.properties import keeps_coherence, keeps_compared, keeps_dependencies, keeps_own_coherence
from fencepost.models.registry import Model
from fencepost.program.operands import Position
from fencepost.program.program import Arch, Program
from fencepost.records import dataclass
from fencepost.verdict import ErrorReport


class Status(Enum):
    """BLOCKED: some thread waits for what nobody can give, or assumed what does not hold. BOUND: our limit."""

    COMPLETE = "complete"
    BLOCKED = "blocked"
    ERROR = "error"
    BOUND = "bound"


class Found:
    """A consistent execution. `flags` are the flags that the model raised (`race`), with the pairs of events.
    `stalled`: where every thread that has not ended waits for another."""

    def __init__(self, candidate: Candidate, status: Status, flags: Flags) -> None:
        self.candidate, self.status, self.flags = candidate, status, flags
        self.errors: tuple[ErrorReport, ...] = candidate.frame.errors()
        self.stalled: ErrorReport | None = candidate.frame.stalled()

    @cached_property
    def execution(self) -> Execution:
        return self.candidate.execution()

    @property
    def assumed(self) -> frozenset[Position | None]:
        """The places of the assumptions that failed."""
        return self.candidate.frame.assumed()

    @property
    def outcome(self) -> dict[str, int]:
        """That of the execution, which need not be made for it."""
        return self.candidate.outcome()


@dataclass(slots=True)
class Enumeration:
    """All consistent executions, by status. The enumeration is exhaustive exactly when `bounds` is empty."""

    model: str
    complete: list[Execution] = field(default_factory=list)
    blocked: list[Execution] = field(default_factory=list)
    erroneous: list[Found] = field(default_factory=list)
    flagged: list[Found] = field(default_factory=list)
    bounds: list[ErrorReport] = field(default_factory=list)
    candidates: int = 0

    @property
    def outcomes(self) -> dict[tuple[tuple[str, int], ...], int]:
        """How many complete executions end in each outcome (pairs of name and value)."""
        counts: dict[tuple[tuple[str, int], ...], int] = {}
        for execution in self.complete:
            key = tuple(execution.outcome.items())
            counts[key] = counts.get(key, 0) + 1
        return dict(sorted(counts.items()))

    def add(self, found: Found) -> None:
        if found.status is Status.COMPLETE:
            self.complete.append(found.execution)
        elif found.status is Status.BLOCKED:
            self.blocked.append(found.execution)
        elif found.status is Status.ERROR:
            self.erroneous.append(found)
        else:
            self.bounds.extend(found.errors)
        if found.flags:
            self.flagged.append(found)


def enumerate_executions(program: Program, model: Model) -> Iterator[Execution]:
    """The complete executions of a program that a model allows, each once."""
    for found in enumerate_all(program, model):
        if found.status is Status.COMPLETE:
            yield found.execution


def enumerate_program(program: Program, model: Model, *, max_events: int = MAX_EVENTS) -> Enumeration:
    """All executions, complete, blocked and erroneous, collected."""
    result = Enumeration(model.name)
    for found in enumerate_all(program, model, max_events=max_events, counter=result):
        result.add(found)
    return result


class Judge(Protocol):
    """Who says which candidates a model allows, in place of our own evaluator of its plan."""

    def allowed(self, frame: Frame, solutions: list[list[Solution]]) -> Iterator[tuple[tuple[int, ...], Flags]] | None:
        """Of the candidates that take one solution for each location: those that are consistent, as the numbers of the
        solutions, with the flags. None where it cannot say."""


def enumerate_all(
    program: Program,
    model: Model,
    *,
    max_events: int = MAX_EVENTS,
    counter: Enumeration | None = None,
    deadline: float | None = None,
    judge: Judge | None = None,
) -> Iterator[Found]:
    """Every consistent execution with its status, as it is found. It stops at the deadline (`time.perf_counter`)."""
    with suppress(OutOfTimeError):
        yield from _consistent(program, model, max_events, counter, deadline, judge)


def _consistent(
    program: Program, model: Model, max_events: int, counter: Enumeration | None, deadline: float | None,
    judge: Judge | None,
) -> Iterator[Found]:  # fmt: skip
    for candidate in _allowed(program, model, max_events, counter, deadline, judge):
        if candidate.sees_abandoned():
            continue
        status = status_of(candidate)
        if status in (Status.BLOCKED, Status.COMPLETE) and candidate.can_go_on(model):
            continue
        yield Found(candidate, status, candidate.flags(model))


def _allowed(
    program: Program, model: Model, max_events: int, counter: Enumeration | None, deadline: float | None,
    judge: Judge | None,
) -> Iterator[Candidate]:  # fmt: skip
    space = _Space(program, model, max_events, incoherent=False, deadline=deadline)
    for frame, ids, solutions in space.frames():
        check_time(deadline)
        judged = judge.allowed(frame, solutions) if judge is not None else None
        if judged is not None:
            for picked, flags in judged:
                parts = (solutions[k][number] for k, number in enumerate(picked))
                candidate = Candidate(frame, tuple(zip(ids, parts, strict=True)), space.ordered)
                candidate.raised = flags
                yield candidate
            continue
        for candidate in space.product(frame, ids, solutions):
            if counter is not None:
                counter.candidates += 1
            check_time(deadline)
            if candidate.consistent(model):
                yield candidate


def candidates(
    program: Program,
    model: Model,
    *,
    max_events: int = MAX_EVENTS,
    incoherent: bool = False,
    deadline: float | None = None,
) -> Iterator[Candidate]:
    """All graphs whose threads follow the program and whose reads read what was written; with coherence and atomicity
    where the model is known to ask for them, so that fewer have to be judged, unless `incoherent` ones are wanted."""
    space = _Space(program, model, max_events, incoherent=incoherent, deadline=deadline)
    for frame, ids, solutions in space.frames():
        yield from space.product(frame, ids, solutions)


def kept_by(model: Model, *, incoherent: bool = False) -> Keeps:
    """What the threads' traces may rely on."""
    own = keeps_own_coherence(model) and not incoherent
    return Keeps(own, keeps_compared(model), keeps_dependencies(model))


class _Space:
    """All candidates of a program, by their frames."""

    def __init__(
        self, program: Program, model: Model, max_events: int, *, incoherent: bool, deadline: float | None
    ) -> None:
        coherent = keeps_coherence(model) and not incoherent
        self.program, self.ordered = program, model.orders_writes
        self.runner = ThreadRunner(program, kept_by(model, incoherent=incoherent), max_events, deadline)
        self.solver = _remembering(lambda a: solve(a, coherent=coherent and self.ordered, ordered=self.ordered))
        self.shapes: dict[object, int] = {}
        self.shape_of: dict[int, int] = {}  # by the identity of a trace, which the runner keeps
        self.known: dict[tuple[tuple[int, int], ...], Frame] = {}
        self.solved: dict[tuple[Location, tuple[int, ...]], list[Solution]] = {}

    def frames(self) -> Iterator[tuple[Frame, list[list[int]], list[list[Solution]]]]:
        """Each with the event numbers and the solutions of its locations."""
        self.runner.run()
        _refuse_mixed_sizes(self.runner)
        for chosen in Combiner(self.runner).choices():
            frame = self._frame(chosen)
            solutions = self._solutions(frame)
            if solutions is not None:
                yield frame, [frame.layout[location][0] for location in frame.locations], solutions
        if thin_air(self.runner):
            raise UnsupportedError(_KERNELS_THIN_AIR if self.program.arch is Arch.LKMM else _THIN_AIR)
        cut = cut_off(self.runner)
        if cut is not None:
            raise UnsupportedError(_BEHIND_THE_BOUND.format(cut.message))

    def _solutions(self, frame: Frame) -> list[list[Solution]] | None:
        """Of each location; None where one has none. They depend on the traces of the threads that access it only."""
        found = []
        for location, threads in frame.touching:
            key = location, tuple(id(frame.chosen[thread]) for thread in threads)
            known = self.solved.get(key)
            if known is None:
                known = self.solved[key] = self.solver(frame.accesses(location)[1])
            if not known:
                return None
            found.append(known)
        return found

    def _frame(self, chosen: Chosen) -> Frame:
        key = tuple((thread, self._shape(trace)) for thread, trace in sorted(chosen.items()))
        like = self.known.get(key)
        frame = Frame(self.program, self.runner, chosen, like)
        if like is None:
            self.known[key] = frame
        return frame

    def _shape(self, trace: Trace) -> int:
        number = self.shape_of.get(id(trace))
        if number is None:
            shape = tuple(_SHAPE(s) if s.kind in _ACCESSES else (_SHAPE(s), s.value) for s in trace.steps)
            number = self.shape_of[id(trace)] = self.shapes.setdefault(shape, len(self.shapes))
        return number

    def product(self, frame: Frame, ids: list[list[int]], solutions: list[list[Solution]]) -> Iterator[Candidate]:
        for picked in product(*solutions):
            yield Candidate(frame, tuple(zip(ids, picked, strict=True)), self.ordered)


_KERNELS_THIN_AIR = (
    "values may come out of thin air here, from plain accesses that depend on each other, as the kernel's "
    "model allows and enumeration does not find: use READ_ONCE and WRITE_ONCE"
)
_THIN_AIR = (
    "values may come out of thin air here, from accesses that depend on each other: the model does not order what "
    "depends on a read after it, and enumeration does not find such values"
)
_BEHIND_THE_BOUND = (
    "{}; what is written behind that bound may be what led there, as the kernel's model allows, and enumeration does "
    "not find that"
)
_ACCESSES = (EventKind.READ, EventKind.WRITE)
#: What a model can see of an access: all but its value and its place in the source.
_SHAPE = attrgetter(*(f.name for f in fields(Step) if f.name not in ("value", "at")))


Solver = Callable[[tuple[Access, ...]], list[Solution]]


def _remembering(solver: Solver) -> Solver:
    """Many combinations of traces look the same at one location."""
    known: dict[tuple[Access, ...], list[Solution]] = {}

    def solve_once(accesses: tuple[Access, ...]) -> list[Solution]:
        if accesses not in known:
            known[accesses] = solver(accesses)
        return known[accesses]

    return solve_once


def status_of(candidate: Candidate) -> Status:
    """How the threads of a candidate ended."""
    endings = {trace.ending for trace in candidate.frame.chosen.values()}
    if Ending.ERROR in endings:
        return Status.ERROR
    if Ending.BOUND in endings:
        return Status.BOUND
    if Ending.EXIT in endings:  # whoever still waits was ended with the program; an assume that failed was before that
        return Status.BLOCKED if candidate.frame.assumed() else Status.COMPLETE
    return Status.COMPLETE if endings <= {Ending.END} else Status.BLOCKED


def _refuse_mixed_sizes(runner: ThreadRunner) -> None:
    """Accesses that overlap without being the same piece of memory need a notion of reading from several writes."""
    places: dict[Location, str] = {}
    for traces in runner.traces.values():
        for trace in traces:
            for step in trace.steps:
                if step.size:
                    places.setdefault(step.location, str(step.at or ""))
    ordered = sorted(places)
    for (first, size), (second, other) in pairwise(ordered):
        if second < first + size:
            raise UnsupportedError(
                f"accesses of mixed size: {size} bytes at {first:#x} ({places[first, size]}) and {other} bytes at "
                f"{second:#x} ({places[second, other]}); enumeration needs them to be the same"
            )
