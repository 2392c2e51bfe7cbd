"""Every execution of a program that a model allows, by brute force: candidates, then the judge.

Independent of every explorer: it shares with them only the plain machine for one thread. It answers for completeness,
not for speed; it is meant for litmus tests and programs of their size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import field
from enum import Enum
from itertools import pairwise, product

from fencepost.enumerate.candidates import Candidate, Frame
from fencepost.enumerate.combine import Combiner
from fencepost.enumerate.locations import Access, Solution, solve
from fencepost.enumerate.traces import MAX_EVENTS, Ending, Location, OutOfTimeError, ThreadRunner, check_time
from fencepost.errors import UnsupportedError
from fencepost.execution.execution import Execution
from fencepost.models.properties import keeps_coherence, keeps_own_coherence, uses_coherence_order
from fencepost.models.registry import Model
from fencepost.program.program import Program
from fencepost.records import dataclass
from fencepost.verdict import ErrorReport


class Status(Enum):
    """BLOCKED: some thread waits for what nobody can give, or assumed what does not hold. BOUND: our limit."""

    COMPLETE = "complete"
    BLOCKED = "blocked"
    ERROR = "error"
    BOUND = "bound"


@dataclass(frozen=True, slots=True)
class Found:
    """A consistent execution. `flags` are the flags that the model raised (`race`), with the pairs of events."""

    execution: Execution
    status: Status
    errors: tuple[ErrorReport, ...] = ()
    flags: tuple[tuple[str, tuple[tuple[int, int], ...]], ...] = ()
    stalled: ErrorReport | None = None  # where every thread that has not ended waits for another


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


def enumerate_all(
    program: Program,
    model: Model,
    *,
    max_events: int = MAX_EVENTS,
    counter: Enumeration | None = None,
    deadline: float | None = None,
) -> Iterator[Found]:
    """Every consistent execution with its status, as it is found. It stops at the deadline (`time.perf_counter`)."""
    with suppress(OutOfTimeError):
        yield from _consistent(program, model, max_events, counter, deadline)


def _consistent(
    program: Program, model: Model, max_events: int, counter: Enumeration | None, deadline: float | None
) -> Iterator[Found]:
    for candidate in candidates(program, model, max_events=max_events, deadline=deadline):
        if counter is not None:
            counter.candidates += 1
        check_time(deadline)
        if not candidate.consistent(model) or candidate.sees_abandoned():
            continue
        status = status_of(candidate)
        if status in (Status.BLOCKED, Status.COMPLETE) and candidate.can_go_on(model):
            continue
        frame = candidate.frame
        yield Found(candidate.execution(), status, frame.errors(), candidate.flags(model), frame.stalled())


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
    coherent, ordered = keeps_coherence(model) and not incoherent, uses_coherence_order(model)
    runner = ThreadRunner(program, keeps_own_coherence(model) and not incoherent, max_events, deadline)
    runner.run()
    _refuse_mixed_sizes(runner)
    solver = _remembering(lambda accesses: solve(accesses, coherent=coherent and ordered, ordered=ordered))
    for chosen in Combiner(runner).choices():
        frame = Frame(program, runner, chosen)
        locations = [frame.accesses(location) for location in frame.locations]
        solutions = [solver(accesses) for _, accesses in locations]
        for picked in product(*solutions):
            yield Candidate(frame, tuple(zip([ids for ids, _ in locations], picked, strict=True)), ordered)


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
        assumed = any(t.ending is Ending.BLOCKED and t.spin is None for t in candidate.frame.chosen.values())
        return Status.BLOCKED if assumed else Status.COMPLETE
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
