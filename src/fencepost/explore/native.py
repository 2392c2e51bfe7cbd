"""Runs an exploration in the core: limits, progress, Ctrl-C, saving and resuming."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fencepost import _core, reasons
from fencepost._core import CoreEstimate, CoreExecution, CoreResults, Progress
from fencepost.explore import saved
from fencepost.explore.commit_order import is_proved
from fencepost.explore.engines import IN_ORDER, NATIVE_MODELS, PLANNED_MODELS, Engine
from fencepost.explore.prepare import Prepared
from fencepost.models.registry import Model
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.program.instructions import ErrorKind
from fencepost.program.program import Arch
from fencepost.reasons import Reason
from fencepost.records import dataclass
from fencepost.verdict import Estimate

if TYPE_CHECKING:
    from fencepost.models.cat.plan import Plan

_LOOK = 0.05  # seconds between two looks at the clock, the screen and the keyboard
_SAVE_EVERY = 5.0
_UNLIMITED = 2**62
_PATIENCE = 20.0  # seconds without any limit after which we ask whether there is an end
_AGES = 3e11  # seconds
_HUGE = 1e60  # executions
_AT_ONCE = 1000  # executions that are handed out together
_MEBIBYTE = 1 << 20
_PAGE = os.sysconf("SC_PAGE_SIZE")
_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Report:
    """What a run of the core gave. `reason` says why it ended early; None where it explored everything. `estimate`:
    how many executions there seem to be in all, where it ended early and that is known. `unsaved`: why the last state
    could not be saved."""

    results: CoreResults
    seconds: float
    reason: Reason | None
    failed: bool = False
    estimate: Estimate | None = None
    unsaved: str = ""


#: Called with the executions visited, the seconds since the start, and an estimate of all executions (None: too early).
Watch = Callable[[int, float, Estimate | None], None]


def run(
    prepared: Prepared,
    model: Model,
    engine: Engine,
    options: ExploreOptions,
    progress: Watch | None = None,
    *,
    keep: int = 0,
) -> Report:
    """Explores until the end or a limit. With `save`, the state is written every few seconds and at every end; with
    `resume`, the counts go on from the file."""
    return _Run(prepared, model, engine, options, progress, keep).report()


def stream(prepared: Prepared, model: Model, engine: Engine, options: ExploreOptions) -> Iterator[CoreExecution]:
    """The complete executions as they are found, a few at a time: none is kept once it was handed out."""
    return _Run(prepared, model, engine, options, None, _UNLIMITED).stream()


class _Run:
    """One exploration with its limits."""

    def __init__(
        self, prepared: Prepared, model: Model, engine: Engine, options: ExploreOptions, progress: Watch | None,
        keep: int,
    ) -> None:  # fmt: skip
        self.prepared, self.options, self.progress = prepared, options, progress
        native = native_options(prepared, model, engine, options, keep)
        self.exploration = _core.Exploration(prepared.bytecode, native)
        self.fingerprint = saved.fingerprint(prepared, model, options) if options.save or options.resume else ""
        self.before: CoreResults | None = None
        if options.resume:
            self._resume(Path(options.resume))
        self.started = time.perf_counter()
        self.too_large = self.hopeless = False
        self.unsaved = ""
        if options.save:
            saved.refuse_unwritable(Path(options.save))

    def _resume(self, file: Path) -> None:
        state = saved.load(file)
        saved.refuse_other(file, state, self.fingerprint)
        self.exploration.set_remaining(list(state.remaining))
        self.before = state.results

    def report(self) -> Report:
        reason, failed = self._loop()
        results = saved.total(self.before, self.exploration.results())
        estimate = self._estimate() if reason is not None else None
        return Report(results, self._seconds(), reason, failed, estimate, self.unsaved)

    def stream(self) -> Iterator[CoreExecution]:
        end: Progress | None = Progress.PAUSED
        done = 0
        at_once = _UNLIMITED if self.options.algorithm == "rsmc" else _AT_ONCE  # it cannot pause
        most, limit = self.options.max_executions or _UNLIMITED, self.options.time_limit or 1e9
        while end is Progress.PAUSED and done < most and self._seconds() < limit and not self.too_large:
            end = self._slice(limit - self._seconds(), min(at_once, most - done), done)
            done = self.exploration.ended
            yield from self.exploration.take_kept()

    def _seconds(self) -> float:
        return time.perf_counter() - self.started

    def _loop(self) -> tuple[Reason | None, bool]:
        """Runs in slices (one slice where nothing is to be saved): why it stopped before the end, and whether it did so
        at an error."""
        options = self.options
        while True:
            left = 1e9 if options.time_limit is None else options.time_limit - self._seconds()
            done = self._before() + self.exploration.ended
            budget = _UNLIMITED if options.max_executions is None else options.max_executions - done
            if options.max_executions is not None and budget <= 0:
                return reasons.out_of_executions(options.max_executions), False
            end = self._slice(min(left, _SAVE_EVERY) if options.save else left, budget, done)
            if options.save:
                self._save(Path(options.save))
            if end in (Progress.DONE, Progress.FAILED):
                return None, end is Progress.FAILED
            if (reason := self._stopped(end)) is not None:
                return reason, False

    def _stopped(self, end: Progress | None) -> Reason | None:
        """Why a slice was the last; None where it was not."""
        options = self.options
        if self.too_large and options.memory is not None:
            return reasons.out_of_memory(options.memory)
        if self.hopeless:
            return reasons.hopeless(_PATIENCE)
        if end is None:
            return reasons.interrupted()
        if options.time_limit is not None and self._seconds() >= options.time_limit:
            return reasons.out_of_time(options.time_limit)
        return None

    def _save(self, file: Path) -> None:
        """A disk that is full for a while is no reason to lose the exploration."""
        try:
            results = saved.total(self.before, self.exploration.results())
            remaining, cuts = tuple(self.exploration.remaining()), self.prepared.program.cuts
            saved.save(file, saved.Saved(self.fingerprint, results, remaining, cuts))
            self.unsaved = ""
        except OSError as error:
            self.unsaved = f"the state was not saved: {file}: {error.strerror}"

    def _before(self) -> int:
        """The executions that an earlier run visited."""
        return 0 if self.before is None else self.before.executions + self.before.blocked

    def _slice(self, seconds: float, budget: int, done: int) -> Progress | None:
        return _wait(self.exploration, seconds, budget, self.options.jobs, lambda visited: self._look(done + visited))

    def _look(self, visited: int) -> None:
        if self.options.time_limit is not None and self._seconds() >= self.options.time_limit:
            self.exploration.stop()  # the core itself looks at the clock only now and then
        if self.options.memory is not None and _resident() > self.options.memory * _MEBIBYTE:
            self.too_large = True
            self.exploration.stop()
        if self._without_limit and self._seconds() > _PATIENCE and self._is_hopeless(visited):
            self.hopeless = True
            self.exploration.stop()
        if self.progress is not None:
            self.progress(visited, self._seconds(), self._estimate())

    @property
    def _without_limit(self) -> bool:
        o = self.options
        return o.time_limit is None and o.max_executions is None and o.memory is None and o.save is None

    def _is_hopeless(self, visited: int) -> bool:
        """Whether it would take longer than 10 000 years by the estimate. That is never below the truth by more than
        chance allows and, being unbiased, a million times above it in one run of a million (Markov's inequality). Where
        executions are so large that no probe has ended yet, what the first stands for so far decides, if it is huge."""
        all_ = self._estimate()
        if all_ is None:
            return self.exploration.probing > _HUGE
        return all_.executions * self._seconds() > _AGES * max(visited, 1)

    def _estimate(self) -> Estimate | None:
        found = self.exploration.estimate
        return _as_estimate(found) if found.probes > 1 else None


def _as_estimate(found: CoreEstimate) -> Estimate:
    """Numbers too large for a float, and what the core computed from such, are the largest float."""
    most, executions = sys.float_info.max, found.executions + found.blocked
    error = found.error if found.error <= most else most
    return Estimate(executions if executions <= most else most, error, found.probes)


def estimate(prepared: Prepared, model: Model, engine: Engine, options: ExploreOptions, probes: int) -> Estimate | None:
    """How many executions there seem to be, without exploring them; None where the core cannot say."""
    exploration = _core.Exploration(prepared.bytecode, native_options(prepared, model, engine, options, 0))
    exploration.probe(probes)
    found = exploration.estimate
    return _as_estimate(found) if found.probes else None


def _resident() -> int:
    """The memory that this process occupies now; where the system does not say, the most it ever did."""
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * _PAGE
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _MAXRSS_UNIT


def plan_rows(plan: Plan) -> tuple[list[list[int]], int, list[list[int]]]:
    checks = [[c.kind, int(c.negated), int(c.flag), int(c.race)] for c in plan.checks]
    return [list(o) for o in plan.operations], plan.registers, checks


def native_options(
    prepared: Prepared, model: Model, engine: Engine, options: ExploreOptions, keep: int
) -> _core.ExploreOptions:
    native = _core.ExploreOptions()
    if engine.like in NATIVE_MODELS and options.algorithm == "trust":
        native.model = NATIVE_MODELS[engine.like]
    else:
        plan = model.plan
        assert plan is not None, "a planned model should have a plan"
        native.set_plan(*plan_rows(plan))
        native.success_dependencies = prepared.program.arch is Arch.RISCV
        native.commit_order = IN_ORDER if engine.in_order else PLANNED_MODELS.get(engine.like, 0)
    if options.algorithm == "rsmc":
        from fencepost.models.commit_before import find

        native.set_commit_before(*plan_rows(find(options.commit_before, model)))
        native.valid_commit_before = is_proved(model, options.commit_before)
    native.keep_executions = keep
    native.max_events = options.max_events
    if isinstance(options, CheckOptions):
        native.keep_outcomes = prepared.program.condition is not None
        native.keep_going = options.keep_going or bool(options.ignored)
        native.races = ErrorKind.RACE not in options.ignored
        native.deadlocks = not {ErrorKind.DEADLOCK, ErrorKind.LIVENESS} <= options.ignored
        native.leaks = options.leaks and ErrorKind.LEAK not in options.ignored
    else:
        native.keep_going = True
    return native


def _wait(
    exploration: _core.Exploration, seconds: float, executions: int, jobs: int, look: Callable[[int], None]
) -> Progress | None:
    """The core works on a thread of its own, so that this one hears Ctrl-C at once. None: it was interrupted."""
    ended: list[Progress] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            ended.append(exploration.run(seconds, executions, jobs))
        except BaseException as error:
            failure.append(error)

    exploration.allow()
    worker = threading.Thread(target=work, daemon=True)
    with _interrupts(exploration.stop) as interrupted:
        worker.start()
        try:
            while worker.is_alive():
                worker.join(_LOOK)
                look(exploration.visited)
        finally:
            exploration.stop()
            worker.join()
    if failure:
        raise failure[0]
    return None if interrupted and ended[0] is Progress.PAUSED else ended[0]


@contextmanager
def _interrupts(stop: Callable[[], None]) -> Iterator[list[int]]:
    """Ctrl-C calls `stop` instead of raising, so that nothing found so far is lost; yields the signals that came.
    Only the main thread hears signals: elsewhere nothing changes."""
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield came
        return

    def hear(number: int, _: object) -> None:
        came.append(number)
        stop()

    before = signal.signal(signal.SIGINT, hear)
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, before)
