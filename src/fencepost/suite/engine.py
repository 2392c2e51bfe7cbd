"""The outcomes of one program by one of two engines: the explorer, or enumeration as the independent oracle."""

from __future__ import annotations

from fencepost import explore
from fencepost.errors import UnsupportedError
from fencepost.explore import native
from fencepost.explore.engines import is_ordered, out_of_order
from fencepost.explore.native import Runner
from fencepost.models.registry import MIXED, Model
from fencepost.options import ExploreOptions
from fencepost.program.passes.points_to import mixes_sizes
from fencepost.program.program import Arch, Program
from fencepost.verdict import Outcomes

EXPLORE = "explore"
ENUMERATE = "enumerate"
#: The model that a test is meant for, where none is asked for.
NATURAL = {Arch.PPC: "power", Arch.X86: "tso", Arch.AARCH64: "armv8", Arch.RISCV: "riscv", Arch.C11: "rc11",
           Arch.FP: "rc11", Arch.LKMM: "lkmm", Arch.ARM: "armv7", Arch.MIPS: "mips", Arch.BPF: "bpf"}  # fmt: skip


def natural(program: Program) -> str:
    """The model that a test is judged by where none is asked for. ARM of 32 bits has acquiring loads and releasing
    stores since ARMv8, whose model judges both."""
    if program.arch is Arch.ARM and any(is_ordered(i) for f in program.functions for i in f.code):
        return "armv8"
    return NATURAL[program.arch]


def outcomes_by(
    engine: str, program: Program, model: Model, options: ExploreOptions, run: Runner = native.run
) -> Outcomes:
    """The outcomes by an engine; what the explorer cannot treat is enumerated, and the outcomes say so. RSMC, which was
    asked for by name, has no stand-in."""
    if options.algorithm != "trust":
        return explore.outcomes(program, model, options)
    compiled = program.arch in (Arch.C11, Arch.FP)  # the explorer cuts what such a program copies
    split = MIXED in model.offers and not compiled and not out_of_order(model) and mixes_sizes(program)
    if engine == EXPLORE and not split:
        try:
            return explore.outcomes(program, model, options, run=run)
        except UnsupportedError:
            pass
    return enumerated(program, model, options, fast=engine == EXPLORE)


def outcomes_under(program: Program, model: Model, options: ExploreOptions, run: Runner = native.run) -> Outcomes:
    """As `outcomes_by` the default engine; a model that cannot judge the program has no states and says why."""
    try:
        model.refuse_final_states(program)
        return outcomes_by(EXPLORE, program, model, options, run)
    except UnsupportedError as error:
        return Outcomes(model.name, {}, reason=str(error))


def enumerated(program: Program, model: Model, options: ExploreOptions, *, fast: bool = False) -> Outcomes:
    """The outcomes by enumeration. They are complete unless `reason` says otherwise. `fast`: the core judges the
    candidates; as an oracle of the explorers enumeration shares nothing with it."""
    from fencepost.enumerate.verdicts import outcomes_by_enumeration
    from fencepost.explore.candidates import native_judge

    return outcomes_by_enumeration(program, model, options, native_judge if fast else None)
