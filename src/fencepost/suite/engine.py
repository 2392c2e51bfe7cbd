"""The outcomes of one program by one of two engines: the explorer, or enumeration as the independent oracle."""

from __future__ import annotations

import re
import time

from fencepost import explore
from fencepost.errors import UnsupportedError
from fencepost.models.registry import Model, find
from fencepost.options import ExploreOptions
from fencepost.program.condition import answer
from fencepost.program.layout import condition_constants, lay_out
from fencepost.program.passes.points_to import mixes_sizes
from fencepost.program.passes.split import split_mixed_sizes
from fencepost.program.program import Arch, Program
from fencepost.verdict import ErrorReport, Outcomes

EXPLORE = "explore"
ENUMERATE = "enumerate"
ENGINES = (EXPLORE, ENUMERATE)
#: The variant of a model that knows atomic blocks as the pieces of one access.
MIXED = "mixed"
#: The model that a test is meant for, where none is asked for.
NATURAL = {Arch.PPC: "power", Arch.X86: "tso", Arch.AARCH64: "armv8", Arch.RISCV: "riscv", Arch.C11: "rc11",
           Arch.FP: "rc11"}  # fmt: skip


def outcomes_by(engine: str, program: Program, model: Model, options: ExploreOptions) -> tuple[Outcomes, str]:
    """The outcomes and the engine that found them: what the explorer cannot treat is enumerated."""
    split = MIXED in variants_of(model) and mixes_sizes(program)
    if engine == EXPLORE and explore.knows(model) and not split:
        try:
            return explore.outcomes(program, model, options), EXPLORE
        except UnsupportedError:
            pass
    return enumerated(program, model, options), ENUMERATE


def outcomes_under(program: Program, model: Model, options: ExploreOptions) -> Outcomes:
    """As `outcomes_by` the default engine; a model that cannot judge the program has no states and says why."""
    try:
        return outcomes_by(EXPLORE, program, model, options)[0]
    except UnsupportedError as error:
        return Outcomes(model.name, {}, reason=str(error))


def enumerated(program: Program, model: Model, options: ExploreOptions) -> Outcomes:
    """The outcomes by enumeration. They are complete unless `reason` says otherwise."""
    from fencepost.enumerate import enumerate_program
    from fencepost.enumerate.prepare import ready
    from fencepost.enumerate.verdicts import outcomes_by_enumeration

    if MIXED not in variants_of(model) or not mixes_sizes(program):
        return outcomes_by_enumeration(program, model, options)
    start = time.perf_counter()
    split = split_mixed_sizes(ready(program, model, bound=options.unroll))
    if split is None:
        return outcomes_by_enumeration(program, model, options)
    found = enumerate_program(split.program, find(model.path, frozenset({MIXED})))
    states = split.restore(found.outcomes)
    holds = None
    if program.condition is not None and not found.bounds:
        constants = condition_constants(program, lay_out(program))
        holds = answer(program.condition, (dict(state) for state in states), constants)
    errors = tuple(error for bad in found.erroneous for error in bad.errors)
    return Outcomes(
        model.name, states, holds, len(found.complete), len(found.blocked), time.perf_counter() - start,
        _reason(found.bounds), errors,
    )  # fmt: skip


def variants_of(model: Model) -> frozenset[str]:
    """The variants that a model's own file asks for: `if "mixed" then`."""
    return frozenset(re.findall(r'\bif\s+"([^"]+)"', model.source))


def _reason(bounds: list[ErrorReport]) -> str:
    return "; ".join(f"{b.message} ({b.at})" if b.at else b.message for b in bounds[:3])
