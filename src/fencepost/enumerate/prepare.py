"""What a program goes through before it runs under a model, in whatever engine."""

from __future__ import annotations

from fencepost.models.registry import Model
from fencepost.options import ExploreOptions
from fencepost.program.passes.mapping import map_for_model
from fencepost.program.passes.spin import find_spins
from fencepost.program.passes.synchronisation import Synchronisation, lower_synchronisation
from fencepost.program.passes.unroll import LoopBounds, unroll
from fencepost.program.passes.weak_cas import let_weak_cas_fail
from fencepost.program.program import Program

_DEFAULT = ExploreOptions()


def ready(program: Program, model: Model, options: ExploreOptions = _DEFAULT, *, undo: bool = False) -> Program:
    """Library synchronisation lowered, waiting made explicit, loops bounded, compiled for a hardware model. `undo`: the
    engine knows iterations that add something and take it back."""
    model.refuse_foreign(program)
    program = lower_synchronisation(program, Synchronisation(options.spurious_wakeups))
    if options.spurious_failures:
        program = let_weak_cas_fail(program)
    if options.spin_detection:
        program = find_spins(program, undo=undo)
    program = unroll(program, LoopBounds(options.unroll, options.loop_bounds))
    return map_for_model(program, model.mapped_like)
