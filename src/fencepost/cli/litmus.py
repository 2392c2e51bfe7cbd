"""fencepost litmus: many litmus tests at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from fencepost import api
from fencepost.cli.arguments import Argument
from fencepost.cli.frame import Reply
from fencepost.options import LitmusOptions
from fencepost.verdict import ExitCode

if TYPE_CHECKING:
    from fencepost.public import Result, Summary

_FILES = "Litmus tests, or folders of them."
Tests = Annotated[list[str] | None, Argument(metavar="FILES", help=_FILES)]
_SHOWN_REASONS = 20


def litmus(options: LitmusOptions, files: Tests = None) -> Reply:
    """Run many litmus tests in parallel: herd's output for each, then differences from a table, then a summary."""
    with _bar() as advance:
        suite = api.litmus(files or [], progress=advance, options=options)
    parts = [] if options.quiet else [r.text or f"Test {r.name}: {r.status.value}: {r.reason}\n" for r in suite.results]
    parts += [*_differences(suite.results), *_refusals(suite.summary), _summary(suite.summary)]
    results = [_result_data(r) for r in suite.results]
    return Reply("\n".join(parts), {"results": results, "summary": _summary_data(suite.summary)}, _exit(suite.summary))


@contextmanager
def _bar() -> Iterator[Callable[[object, int], None] | None]:
    """On a terminal only, and on standard error: what is printed stays clean."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

    columns = BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("litmus", total=None)
        yield lambda _result, total: bar.update(task, total=total, advance=1)


def _differences(results: list[Result]) -> list[str]:
    return [
        f"WRONG {r.path}: {r.differs}" if r.differs
        else f"WRONG {r.path}: expected {int(bool(r.expected))}, found {int(bool(r.holds))} ({r.observation})"
        for r in results
        if r.wrong
    ]  # fmt: skip


def _refusals(summary: Summary) -> list[str]:
    """What we could not treat, by reason."""
    if not summary.reasons:
        return []
    return [f"{count} x {reason}" for reason, count in summary.reasons.most_common(_SHOWN_REASONS)]


def _summary(s: Summary) -> str:
    compared = f"{s.agree} agree, {s.wrong} wrong, " if s.agree or s.wrong else ""
    return (
        f"{s.tests} test{'s' * (s.tests != 1)}: {compared}{s.unsupported} unsupported, {s.mixed} mixed, "
        f"{s.unknown} unknown{f', {s.errors} errors' if s.errors else ''}; {s.seconds:.1f} s"
    )


def _result_data(r: Result) -> dict[str, object]:
    shown = (
        "path",
        "name",
        "model",
        "engine",
        "holds",
        "expected",
        "states",
        "executions",
        "observation",
        "reason",
        "why",
        "differs",
    )
    return {k: getattr(r, k) for k in shown} | {"status": r.status.value, "seconds": round(r.seconds, 6)}


def _summary_data(s: Summary) -> dict[str, object]:
    counts = {k: getattr(s, k) for k in ("tests", "agree", "wrong", "unsupported", "mixed", "unknown", "errors")}
    return counts | {"seconds": round(s.seconds, 3), "engines": dict(s.engines), "reasons": dict(s.reasons)}


def _exit(s: Summary) -> int:
    """FAIL where a verdict differs from the table; UNKNOWN where a test has no verdict."""
    if s.wrong:
        return ExitCode.FAIL
    return ExitCode.UNKNOWN if s.unsupported or s.unknown or s.errors else ExitCode.PASS
