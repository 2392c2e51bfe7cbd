"""Front ends use a few registers again and again for values in between. Here every value that does not leave its block
gets a register of its own, so that an analysis with one set per register does not take all of them for one."""

from __future__ import annotations

from fencepost.program.condition import FinalRegister
from fencepost.program.instructions import Instruction
from fencepost.program.operands import Operand, Reg
from fencepost.program.passes.flow import Block, Flow
from fencepost.program.passes.rewrite import Registers, defined, map_defined, map_functions, map_used
from fencepost.program.program import Function, Program
from fencepost.records import replace


def told_apart(program: Program) -> Program:
    """The same program, each value of a block in a register of its own. Observed registers keep their names."""
    observed = frozenset(o.what.register for o in program.observations if isinstance(o.what, FinalRegister))
    return map_functions(program, lambda f: apart(f, observed))


def apart(function: Function, observed: frozenset[str]) -> Function:
    """The same function, instruction by instruction."""
    flow = Flow(function)
    live = flow.live()
    registers = Registers(function)
    kept = sum(1 << n for n, name in enumerate(function.registers) if name in observed)
    code = list(function.code)
    for n in flow.order:
        block = flow.blocks[n]
        leaving = kept
        for m in block.after:
            leaving |= live[m]
        code[block.first : block.last + 1] = _block(function, block, leaving, registers)
    return replace(function, registers=tuple(registers.names), code=tuple(code))


def _block(function: Function, block: Block, leaving: int, registers: Registers) -> list[Instruction]:
    """`leaving`: the registers whose last value in the block is needed elsewhere, as a bit set."""
    instructions = function.code[block.first : block.last + 1]
    last = {r.index: at for at, i in enumerate(instructions) for r in defined(i)}
    now: dict[int, Reg] = {}  # where the value of a register is

    def named(operand: Operand) -> Operand:
        return now.get(operand.index, operand) if isinstance(operand, Reg) else operand

    code = []
    for at, instruction in enumerate(instructions):
        reading = map_used(instruction, named)
        for register in defined(instruction):
            stays = last[register.index] == at and leaving >> register.index & 1
            now[register.index] = register if stays else registers.fresh(function.registers[register.index])
        code.append(map_defined(reading, named))
    return code
