"""One run over many tests, from the options to the summary."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import TypeAlias

from fencepost.errors import UsageError
from fencepost.models.registry import find
from fencepost.options import LitmusOptions
from fencepost.records import dataclass
from fencepost.suite.run import Job, Result, Summary, run_tests
from fencepost.suite.tables import collect, match, read_expected

#: Called with each result and the number of tests.
Progress: TypeAlias = Callable[[Result, int], None]


@dataclass(slots=True)
class Suite:
    """All results, in the order of the tests, and their summary."""

    results: list[Result] = field(default_factory=list)
    summary: Summary = field(default_factory=Summary)


def run_suite(files: Sequence[str], options: LitmusOptions, progress: Progress | None = None) -> Suite:
    """Runs the tests that the options ask for."""
    table = read_expected(options.expected) if options.expected is not None else {}
    paths = collect(files, options.from_list) or list(table)
    if not paths:
        raise UsageError("no test is given: name files or folders, or use --from-list or --expected")
    if options.model is not None:
        find(options.model).prepared  # noqa: B018 # a malformed model is one error, not one per test
    job = Job(options.model, options.engine, options.unroll, options.time_limit, algorithm=options.algorithm)
    suite, start = Suite(), time.perf_counter()
    for result in run_tests(paths, job, match(paths, table), processes=options.processes):
        suite.results.append(result)
        suite.summary.add(result)
        if progress is not None:
            progress(result, len(paths))
    suite.summary.seconds = time.perf_counter() - start
    return suite
