"""fencepost models: the memory models."""

from __future__ import annotations

from typing import Annotated

import typer

from fencepost import api
from fencepost.cli.frame import Reply

NameOrPath = Annotated[str | None, typer.Argument(metavar="[MODEL]", help="Show this model instead of the list.")]


def models(model: NameOrPath = None) -> Reply:
    """List the memory models, or show one."""
    if model is not None:
        found = api.find_model(model)
        return Reply(found.source, {"name": found.name, "source": found.source})
    names = api.model_names()
    return Reply("\n".join(names), {"models": list(names)})
