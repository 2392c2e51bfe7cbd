"""Replacing each instruction of a function by a sequence, with the jumps kept right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from fencepost.program.instructions import Instruction, Role, roles
from fencepost.program.operands import Reg
from fencepost.program.program import Function


def inside(offset: int) -> int:
    """A jump target inside an expansion: the instruction at `offset` of it (its length is what comes after it)."""
    return -1 - offset


class Registers:
    """The registers of a function while a pass adds some of its own."""

    def __init__(self, function: Function) -> None:
        self.names = list(function.registers)

    def fresh(self, stem: str) -> Reg:
        """A new register named after `stem`, different from all others."""
        name, taken = stem, set(self.names)
        while name in taken:
            name += "'"
        self.names.append(name)
        return Reg(len(self.names) - 1)


Expansion = Callable[[Instruction, Registers], Sequence[Instruction]]


def expand(function: Function, expansion: Expansion) -> Function:
    """The function with every instruction replaced by its expansion. Non-negative targets in an expansion are the
    old ones; `inside` makes targets within the expansion. Whoever jumped to an instruction jumps to the first of
    its expansion, or to what follows where it is empty."""
    registers = Registers(function)
    parts = [tuple(expansion(i, registers)) for i in function.code]
    starts = [0, *accumulate(len(p) for p in parts)]
    code = [
        retarget(i, lambda t, here=start: starts[t] if t >= 0 else here - 1 - t)  # type: ignore[misc]
        for start, part in zip(starts, parts, strict=False)
        for i in part
    ]
    return replace(function, registers=tuple(registers.names), code=tuple(code))


def retarget(instruction: Instruction, new: Callable[[int], int]) -> Instruction:
    """The instruction with every jump target replaced."""
    changes: dict[str, Any] = {}
    for f in roles(type(instruction)):
        if f.metadata["role"] is Role.TARGET:
            changes[f.name] = new(getattr(instruction, f.name))
        elif f.metadata["role"] is Role.TARGETS:
            changes[f.name] = tuple(new(t) for t in getattr(instruction, f.name))
    return replace(instruction, **changes) if changes else instruction
