"""fencepost outcomes: the final states."""

from __future__ import annotations

from dataclasses import asdict

from fencepost import api
from fencepost.cli.frame import Reply
from fencepost.cli.program import Files
from fencepost.cli.show import outcomes_data, show_outcomes
from fencepost.options import ExploreOptions


def outcomes(files: Files, options: ExploreOptions, flags: tuple[str, ...] = ()) -> Reply:
    """List the final states that a program can reach under a memory model, and answer its condition."""
    found = api.outcomes(files, flags=flags, **asdict(options))
    return Reply(show_outcomes(found), outcomes_data(found), found.answer.exit_code)
