"""fencepost bounded: violations within bounds, by a solver."""

from __future__ import annotations

import sys
from typing import Annotated, Any

from fencepost import api
from fencepost.cli.arguments import Option
from fencepost.cli.frame import Reply
from fencepost.cli.program import Files
from fencepost.cli.reports import show, write_reports
from fencepost.errors import UsageError
from fencepost.options import BoundedOptions, ReportOptions
from fencepost.report.json import verdict_data

_EMIT = Annotated[
    str,
    Option(
        "--emit",
        help="Print the translation instead: program (text form), c (for CBMC) or paper (C that reads like the paper).",
    ),
]


def bounded(
    files: Files, options: BoundedOptions, reports: ReportOptions, emit: _EMIT = "", flags: tuple[str, ...] = ()
) -> Reply:
    """Find a violation within a loop bound, under POWER within a number of contexts."""
    if emit:
        if emit not in ("program", "c", "paper"):
            raise UsageError(f"--emit {emit}: expected program, c or paper")
        text = api.bounded_translation(files, form=emit, flags=flags, options=options)
        return Reply(text, {"contexts": options.bounds[-1], "unroll": options.unroll, emit: text})
    verdict = api.bounded(files, flags=flags, progress=_tell if sys.stderr.isatty() else None, options=options)
    write_reports(reports, [(", ".join(files), verdict)])
    return Reply(show(verdict, whole=reports.all), verdict_data(verdict), verdict.exit_code)


def _tell(progress: Any) -> None:
    found = {True: "found", False: "nothing", None: "the time ran out"}[progress.found]
    print(f"{progress.contexts} contexts: {found} after {progress.seconds:.1f} s", file=sys.stderr)
