"""Runs an exploration in the core: limits, progress, Ctrl-C, saving and resuming."""

from __future__ import annotations

import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from fencepost import _core
from fencepost._version import __version__
from fencepost.errors import UsageError
from fencepost.explore.engines import MULTI_COPY_ATOMIC, NATIVE_MODELS, PLANNED_MODELS, Engine
from fencepost.explore.prepare import Prepared
from fencepost.models.registry import Model
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.program.instructions import ErrorKind
from fencepost.program.program import Arch
from fencepost.records import dataclass

_DONE, _PAUSED, _FAILED = 0, 1, 3
_LOOK = 0.05  # seconds between two looks at the clock, the screen and the keyboard
_SAVE_EVERY = 5.0
_UNLIMITED = 2**62


@dataclass(frozen=True, slots=True)
class Report:
    """What a run of the core gave. `reason` says why it ended early; empty where it explored everything."""

    results: dict[str, Any]
    seconds: float
    reason: str
    failed: bool = False


Progress = Callable[[int, float], None]


def run(
    prepared: Prepared,
    model: Model,
    engine: Engine,
    options: ExploreOptions,
    progress: Progress | None = None,
    *,
    keep: int = 0,
) -> Report:
    """Explores until the end or a limit. With `save`, the state is written every few seconds and at every end; with
    `resume`, the counts go on from the file."""
    native = _native_options(prepared, model, engine, options, keep)
    exploration = _core.Exploration(prepared.bytecode, native)
    before = _resume(exploration, prepared, model.name, options)
    started = time.perf_counter()
    reason = _loop(exploration, prepared, model.name, options, before, started, progress)
    results = _add(before, exploration.results())
    failed = reason == "error"
    return Report(results, time.perf_counter() - started, "" if failed else reason, failed)


def slices(
    prepared: Prepared, model: Model, engine: Engine, options: ExploreOptions, size: int
) -> Iterator[list[dict[str, Any]]]:
    """The complete executions, `size` of them at a time: no more is ever kept. What is left to explore goes from one
    exploration to the next. Ends early where the options say so."""
    native = _native_options(prepared, model, engine, options, size)
    remaining, started, left = None, time.perf_counter(), options.max_executions or _UNLIMITED
    while left > 0:
        exploration = _core.Exploration(prepared.bytecode, native)
        if remaining is not None:
            exploration.set_remaining(remaining)
        end = _wait(exploration, _remaining_time(options, started), min(size, left), 1, lambda _: None)
        results = exploration.results()
        yield results["kept"]
        left -= max(_visited(results), 1)
        if end != _PAUSED or _remaining_time(options, started) <= 0:
            return
        remaining = exploration.remaining()


def _native_options(
    prepared: Prepared, model: Model, engine: Engine, options: ExploreOptions, keep: int
) -> _core.ExploreOptions:
    native = _core.ExploreOptions()
    if engine.like in NATIVE_MODELS:
        native.model = NATIVE_MODELS[engine.like]
    else:
        plan = model.plan
        assert plan is not None, "a planned model should have a plan"
        checks = [[c.kind, int(c.negated), int(c.flag), int(c.race)] for c in plan.checks]
        native.set_plan([list(o) for o in plan.operations], plan.registers, checks)
        native.success_dependencies = prepared.program.arch is Arch.RISCV
        native.in_order = engine.in_order
        native.forwards = PLANNED_MODELS.get(engine.like, False)
        native.multi_copy_atomic = engine.like in MULTI_COPY_ATOMIC
    native.keep_executions = keep
    native.max_events = options.max_events
    if isinstance(options, CheckOptions):
        native.keep_going = options.keep_going or bool(options.ignored)
        native.races = ErrorKind.RACE not in options.ignored
        native.deadlocks = ErrorKind.DEADLOCK not in options.ignored
        native.leaks = options.leaks and ErrorKind.LEAK not in options.ignored
    else:
        native.keep_going = True
    return native


def _loop(
    exploration: _core.Exploration,
    prepared: Prepared,
    model: str,
    options: ExploreOptions,
    before: dict[str, Any] | None,
    started: float,
    progress: Progress | None,
) -> str:
    """Runs in slices (one slice where nothing is to be saved) and says why it stopped; empty when done."""
    while True:
        seconds = _remaining_time(options, started)
        slice_ = min(seconds, _SAVE_EVERY) if options.save else seconds
        done = _visited(before) + _visited(exploration.results())
        budget = _UNLIMITED if options.max_executions is None else options.max_executions - done
        if budget <= 0:
            return f"stopped after {options.max_executions} executions"
        end = _wait(exploration, slice_, budget, options.jobs, partial(_tell, progress, done, started))
        if options.save:
            _save(exploration, prepared, model, before, Path(options.save))
        if end == _DONE:
            return ""
        if end == _FAILED:
            return "error"
        if end < 0:
            return "interrupted"
        if _remaining_time(options, started) <= 0:
            return f"stopped after {options.time_limit:g} seconds"


def _remaining_time(options: ExploreOptions, started: float) -> float:
    if options.time_limit is None:
        return 1e9
    return options.time_limit - (time.perf_counter() - started)


def _tell(progress: Progress | None, before: int, started: float, visited: int) -> None:
    if progress is not None:
        progress(before + visited, time.perf_counter() - started)


def _wait(
    exploration: _core.Exploration, seconds: float, executions: int, jobs: int, look: Callable[[int], None]
) -> int:
    """The core works on a thread of its own, so that this one hears Ctrl-C at once. -1: it was interrupted."""
    ended: list[int] = []
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
    return -1 if interrupted and ended[0] == _PAUSED else ended[0]


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


# --- saving and resuming ---------------------------------------------------------------------------------------------


def _fingerprint(prepared: Prepared, model: str) -> tuple[str, str, bytes]:
    return (__version__, model, prepared.encoded.words)


def _save(
    exploration: _core.Exploration, prepared: Prepared, model: str, before: dict[str, Any] | None, file: Path
) -> None:
    """Writes beside the file and renames, so that a crash in the middle leaves the older state."""
    state = {
        "fingerprint": _fingerprint(prepared, model),
        "results": _add(before, exploration.results()),
        "remaining": exploration.remaining(),
    }
    fresh = file.with_name(file.name + ".new")
    fresh.write_bytes(pickle.dumps(state))
    fresh.replace(file)


class _PlainUnpickler(pickle.Unpickler):
    """A saved exploration holds plain values only: nothing in it may name a class."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name} has no place in a saved exploration")


def _resume(
    exploration: _core.Exploration, prepared: Prepared, model: str, options: ExploreOptions
) -> dict[str, Any] | None:
    if not options.resume:
        return None
    file = Path(options.resume)
    try:
        with file.open("rb") as stream:
            state = _PlainUnpickler(stream).load()
        fingerprint, results, remaining = state["fingerprint"], state["results"], state["remaining"]
    except OSError as error:
        raise UsageError(f"--resume {file}: {error.strerror}") from None
    except (pickle.UnpicklingError, EOFError, KeyError, TypeError, AttributeError, ValueError):
        raise UsageError(f"--resume {file}: this is not a saved exploration") from None
    if fingerprint != _fingerprint(prepared, model):
        raise UsageError(f"--resume {file}: it was saved for another program, model, option or version of fencepost")
    exploration.set_remaining(remaining)
    saved: dict[str, Any] = results
    return saved


def _visited(results: dict[str, Any] | None) -> int:
    return 0 if results is None else int(results["executions"] + results["blocked"])


def _add(before: dict[str, Any] | None, now: dict[str, Any]) -> dict[str, Any]:
    """The results of two runs as one."""
    if before is None:
        return now
    total = {k: before[k] + now[k] for k in ("executions", "blocked", "erroneous", "duplicates", "kept")}
    states: dict[tuple[int, ...], int] = {}
    for values, count in [*before["outcomes"], *now["outcomes"]]:
        states[tuple(values)] = states.get(tuple(values), 0) + count
    total["flags"] = sorted({*before["flags"], *now["flags"]})
    total["may_miss"] = before["may_miss"] or now["may_miss"]
    total["outcomes"] = [(list(values), count) for values, count in states.items()]
    known = {(f["kind"], f["position"]) for f in before["findings"]}
    total["findings"] = before["findings"] + [f for f in now["findings"] if (f["kind"], f["position"]) not in known]
    return total
