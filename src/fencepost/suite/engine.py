"""The outcomes of one program by one of two engines: the explorer, or enumeration as the independent oracle."""

from __future__ import annotations

import time

from fencepost import explore
from fencepost.errors import UnsupportedError
from fencepost.models.registry import DIRECTORY, Model
from fencepost.options import ExploreOptions
from fencepost.program.condition import answer
from fencepost.program.layout import condition_constants, lay_out
from fencepost.program.passes.mapping import map_for_model
from fencepost.program.passes.spin import find_spins
from fencepost.program.passes.unroll import LoopBounds, unroll
from fencepost.program.program import Arch, Program
from fencepost.verdict import ErrorReport, Outcomes

EXPLORE = "explore"
ENUMERATE = "enumerate"
ENGINES = (EXPLORE, ENUMERATE)
#: The model that a test is meant for, where none is asked for.
NATURAL = {Arch.PPC: "power", Arch.X86: "tso", Arch.AARCH64: "armv8", Arch.RISCV: "riscv", Arch.C11: "rc11",
           Arch.FP: "rc11"}  # fmt: skip


def outcomes_by(engine: str, program: Program, model: Model, options: ExploreOptions) -> tuple[Outcomes, str]:
    """The outcomes and the engine that found them: what the explorer cannot treat is enumerated."""
    if engine == EXPLORE and model.path.parent == DIRECTORY:  # the explorer knows our models by their names
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

    start = time.perf_counter()
    found = enumerate_program(prepare(program, model, options.unroll), model)
    holds = None
    if program.condition is not None and not found.bounds:
        constants = condition_constants(program, lay_out(program))
        holds = answer(program.condition, (dict(state) for state in found.outcomes), constants)
    errors = tuple(error for bad in found.erroneous for error in bad.errors)
    return Outcomes(
        model.name, found.outcomes, holds, len(found.complete), len(found.blocked), time.perf_counter() - start,
        _reason(found.bounds), errors,
    )  # fmt: skip


def prepare(program: Program, model: Model, bound: int | None) -> Program:
    """What the model can judge: waiting loops become awaits, C11 code becomes the hardware's."""
    _refuse_foreign(program, model)
    program = find_spins(program)
    if bound is not None:
        program = unroll(program, LoopBounds(bound))
    return map_for_model(program, model.name)


def _refuse_foreign(program: Program, model: Model) -> None:
    """A model says nothing about the fences and accesses of another architecture."""
    if program.arch in (Arch.C11, Arch.FP) or model.kind.value == "any":
        return
    if model.architecture is not program.arch:
        raise UnsupportedError(
            f"{program.name} is written for {program.arch.value}; the model {model.name} judges "
            f"{model.architecture.value if model.architecture else 'C11 programs'}"
        )


def _reason(bounds: list[ErrorReport]) -> str:
    return "; ".join(f"{b.message} ({b.at})" if b.at else b.message for b in bounds[:3])
