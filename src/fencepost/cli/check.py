"""fencepost check: errors in all executions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

from fencepost import api
from fencepost.cli.arguments import Argument, Option
from fencepost.cli.folders import check_folders
from fencepost.cli.frame import Reply
from fencepost.cli.outcomes import names_of
from fencepost.cli.patterns import expand, says_what_it_expects
from fencepost.cli.progress import ProgressLine
from fencepost.cli.reports import show, write_reports
from fencepost.cli.results import Question, remembered
from fencepost.errors import UsageError
from fencepost.options import CheckOptions, ReportOptions
from fencepost.report.json import verdict_data
from fencepost.verdict import ExitCode, Verdict

if TYPE_CHECKING:
    from fencepost.public import Program, Unread

_FILES = (
    "The input; several only for C and C++; - is standard input. A folder, a quoted pattern such as 'tests/*.c', or "
    "several such files: every file with a line `// fencepost: model=... expect=...`, each by itself."
)
Files = Annotated[list[str], Argument(metavar="FILES", help=_FILES)]
_MODELS = "Check under each of these models, separated by commas, and print a table."
Models = Annotated[str | None, Option("--models", metavar="MODELS", help=_MODELS)]
_EXPECTED = "Of the FILES, check those that say what they expect, each by itself; the others are left alone."
Expected = Annotated[bool, Option("--expected", help=_EXPECTED)]
_WATCH = "Stay, and check again whenever a file of the program changes. Ctrl-C ends it."
Watch = Annotated[bool, Option("--watch", help=_WATCH)]
_NO_CACHE = "Explore again what was explored before and did not change."
NoCache = Annotated[bool, Option("--no-cache", help=_NO_CACHE)]
#: Of several answers the one that counts most.
_WORST = (ExitCode.FAIL, ExitCode.BAD_INPUT, ExitCode.UNKNOWN, ExitCode.PASS)


def check(
    files: Files, options: CheckOptions, reports: ReportOptions, models: Models = None, expected: Expected = False,
    watch: Watch = False, no_cache: NoCache = False, flags: tuple[str, ...] = (),
) -> Reply:  # fmt: skip
    """Explore all executions under a memory model and find assertion failures, races and other errors."""
    names = names_of(models) if models is not None else []

    def once(sources: set[str]) -> Reply:
        if expected:
            return _expecting(files, options, reports, flags, sources)
        return _once(files, options, reports, names, not no_cache, flags, sources)

    if watch:
        if "-" in files:
            raise UsageError("--watch waits for files to change: standard input is read once")
        from fencepost.cli.watch import watched

        return watched(once, files)
    return once(set())


def _expecting(
    files: list[str], options: CheckOptions, reports: ReportOptions, flags: tuple[str, ...], sources: set[str]
) -> Reply:
    """For hooks that are given whatever has changed."""
    paths = [p for p in expand(files)[0] if says_what_it_expects(p)]
    sources.update(map(str, paths))
    if not paths:
        return Reply("none of these files says what it expects", {"runs": []})
    return check_folders(paths, options, reports, flags)


def _once(
    files: list[str], options: CheckOptions, reports: ReportOptions, models: list[str], cached: bool,
    flags: tuple[str, ...], sources: set[str],
) -> Reply:  # fmt: skip
    """One answer. `sources` takes the files that it rests on."""
    paths, pattern = expand(files)
    if pattern or (len(paths) > 1 and all(map(says_what_it_expects, paths))):
        sources.update(map(str, paths))
        return check_folders(paths, options, reports, flags)
    question = Question(files, flags, options, reports, sources)
    if models:
        return _by_model(files, question.opened().read(), options, reports, models)
    explore = partial(_explored, files, options, reports)
    return explore(question.opened()) if reports.wanted else remembered(question, explore, cached=cached)


def _explored(files: list[str], options: CheckOptions, reports: ReportOptions, given: Unread) -> Reply:
    return _checked(files, given.read(), options, reports)


def _checked(files: list[str], program: Program, options: CheckOptions, reports: ReportOptions) -> Reply:
    verdict = _check(program, options)
    write_reports(reports, [(", ".join(files), verdict)])
    return Reply(show(verdict, whole=reports.all), verdict_data(verdict), verdict.exit_code)


def _check(program: Program, options: CheckOptions) -> Verdict:
    with ProgressLine() as line:
        return api.check(program, progress=line.executions, options=options)


def _by_model(
    files: list[str], program: Program, options: CheckOptions, reports: ReportOptions, names: list[str]
) -> Reply:
    """One verdict for each model; the story of the first error stands below the table."""
    found = {name: _check(program, replace(options, model=name)) for name in names}
    write_reports(reports, [(f"{', '.join(files)} under {name}", v) for name, v in found.items()])
    width = max(len(name) for name in names)
    lines = [
        f"{name:{width}}  {v.answer.value:8} {v.executions:>10} executions  {v.reason}" for name, v in found.items()
    ]
    failed = next((v for v in found.values() if v.witness is not None), None)
    codes = {v.exit_code for v in found.values()}
    code = next((c for c in _WORST if c in codes), max(codes))
    data = {"models": {name: verdict_data(v) for name, v in found.items()}}
    return Reply("\n".join([*lines, *(["", show(failed, whole=reports.all)] if failed else [])]), data, code)
