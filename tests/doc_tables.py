"""The table of behaviours on each model's page of the documentation, computed by the oracle."""

from __future__ import annotations

from pathlib import Path

from fencepost.enumerate import enumerate_executions
from fencepost.frontends import read_file
from fencepost.models.registry import Model
from fencepost.program.condition import holds
from fencepost.program.operands import Const
from fencepost.program.passes.mapping import map_for_model

DOCS = Path(__file__).parent.parent / "docs"
BEHAVIOURS = {
    "sb": "both loads miss the other thread's store",
    "sb+fences": "the same across a full fence",
    "mp": "the flag arrives before the data",
    "mp+rel-acq": "the same with release and acquire",
    "lb": "each load sees a store that comes after the other load",
    "lb+data": "the same with values out of thin air",
    "iriw": "two readers disagree on the order of two stores",
    "iriw+acq": "the same with release and acquire",
    "2+2w": "the first store of both threads wins",
    "corr": "a variable goes back in time",
}


def table(model: Model) -> str:
    lines = ["| program | behaviour | |", "|---|---|---|"]
    for name, text in BEHAVIOURS.items():
        link = f"[{name}](../examples/behaviours/{name}.fp)"
        lines.append(f"| {link} | {text} | {_answer(model, name)} |")
    return "\n".join(lines) + "\n"


def _answer(model: Model, name: str) -> str:
    if model.name == "wrc11" and name == "2+2w":
        return "no meaning: the model has no order of writes"
    return "allowed" if allows(model, name) else "forbidden"


def allows(model: Model, name: str) -> bool:
    program = map_for_model(read_file(DOCS / "examples" / "behaviours" / f"{name}.fp"), model.name)
    condition = program.condition
    assert condition is not None
    constants = {Const(v): v for v in range(3)}
    return any(holds(condition.formula, x.outcome, constants) for x in enumerate_executions(program, model))
