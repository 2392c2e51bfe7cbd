"""fencepost check: errors in all executions."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

from fencepost import api
from fencepost.cli.arguments import Argument, Option
from fencepost.cli.folders import check_folders
from fencepost.cli.frame import Reply
from fencepost.cli.progress import ProgressLine
from fencepost.cli.reports import show, write_reports
from fencepost.errors import UsageError
from fencepost.options import CheckOptions, ReportOptions
from fencepost.report.json import verdict_data
from fencepost.verdict import ExitCode, Verdict

_FILES = (
    "The input; several only for C and C++; - is standard input. A folder: every file in it with a line "
    "`// fencepost: model=... expect=...`."
)
Files = Annotated[list[str], Argument(metavar="FILES", help=_FILES)]
_MODELS = "Check under each of these models, separated by commas, and print a table."
Models = Annotated[str | None, Option("--models", metavar="MODELS", help=_MODELS)]
#: Of several answers the one that counts most.
_WORST = (ExitCode.FAIL, ExitCode.BAD_INPUT, ExitCode.UNKNOWN, ExitCode.PASS)


def check(
    files: Files, options: CheckOptions, reports: ReportOptions, models: Models = None, flags: tuple[str, ...] = ()
) -> Reply:
    """Explore all executions under a memory model and find assertion failures, races and other errors."""
    if any(Path(f).is_dir() for f in files):
        return check_folders([Path(f) for f in files])
    if models is not None:
        return _by_model(files, options, reports, models, flags)
    verdict = _check(files, options, flags)
    write_reports(reports, [(", ".join(files), verdict)])
    return Reply(show(verdict, whole=reports.all), verdict_data(verdict), verdict.exit_code)


def _check(files: list[str], options: CheckOptions, flags: tuple[str, ...]) -> Verdict:
    with ProgressLine() as line:
        return api.check(files, flags=flags, progress=line.executions, **asdict(options))


def _by_model(
    files: list[str], options: CheckOptions, reports: ReportOptions, models: str, flags: tuple[str, ...]
) -> Reply:
    """One verdict for each model; the story of the first error stands below the table."""
    names = [name.strip() for name in models.split(",") if name.strip()]
    if not names:
        raise UsageError("--models names no model; expected names separated by commas, such as rc11,armv8")
    found = {name: _check(files, replace(options, model=name), flags) for name in names}
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
