"""What a volatile access is. The C standard gives it no meaning between threads (`plain`: it races); much code from
before C11 means a relaxed atomic access (`relaxed`); and some takes it for one that everybody sees in one order
(`strict`)."""

from __future__ import annotations

from fencepost.program.instructions import Instruction, Load, Mode, Store
from fencepost.program.passes.rewrite import map_functions
from fencepost.program.program import Function, Program
from fencepost.records import replace

MEANINGS = {"plain": Mode.NA, "relaxed": Mode.RLX, "strict": Mode.SC}


def read_volatile(program: Program, meaning: str) -> Program:
    """The program with its volatile accesses as ordinary ones of the mode that is meant."""
    mode = MEANINGS[meaning]

    def ordinary(i: Instruction) -> Instruction:
        marked = isinstance(i, Load | Store) and i.volatile
        return replace(i, mode=mode, volatile=False) if marked else i  # type: ignore[call-arg]

    def change(function: Function) -> Function:
        if not any(isinstance(i, Load | Store) and i.volatile for i in function.code):
            return function
        return replace(function, code=tuple(ordinary(i) for i in function.code))

    return map_functions(program, change)
