"""What a program goes through before it is enumerated under a model."""

from __future__ import annotations

from fencepost.models.registry import Model
from fencepost.options import ExploreOptions
from fencepost.program.passes.mapping import map_for_model
from fencepost.program.passes.spin import find_spins
from fencepost.program.passes.synchronisation import Synchronisation, lower_synchronisation
from fencepost.program.passes.unroll import LoopBounds, unroll
from fencepost.program.passes.weak_cas import let_weak_cas_fail
from fencepost.program.program import Program


def ready(
    program: Program,
    model: Model,
    *,
    bound: int | None = None,
    spin_detection: bool = True,
    spurious_wakeups: bool = False,
    spurious_failures: bool = True,
) -> Program:
    """Library synchronisation lowered, waiting made explicit, loops bounded, compiled for a hardware model."""
    model.refuse_foreign(program)
    program = lower_synchronisation(program, Synchronisation(spurious_wakeups))
    if spurious_failures:
        program = let_weak_cas_fail(program)
    if spin_detection:
        program = find_spins(program)
    program = unroll(program, LoopBounds(bound))
    return map_for_model(program, model.mapped_like)


def ready_for(program: Program, model: Model, options: ExploreOptions) -> Program:
    """The same as the options ask for it."""
    return ready(
        program, model, bound=options.unroll, spin_detection=options.spin_detection,
        spurious_wakeups=options.spurious_wakeups, spurious_failures=options.spurious_failures,
    )  # fmt: skip
