"""fencepost outcomes: the final states, under one model or several."""

from __future__ import annotations

from typing import Annotated

from fencepost import api
from fencepost.cli.arguments import Option
from fencepost.cli.frame import Reply
from fencepost.cli.program import Files
from fencepost.cli.show import outcomes_by_model_data, outcomes_data, show_outcomes, show_outcomes_by_model
from fencepost.errors import UsageError
from fencepost.options import ExploreOptions

_MODELS = "Compare these models, separated by commas: a table of outcomes."
Models = Annotated[str | None, Option("--models", metavar="MODELS", help=_MODELS)]


_OBSERVE = "Also observe this global; may be repeated. A C program observes nothing by itself."
Observe = Annotated[list[str] | None, Option("--observe", metavar="NAME", help=_OBSERVE)]


def outcomes(
    files: Files, options: ExploreOptions, models: Models = None, observe: Observe = None, flags: tuple[str, ...] = ()
) -> Reply:
    """List the final states that a program can reach under a memory model, and answer its condition."""
    program, names = api.read(files, flags=flags), observe or []
    advice = "" if names else api.how_to_observe(program)
    if models is not None:
        table = api.outcomes_by_model(program, names_of(models), observe=names, options=options)
        return Reply(show_outcomes_by_model(table) + advice, outcomes_by_model_data(table))
    found = api.outcomes(program, observe=names, options=options)
    return Reply(show_outcomes(found) + advice, outcomes_data(found), found.exit_code)


def names_of(models: str) -> list[str]:
    """Names separated by commas. Raises UsageError where there is none."""
    names = [name.strip() for name in models.split(",") if name.strip()]
    if not names:
        raise UsageError("--models names no model; expected names separated by commas, such as rc11,armv8")
    return names
