"""fencepost models: the memory models."""

from __future__ import annotations

from typing import Annotated

from fencepost import api
from fencepost.cli.arguments import Argument, Option
from fencepost.cli.frame import Reply
from fencepost.errors import UsageError
from fencepost.verdict import ExitCode

NameOrPath = Annotated[str | None, Argument(metavar="[MODEL]", help="Show this model instead of the list.")]
Check = Annotated[
    bool, Option("--check", "Try on all small programs what an exploration out of program order rests on.")
]
Between = Annotated[
    int, Option("--between", "With --check: how many events stand between the load and the store.", "N", minimum=0)
]
Every = Annotated[int, Option("--every", "With --check: only each so many of the programs.", "N", minimum=1)]
_MEANING = {
    "valid": "commit-before has no cycle in an execution that the model allows",
    "prefix-closed": "the model allows every part that holds all that its events need",
    "stable": "what an event needs is the same in every execution that has it and what it needs",
    "complete": "the search finds every execution once",
}


def models(model: NameOrPath = None, check: Check = False, between: Between = 1, every: Every = 1) -> Reply:
    """List the memory models, or show one."""
    if check:
        if model is None:
            raise UsageError("--check is about one model: give its name or the path of a .cat file")
        return _checked(model, between, every)
    if model is not None:
        found = api.find_model(model)
        data = {"name": found.name, "kind": found.kind.value, "path": str(found.path), "source": found.source}
        return Reply(found.source, data)
    listed = [api.find_model(name) for name in api.model_names()]
    width = max(len(m.name) for m in listed)
    lines = [f"{m.name:{width}}  {m.description}" for m in listed]
    table = {"models": [{"name": m.name, "kind": m.kind.value, "description": m.description} for m in listed]}
    return Reply("\n".join([*lines, "", "--model also takes the path of a .cat file."]), table)


def _checked(model: str, between: int, every: int) -> Reply:
    found = api.check_model(model, between=between, every=every)
    lines = [
        f"{found.model}, with the commit-before of {found.rules}: {found.programs:,} programs,"
        f" {found.executions:,} executions, {found.parts:,} parts of them, {found.dead_ends:,} dead ends"
    ]
    for name, meaning in _MEANING.items():
        broken = found.broken.get(name)
        lines.append(f"  {name:14} {'no ' if broken else 'yes'}  {meaning}")
        if broken:
            lines += ["", f"    {broken[1]}, in", "", *(f"    {line}" for line in broken[0].splitlines()), ""]
    if found.broken:
        lines.append("Programs are enumerated under a model that does not meet all four.")
    data = {
        "model": found.model, "rules": found.rules, "programs": found.programs, "executions": found.executions,
        "parts": found.parts, "dead_ends": found.dead_ends,
        "obligations": {name: name not in found.broken for name in _MEANING},
        "broken": {name: {"program": p, "what": text} for name, (p, text) in found.broken.items()},
    }  # fmt: skip
    return Reply("\n".join(lines), data, ExitCode.FAIL if found.broken else ExitCode.PASS)
