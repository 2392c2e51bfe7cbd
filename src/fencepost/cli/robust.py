"""fencepost robust: does a weaker model add anything to what SC does?"""

from __future__ import annotations

import sys
from dataclasses import asdict

from fencepost import api
from fencepost.cli.frame import Reply
from fencepost.cli.program import Files
from fencepost.cli.reports import show, write_reports
from fencepost.options import ReportOptions, RobustOptions
from fencepost.report.json import verdict_data


def robust(files: Files, options: RobustOptions, reports: ReportOptions, flags: tuple[str, ...] = ()) -> Reply:
    """Decide whether every execution of a program under release/acquire (or TSO) is one of sequential consistency."""
    if options.emit is not None:
        text = api.promela(files, flags=flags, against=options.against)
        return Reply(text, {options.emit: text})
    shown = _Progress()
    verdict = api.robust(files, flags=flags, progress=shown, **asdict(options))
    shown.clear()
    write_reports(reports, [(", ".join(files), verdict)])
    return Reply(show(verdict), verdict_data(verdict), verdict.answer.exit_code)


class _Progress:
    """One line on a terminal's standard error, rewritten a few times a second."""

    def __init__(self) -> None:
        self.last, self.used = 0.0, False

    def __call__(self, states: int, seconds: float, depth: int) -> None:
        if seconds - self.last < 0.25 or not sys.stderr.isatty():
            return
        self.last, self.used = seconds, True
        rate = states / max(seconds, 1e-6)
        sys.stderr.write(f"\r\x1b[K{states:,} states, depth {depth}, {rate:,.0f} states/s, {seconds:.0f} s")
        sys.stderr.flush()

    def clear(self) -> None:
        if self.used:
            sys.stderr.write("\r\x1b[K")
