"""fencepost outcomes: the final states, under one model or several."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fencepost import api
from fencepost.cli.arguments import Option
from fencepost.cli.frame import Reply
from fencepost.cli.program import Files
from fencepost.cli.show import outcomes_by_model_data, outcomes_data, show_outcomes, show_outcomes_by_model
from fencepost.options import ExploreOptions

_MODELS = "Compare these models, separated by commas: a table of outcomes."
Models = Annotated[str | None, Option("--models", metavar="MODELS", help=_MODELS)]


def outcomes(files: Files, options: ExploreOptions, models: Models = None, flags: tuple[str, ...] = ()) -> Reply:
    """List the final states that a program can reach under a memory model, and answer its condition."""
    if models is not None:
        limits = {k: v for k, v in asdict(options).items() if k != "model"}
        names = [name.strip() for name in models.split(",") if name.strip()]
        table = api.outcomes_by_model(files, names, flags=flags, **limits)
        return Reply(show_outcomes_by_model(table), outcomes_by_model_data(table))
    found = api.outcomes(files, flags=flags, **asdict(options))
    return Reply(show_outcomes(found), outcomes_data(found), found.exit_code)
