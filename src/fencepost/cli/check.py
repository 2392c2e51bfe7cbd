"""fencepost check: errors in all executions."""

from __future__ import annotations

from dataclasses import asdict

from fencepost import api
from fencepost.cli.frame import Reply
from fencepost.cli.program import Files
from fencepost.cli.show import show_verdict, verdict_data
from fencepost.options import CheckOptions


def check(files: Files, options: CheckOptions, flags: tuple[str, ...] = ()) -> Reply:
    """Explore all executions under a memory model and find assertion failures, races and other errors."""
    verdict = api.check(files, flags=flags, **asdict(options))
    return Reply(show_verdict(verdict), verdict_data(verdict), verdict.answer.exit_code)
