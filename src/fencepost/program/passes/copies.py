"""Copies of registers, as a compiler without optimisation makes them for every use of a variable.

Inside a block a use of a copy becomes a use of what was copied; a computation whose result nobody reads is dropped. A
copy carries the dependencies of what it copies, so none is lost; no access, fence or branch is touched.
"""

from __future__ import annotations

from fencepost.program.instructions import Compute, Instruction, Op
from fencepost.program.operands import Const, Operand, Reg
from fencepost.program.passes.flow import Block, Flow
from fencepost.program.passes.rewrite import defined, map_functions, map_used, rebuild, used
from fencepost.program.program import Function, Program

#: These can fail, so they stay even where nobody reads their result.
MAY_FAIL = frozenset({Op.UDIV, Op.UREM, Op.SDIV, Op.SREM, Op.TO_SIGNED, Op.TO_UNSIGNED})


def remove_copies(program: Program) -> Program:
    """The same program with fewer moves. Registers of a thread's first function that are observed must not be touched,
    so programs with observations of registers are left alone."""
    if program.observations:
        return program
    return map_functions(program, _tidy)


def _tidy(function: Function) -> Function:
    flow = Flow(function)
    parts: dict[int, list[Instruction]] = {}
    for n in flow.order:
        _forward(function, flow.blocks[n], parts)
    changed = rebuild(function, parts) if parts else function
    return _drop(changed)


def _forward(function: Function, block: Block, parts: dict[int, list[Instruction]]) -> None:
    """Replaces uses of copies inside one block. `known` maps a register to what it is a copy of."""
    known: dict[int, Operand] = {}
    for index in range(block.first, block.last + 1):
        i = function.code[index]
        new = map_used(i, lambda o: known.get(o.index, o) if isinstance(o, Reg) else o)
        if new is not i:
            parts[index] = [new]
        for register in defined(new):
            known.pop(register.index, None)
            for other in [k for k, v in known.items() if v == register]:
                del known[other]
        if isinstance(new, Compute) and (source := _copied(new)) is not None and source != new.dst:
            known[new.dst.index] = source


def _copied(i: Compute) -> Operand | None:
    """What a move copies unchanged."""
    if i.op is not Op.MOV:
        return None
    value = i.args[0]
    if i.width == 64 or (isinstance(value, Const) and 0 <= value.value < 1 << i.width):
        return value
    return None


def _drop(function: Function) -> Function:
    """Removes computations whose results are dead."""
    flow = Flow(function)
    live_in = flow.live()
    parts: dict[int, list[Instruction]] = {}
    for n in flow.order:
        block = flow.blocks[n]
        live = 0
        for m in block.after:
            live |= live_in[m]
        for index in range(block.last, block.first - 1, -1):
            i = function.code[index]
            if isinstance(i, Compute) and i.op not in MAY_FAIL and not live >> i.dst.index & 1:
                parts[index] = []
                continue
            for register in defined(i):
                live &= ~(1 << register.index)
            for operand in used(i):
                if isinstance(operand, Reg):
                    live |= 1 << operand.index
    return rebuild(function, parts) if parts else function
