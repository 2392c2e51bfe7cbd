"""Runs litmus tests over processes and compares what they say with a table."""

from __future__ import annotations

import gc
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import Enum
from functools import lru_cache, partial
from typing import TypeAlias

from fencepost.errors import FencepostError, UnsupportedError
from fencepost.frontends import read_content, read_file
from fencepost.models.registry import Model, find
from fencepost.options import ExploreOptions
from fencepost.paths import name_of, stem
from fencepost.program.passes.points_to import mixes_sizes
from fencepost.program.program import Program
from fencepost.reasons import Code, nothing_completes
from fencepost.records import dataclass, field
from fencepost.report.herd import herd_text, observation
from fencepost.suite.engine import EXPLORE, natural, outcomes_by
from fencepost.verdict import Outcomes


class Status(Enum):
    """UNSUPPORTED: we cannot read or treat the test, `reason` says why. MIXED: it mixes access sizes, which the engine
    does not treat. UNKNOWN: a limit ran out. ERROR: our own mistake, or a test without any execution."""

    DONE = "done"
    UNSUPPORTED = "unsupported"
    MIXED = "mixed"
    UNKNOWN = "unknown"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Job:
    """What to do with each test. `model` None: the model of the test's architecture. `time_limit` is per test."""

    model: str | None = None
    engine: str = EXPLORE
    unroll: int | None = None
    time_limit: float | None = None
    text: bool = True
    algorithm: str = "trust"


@dataclass(frozen=True, slots=True)
class Result:
    """What one test said. `holds` answers its condition as written; `expected` is what the table says, if anything."""

    path: str
    name: str
    status: Status
    model: str = ""
    engine: str = ""
    holds: bool | None = None
    expected: bool | None = None
    states: int = 0
    executions: int = 0
    observation: str = ""
    reason: str = ""
    seconds: float = 0.0
    text: str = ""
    why: str = ""  # why this engine, where there was a choice
    differs: str = ""  # in which states it differs from a log

    @property
    def wrong(self) -> bool:
        if self.holds is None:
            return False
        return bool(self.differs) or (self.expected is not None and self.holds is not self.expected)

    @property
    def agrees(self) -> bool:
        return self.holds is not None and self.holds is self.expected and not self.differs


@dataclass(slots=True)
class Summary:
    """Counts over all tests. `agree` and `wrong` speak of tests with an expected verdict."""

    tests: int = 0
    agree: int = 0
    wrong: int = 0
    unsupported: int = 0
    mixed: int = 0
    unknown: int = 0
    errors: int = 0
    seconds: float = 0.0
    engines: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, result: Result) -> None:
        self.tests += 1
        self.agree += result.agrees
        self.wrong += result.wrong
        self.unsupported += result.status is Status.UNSUPPORTED
        self.mixed += result.status is Status.MIXED
        self.unknown += result.status is Status.UNKNOWN
        self.errors += result.status is Status.ERROR
        if result.engine:
            self.engines[result.engine] += 1
        if result.status in (Status.UNSUPPORTED, Status.UNKNOWN, Status.ERROR):
            self.reasons[_short(result.reason)] += 1


def run_tests(
    paths: Iterable[str], job: Job, expected: Mapping[str, bool] | None = None, *, processes: int | None = None
) -> Iterator[Result]:
    """The results in the order of the paths, as they come. `expected` is keyed by path."""
    files, table = list(paths), expected or {}
    _model.cache_clear()  # the file may have changed since the last run
    run = partial(run_test, job=job)
    count = processes or min(len(os.sched_getaffinity(0)), 1 + len(files) // _WORTH_A_PROCESS)
    jobs = [(path, table.get(path)) for path in files]
    if processes == 1 or len(files) < 4:
        with _seldom_collecting():
            yield from map(run, jobs)
        return
    from fencepost.suite.pool import in_parallel

    _load_for(files[0])
    yield from in_parallel(run, died, jobs, count, collect=_COLLECT)


def _load_for(path: str) -> None:
    """Loads what reads such a test, for all processes at once. Only to run it may kill a process."""
    with suppress(FencepostError):
        read_file(path)


Item: TypeAlias = "tuple[str, bool | None]"


def died(item: Item) -> Result:
    """The row of a test over which processes die."""
    path, expected = item
    reason = "the process that ran this test has died: out of memory, perhaps"
    return Result(path, stem(path), Status.ERROR, expected=expected, reason=reason)


#: So many tests take as long as one more process to start. (One of its own they have: a test may kill its process.)
_WORTH_A_PROCESS = 200

#: New objects between two looks for garbage: a test makes thousands that live as long as it does.
_COLLECT = 50_000


@contextmanager
def _seldom_collecting() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(_COLLECT)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def run_test(item: Item, job: Job, content: bytes | None = None) -> Result:
    """One test, whatever happens to it. `content` is that of its file, where that is elsewhere."""
    path, expected = item
    start = time.perf_counter()
    name = stem(path)
    try:
        program = read_file(path) if content is None else read_content(content, path)
        name = program.name
        return _judged(path, program, job, expected, start)
    except FencepostError as error:
        reason = str(error)
        return Result(path, name, Status.UNSUPPORTED, expected=expected, reason=reason, seconds=_since(start))
    except Exception as error:  # whatever is wrong with us, the other tests have their verdicts
        import traceback

        place = traceback.extract_tb(error.__traceback__)[-1]
        reason = f"{type(error).__name__}: {error} ({name_of(place.filename)}:{place.lineno}); please report this test"
        return Result(path, name, Status.ERROR, expected=expected, reason=reason, seconds=_since(start))


def _judged(path: str, program: Program, job: Job, expected: bool | None, start: float) -> Result:
    model = _model(job.model or natural(program))
    try:
        outcomes = outcomes_by(job.engine, program, model, _options(job, model.name))
    except UnsupportedError as error:
        status = Status.MIXED if mixes_sizes(program) else Status.UNSUPPORTED
        return Result(path, program.name, status, model.name, expected=expected, reason=str(error),
                      seconds=_since(start))  # fmt: skip
    status, holds, reason = _status(outcomes)
    return Result(
        path, program.name, status, model.name, outcomes.engine, holds, expected, len(outcomes.states),
        outcomes.executions, observation(program, outcomes), reason, _since(start),
        herd_text(program, outcomes) if job.text and status is not Status.ERROR else "", outcomes.why,
    )  # fmt: skip


@lru_cache(maxsize=16)
def _options(job: Job, model: str) -> ExploreOptions:
    """Each execution is counted: nothing is reduced."""
    return ExploreOptions(
        model=model, unroll=job.unroll, time_limit=job.time_limit, algorithm=job.algorithm, reductions=False
    )


@lru_cache(maxsize=16)
def _model(name: str) -> Model:
    """A user's file is read once in a run."""
    return find(name)


def _status(outcomes: Outcomes) -> tuple[Status, bool | None, str]:
    """A condition over no execution at all would hold, or not, for no reason: that is no verdict."""
    empty = bool(outcomes.reasons) and all(
        r.code is Code.ASSUMPTIONS or r == nothing_completes() for r in outcomes.reasons
    )
    if outcomes.reason and not empty:
        return Status.UNKNOWN, None, outcomes.reason
    if outcomes.executions:
        return Status.DONE, outcomes.holds, ""
    return Status.ERROR, None, f"no execution comes to its end: {_why_none(outcomes)}"


def _why_none(outcomes: Outcomes) -> str:
    if outcomes.errors:
        first = outcomes.errors[0]
        return f"{first.at}: {first.message}" if first.at else first.message
    if outcomes.blocked:
        return "in each, some thread waits for ever or an assumption does not hold"
    return "the model allows none"


def _since(start: float) -> float:
    return time.perf_counter() - start


def _short(reason: str) -> str:
    """A reason without its place, so that equal reasons count together."""
    first = reason.splitlines()[0] if reason else ""
    return first.split(": ", 1)[1] if ".litmus:" in first and ": " in first else first
