"""fencepost models: the memory models."""

from __future__ import annotations

from typing import Annotated

from fencepost import api
from fencepost.cli.arguments import Argument
from fencepost.cli.frame import Reply

NameOrPath = Annotated[str | None, Argument(metavar="[MODEL]", help="Show this model instead of the list.")]


def models(model: NameOrPath = None) -> Reply:
    """List the memory models, or show one."""
    if model is not None:
        found = api.find_model(model)
        data = {"name": found.name, "kind": found.kind.value, "path": str(found.path), "source": found.source}
        return Reply(found.source, data)
    listed = [api.find_model(name) for name in api.model_names()]
    width = max(len(m.name) for m in listed)
    lines = [f"{m.name:{width}}  {m.description}" for m in listed]
    table = {"models": [{"name": m.name, "kind": m.kind.value, "description": m.description} for m in listed]}
    return Reply("\n".join([*lines, "", "--model also takes the path of a .cat file."]), table)
