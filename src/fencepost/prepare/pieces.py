"""Accesses of mixed size: the program in pieces, and the model that knows what pieces are."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise

from fencepost.errors import UnsupportedError
from fencepost.models.registry import MIXED, Model
from fencepost.program.instructions import AtomicBegin, Mode
from fencepost.program.passes.split import Split, split_mixed_sizes
from fencepost.program.program import Arch, Program

#: The variant for parts of an execution: what a model says of final states is not asked.
_PARTIAL = "partial"


def in_pieces(program: Program, model: Model, written_for: Arch) -> Split | None:
    """The program, after its passes, with its accesses of mixed size split, where it has some and the model knows
    pieces. Raises UnsupportedError where one cannot be split; in C it is met when it runs, and named."""
    if MIXED not in model.offers:
        return None
    if written_for not in (Arch.C11, Arch.FP):
        return split_mixed_sizes(program)
    with suppress(UnsupportedError):
        split = split_mixed_sizes(program)
        return split if split is not None and _cuts_atomics(split.program) else None
    return None


def _cuts_atomics(program: Program) -> bool:
    """Whether an atomic access is in pieces. Plain ones are cut as they run, where others access them in parts."""
    after = (j for f in program.functions for i, j in pairwise(f.code) if isinstance(i, AtomicBegin))
    return any(getattr(j, "mode", Mode.NA) is not Mode.NA for j in after)


def of_pieces(model: Model) -> Model:
    """The model of programs in pieces."""
    return model.variant(MIXED)


def of_parts(model: Model) -> Model:
    """What that model says of an execution to which events may still come."""
    return model.variant(MIXED).variant(_PARTIAL)


def name_of_pieces(model: Model) -> str:
    """By which the model of pieces is found again."""
    return f"{model.name}@{MIXED}"
