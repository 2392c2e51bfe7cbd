"""One run over many tests, from the options to the summary."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from fencepost.errors import UsageError
from fencepost.models.registry import find
from fencepost.options import LitmusOptions
from fencepost.records import dataclass, field, replace
from fencepost.suite.run import Job, Result, Summary, run_tests
from fencepost.suite.tables import collect, match, read_expected

if TYPE_CHECKING:
    from fencepost.suite.logs import Expected

#: Called with each result and the number of tests.
Progress: TypeAlias = Callable[[Result, int], None]


@dataclass(slots=True)
class Suite:
    """All results, in the order of the tests, and their summary."""

    results: list[Result] = field(default_factory=list)
    summary: Summary = field(default_factory=Summary)


def run_suite(files: Sequence[str], options: LitmusOptions, progress: Progress | None = None) -> Suite:
    """Runs the tests that the options ask for."""
    table, log = read_expected(options.expected) if options.expected is not None else ({}, {})
    paths = collect(files, options.from_list) or list(table)
    if not paths:
        raise UsageError("no test is given: name files or folders, or use --from-list or --expected")
    if options.model is not None and not (model := find(options.model)).ours:
        model.prepared  # noqa: B018 # a malformed model is one error, not one per test
    shown = not options.quiet or bool(log)
    job = Job(options.model, options.engine, options.unroll, options.time_limit, shown, options.algorithm)
    suite, start = Suite(), time.perf_counter()
    logged = _logged(paths, log) if log else {}
    wanted = (match(paths, table) if table else {}) | {
        path: e.holds for path, e in logged.items() if e.holds is not None
    }
    for found in _results(paths, job, wanted, options):
        result = _compared(found, logged.get(found.path))
        suite.results.append(result)
        suite.summary.add(result)
        if progress is not None:
            progress(result, len(paths))
    suite.summary.seconds = time.perf_counter() - start
    return suite


def _results(paths: list[str], job: Job, expected: Mapping[str, bool], options: LitmusOptions) -> Iterator[Result]:
    if options.cluster is None:
        return run_tests(paths, job, expected, processes=options.processes)
    from fencepost.suite.remote import run_remotely

    workers = options.processes or len(os.sched_getaffinity(0))
    items = [(path, expected.get(path)) for path in paths]
    return run_remotely(items, job, options.cluster, options.certificates, workers)


def _logged(paths: list[str], log: Mapping[str, Expected]) -> Mapping[str, Expected]:
    from fencepost.suite.logs import named

    return named(paths, log)


def _compared(result: Result, wanted: Expected | None) -> Result:
    """The result with what its states differ in from those of a log."""
    if wanted is None or wanted.states is None or not result.text or result.holds is None:
        return result
    from fencepost.suite.logs import difference, states_of

    return replace(result, differs=difference(states_of(result.text), wanted.states))
