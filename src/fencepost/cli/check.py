"""fencepost check: errors in all executions."""

from __future__ import annotations

from dataclasses import asdict

from fencepost import api
from fencepost.cli.frame import Reply
from fencepost.cli.program import Files
from fencepost.cli.progress import ProgressLine
from fencepost.cli.reports import show, write_reports
from fencepost.options import CheckOptions, ReportOptions
from fencepost.report.json import verdict_data


def check(files: Files, options: CheckOptions, reports: ReportOptions, flags: tuple[str, ...] = ()) -> Reply:
    """Explore all executions under a memory model and find assertion failures, races and other errors."""
    with ProgressLine() as line:
        verdict = api.check(files, flags=flags, progress=line.executions, **asdict(options))
    write_reports(reports, [(", ".join(files), verdict)])
    return Reply(show(verdict), verdict_data(verdict), verdict.exit_code)
