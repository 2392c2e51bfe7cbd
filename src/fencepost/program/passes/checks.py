"""Takes out the checks for undefined behaviour that nobody wants to hear of. What a program does without them is what
it would have done with them, had they found nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fencepost.program.instructions import Alloca, Assert, ErrorKind, Instruction, Scope
from fencepost.program.passes.rewrite import map_functions, rebuild
from fencepost.program.program import Function, Program
from fencepost.records import replace


def drop_checks(program: Program, kinds: Collection[ErrorKind]) -> Program:
    """The program without its checks for errors of these kinds."""

    def without(function: Function) -> Function:
        parts: dict[int, Sequence[Instruction]] = {
            k: () for k, i in enumerate(function.code) if isinstance(i, Assert) and i.check and i.kind in kinds
        }
        if ErrorKind.UNINITIALISED in kinds:
            parts |= {
                k: (replace(i, unset=False),) for k, i in enumerate(function.code) if isinstance(i, Alloca | Scope)
            }
        return rebuild(function, parts) if parts else function

    return map_functions(program, without)
