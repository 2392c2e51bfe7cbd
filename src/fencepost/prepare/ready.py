"""What a program goes through before it runs under a model, in whatever engine."""

from __future__ import annotations

from fencepost.models.registry import Model
from fencepost.options import ExploreOptions
from fencepost.program.pipeline import Purpose, prepare
from fencepost.program.program import Program

_DEFAULT = ExploreOptions()


def ready(
    program: Program,
    model: Model,
    options: ExploreOptions = _DEFAULT,
    *,
    undo: bool = False,
    unordered_arrivals: bool = False,
) -> Program:
    """`undo`: the engine knows iterations that add something and take it back. `unordered_arrivals`: it knows
    barriers."""
    model.refuse_foreign(program)
    purpose = Purpose.EXPLORE if undo else Purpose.ENUMERATE
    settings = options.settings(model.mapped_like, undo=undo, unordered_arrivals=unordered_arrivals)
    return prepare(program, purpose, settings)
