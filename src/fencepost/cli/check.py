"""fencepost check: errors in all executions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fencepost import api
from fencepost.cli.arguments import Argument, Option
from fencepost.cli.folders import check_folders
from fencepost.cli.frame import Reply
from fencepost.cli.headers import with_header
from fencepost.cli.outcomes import names_of
from fencepost.cli.patterns import expand, says_what_it_expects
from fencepost.cli.progress import ProgressLine
from fencepost.cli.reports import show, write_reports
from fencepost.cli.results import Question, remembered
from fencepost.errors import UsageError
from fencepost.options import CheckOptions, ReportOptions
from fencepost.records import replace
from fencepost.report.json import verdict_data
from fencepost.verdict import ExitCode, Verdict

if TYPE_CHECKING:
    from fencepost.public import Unread

_FILES = (
    "The input; several only for C and C++; - is standard input. A folder, a quoted pattern such as 'tests/*.c', or "
    "several such files: every file with a line `// fencepost: model=... expect=...`, each by itself. The options that "
    "the line of a single file names hold, too, unless they are given here."
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
    explicit: frozenset[str] = frozenset(),
) -> Reply:  # fmt: skip
    """Explore all executions under a memory model and find assertion failures, races and other errors."""
    names = names_of(models) if models is not None else []
    _refuse_models(files)
    if models is not None and "model" in explicit:
        raise UsageError("--model says one model, --models several: give one of the two")
    whole = partial(check_folders, options=options, reports=reports, flags=flags, explicit=explicit, models=names)

    def once(sources: set[str]) -> Reply:
        if expected:
            return _expecting(files, sources, whole)
        if (paths := _each_by_itself(files)) is not None:
            sources.update(map(str, paths))
            return whole(paths)
        asked = with_header(files, options, flags, explicit)
        question = Question(files, asked.flags, asked.options, reports, sources)
        reply = _once(question, names or list(asked.models), not no_cache)
        return replace(reply, text=f"{reply.text.removesuffix(chr(10))}\n{asked.note}\n") if asked.note else reply

    if watch:
        if "-" in files:
            raise UsageError("--watch waits for files to change: standard input is read once")
        from fencepost.cli.watch import watched

        return watched(once, files)
    return once(set())


def _refuse_models(files: list[str]) -> None:
    """`--models sc tso` and `-m sc` leave the name of a model where a file should be."""
    for word in files:
        if word in api.model_names() and not Path(word).exists():
            raise UsageError(
                f"{word} is a model, and there is no file of that name: --model {word}; several models are separated by"
                " commas, without spaces: --models sc,tso"
            )


def _expecting(files: list[str], sources: set[str], whole: Callable[[list[Path]], Reply]) -> Reply:
    """For hooks that are given whatever has changed."""
    paths = [p for p in expand(files)[0] if says_what_it_expects(p)]
    sources.update(map(str, paths))
    if not paths:
        return Reply("none of these files says what it expects", {"runs": []})
    return whole(paths)


def _each_by_itself(files: list[str]) -> list[Path] | None:
    """The files of a folder or a pattern, or several that each say what they expect; None for one program."""
    paths, pattern = expand(files)
    return paths if pattern or (len(paths) > 1 and all(map(says_what_it_expects, paths))) else None


def _once(question: Question, models: list[str], cached: bool) -> Reply:
    """One answer."""
    if models:
        return _by_model(question, models)
    explore = partial(_explored, question)
    return explore(question.opened()) if question.reports.wanted else remembered(question, explore, cached=cached)


def _explored(question: Question, given: Unread) -> Reply:
    verdict = _check(given, question.options)
    write_reports(question.reports, [(", ".join(question.files), verdict)])
    return Reply(show(verdict, whole=question.reports.all), verdict_data(verdict), verdict.exit_code)


def _check(given: Unread, options: CheckOptions) -> Verdict:
    with ProgressLine() as line:
        return api.check_opened(given, progress=line.executions, options=options)


def _by_model(question: Question, names: list[str]) -> Reply:
    """One verdict for each model; the story of the first error stands below the table."""
    given, reports = question.opened(), question.reports
    program = given.read()
    given = replace(given, read=lambda: program)  # once for all
    found = {name: _check(given, replace(question.options, model=name)) for name in names}
    write_reports(reports, [(f"{', '.join(question.files)} under {name}", v) for name, v in found.items()])
    width = max(len(name) for name in names)
    lines = [
        f"{name:{width}}  {v.answer.value:8} {v.executions:>10} executions  {v.reason}" for name, v in found.items()
    ]
    failed = next((v for v in found.values() if v.witness is not None), None)
    codes = {v.exit_code for v in found.values()}
    code = next((c for c in _WORST if c in codes), max(codes))
    data = {"models": {name: verdict_data(v) for name, v in found.items()}}
    return Reply("\n".join([*lines, *(["", show(failed, whole=reports.all)] if failed else [])]), data, code)
