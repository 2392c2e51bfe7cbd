"""What a program goes through before it runs under a model, in whatever engine."""

from __future__ import annotations

from fencepost.models.registry import Model
from fencepost.options import ExploreOptions
from fencepost.program.operands import Position
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
    whole: frozenset[Position] = frozenset(),
) -> Program:
    """`undo`: the engine knows iterations that add something and take it back. `unordered_arrivals`: it knows
    barriers. `whole`: loops that keep all their iterations."""
    model.refuse_foreign(program)
    purpose = Purpose.EXPLORE if undo else Purpose.ENUMERATE
    settings = options.settings(model.mapped_like, undo=undo, unordered_arrivals=unordered_arrivals, whole=whole)
    return prepare(program, purpose, settings)
