"""Accesses of mixed size: the program in pieces, and the model that knows what pieces are."""

from __future__ import annotations

from fencepost.models.registry import MIXED, Model
from fencepost.program.passes.split import Split, split_mixed_sizes
from fencepost.program.program import Program

#: The variant for parts of an execution: what a model says of final states is not asked.
_PARTIAL = "partial"


def in_pieces(program: Program, model: Model) -> Split | None:
    """The program with its accesses of mixed size split, where it has some and the model knows pieces. Raises
    UnsupportedError where one of them cannot be split."""
    return split_mixed_sizes(program) if MIXED in model.offers else None


def of_pieces(model: Model) -> Model:
    """The model of programs in pieces."""
    return model.variant(MIXED)


def of_parts(model: Model) -> Model:
    """What that model says of an execution to which events may still come."""
    return model.variant(MIXED).variant(_PARTIAL)


def name_of_pieces(model: Model) -> str:
    """By which the model of pieces is found again."""
    return f"{model.name}@{MIXED}"
