"""What a program goes through before it is enumerated under a model."""

from __future__ import annotations

from fencepost.errors import UnsupportedError
from fencepost.models.registry import Model, ModelKind
from fencepost.program.passes.mapping import map_for_model
from fencepost.program.passes.spin import find_spins
from fencepost.program.passes.synchronisation import lower_synchronisation
from fencepost.program.passes.unroll import LoopBounds, unroll
from fencepost.program.program import Arch, Program


def ready(program: Program, model: Model, *, bound: int | None = None, spin_detection: bool = True) -> Program:
    """Library synchronisation lowered, waiting made explicit, loops bounded, compiled for a hardware model."""
    _refuse_foreign(program, model)
    program = lower_synchronisation(program)
    if spin_detection:
        program = find_spins(program)
    program = unroll(program, LoopBounds(bound))
    return map_for_model(program, model.mapped_like)


def _refuse_foreign(program: Program, model: Model) -> None:
    """A model says nothing about the fences and accesses of another architecture."""
    if program.arch in (Arch.C11, Arch.FP) or model.kind is ModelKind.ANY:
        return
    if model.architecture is not program.arch:
        raise UnsupportedError(
            f"{program.name} is written for {program.arch.value}; the model {model.name} judges "
            f"{model.architecture.value if model.architecture else 'C11 programs'}"
        )
