"""What a program goes through before the core explores it."""

from __future__ import annotations

from fencepost import _core
from fencepost.options import ExploreOptions
from fencepost.program.encode import Encoded, encode
from fencepost.program.passes.mapping import map_for_model
from fencepost.program.passes.spin import find_spins
from fencepost.program.passes.synchronisation import Synchronisation, lower_synchronisation
from fencepost.program.passes.unroll import LoopBounds, unroll
from fencepost.program.passes.weak_cas import let_weak_cas_fail
from fencepost.program.program import Program
from fencepost.records import dataclass


@dataclass(frozen=True, slots=True)
class Prepared:
    """The program that runs, after every pass, and what the core made of it."""

    program: Program
    encoded: Encoded
    bytecode: _core.Bytecode


def passes(program: Program, model: str, options: ExploreOptions) -> Program:
    """Lowers library synchronisation, makes waiting explicit, bounds loops, compiles for a hardware model."""
    program = lower_synchronisation(program, Synchronisation(options.spurious_wakeups))
    if options.spurious_failures:
        program = let_weak_cas_fail(program)
    if options.spin_detection:
        program = find_spins(program, undo=True)
    program = unroll(program, LoopBounds(options.unroll, options.loop_bounds))
    return map_for_model(program, model)


def prepare(program: Program, model: str, options: ExploreOptions) -> Prepared:
    return encoded(passes(program, model, options))


def encoded(program: Program) -> Prepared:
    """A program that went through every pass, for the core."""
    words = encode(program)
    return Prepared(program, words, _core.decode(words.words, words.strings))
