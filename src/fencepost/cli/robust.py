"""fencepost robust: does a weaker model add anything to what SC does?"""

from __future__ import annotations

from fencepost import api
from fencepost.cli.frame import Reply
from fencepost.cli.program import Files
from fencepost.cli.progress import ProgressLine
from fencepost.cli.reports import show, write_reports
from fencepost.options import ReportOptions, RobustOptions
from fencepost.report.json import verdict_data


def robust(files: Files, options: RobustOptions, reports: ReportOptions, flags: tuple[str, ...] = ()) -> Reply:
    """Decide whether every execution of a program under a weaker model (RC11, RA, TSO) is one of SC."""
    if options.emit is not None:
        text = api.promela(
            files, flags=flags, against=options.against, waits=options.waits,
            spurious_wakeups=options.spurious_wakeups, spurious_failures=options.spurious_failures,
        )  # fmt: skip
        return Reply(text, {options.emit: text})
    with ProgressLine() as line:
        verdict = api.robust(files, flags=flags, progress=line.states, options=options)
    write_reports(reports, [(", ".join(files), verdict)])
    return Reply(show(verdict, whole=reports.all), verdict_data(verdict), verdict.exit_code)
