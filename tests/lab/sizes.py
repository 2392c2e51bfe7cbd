"""Random programs whose accesses have several sizes: those of hardware.py, each access to the whole of its location, to
one of its halves, or now and then to a half of a half."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from fencepost.program.condition import FinalMemory
from fencepost.program.instructions import Compute, Instruction, Load, Rmw, Store, StoreConditional
from fencepost.program.operands import Const, GlobalAddress, Operand, Reg
from fencepost.program.passes.points_to import mixes_sizes
from fencepost.program.passes.rewrite import Registers, expand
from fencepost.program.program import Function, Init, Program
from fencepost.program.validate import validate
from fencepost.program.vocabulary import Op

_WORD = 8
_REPEATED = 0x0001_0001_0001_0001  # a small number in every quarter
_HALVES = ((0, _WORD), (0, _WORD), (0, 4), (4, 4))
_QUARTERS = (*_HALVES, (2, 2))


def of_mixed_sizes(program: Program, seed: int) -> Program:
    """The same program with other sizes, so that some accesses overlap others. What is stored is repeated over the
    word, so that each piece shows whose it is."""
    random = Random(f"sizes {seed}")
    found = _with_sizes(program, random)
    for _ in range(20):
        if mixes_sizes(found):
            break
        found = _with_sizes(program, random)
    return found


def _with_sizes(program: Program, random: Random) -> Program:
    choices = _QUARTERS if random.random() < 0.25 else _HALVES
    functions = tuple(_of_sizes(f, random, choices) for f in program.functions)
    objects = tuple(replace(o, init=tuple(_repeated(i) for i in o.init)) for o in program.objects)
    widths = tuple(replace(o, width=64) if isinstance(o.what, FinalMemory) else o for o in program.observations)
    return validate(replace(program, functions=functions, objects=objects, observations=widths))


def _repeated(init: Init) -> Init:
    assert isinstance(init.value, Const), "a location should start with a number"
    return replace(init, value=Const(init.value.value * _REPEATED))


def _of_sizes(function: Function, random: Random, choices: tuple[tuple[int, int], ...]) -> Function:
    reserved: tuple[int, int] = choices[0]
    places: dict[Operand, Operand] = {}  # of load-reserves, to which their store-conditionals go

    def expansion(i: Instruction, registers: Registers) -> list[Instruction]:
        nonlocal reserved
        if not isinstance(i, Load | Store | StoreConditional | Rmw):
            return [i]
        offset, size = reserved if isinstance(i, StoreConditional) else random.choice(choices)
        address, code = _moved(i.address, offset, registers)
        if isinstance(i, Load) and i.exclusive:
            reserved, places[i.address] = (offset, size), address
        if isinstance(i, StoreConditional):
            address, code = places[i.address], []
        if isinstance(i, Load):
            return [*code, replace(i, address=address, size=size)]
        value, repeating = _spread(i.value, registers)
        return [*code, *repeating, replace(i, address=address, value=value, size=size)]

    return expand(function, expansion)


def _spread(value: Operand, registers: Registers) -> tuple[Operand, list[Instruction]]:
    """A register may hold anything that was read: its lowest quarter is taken."""
    if isinstance(value, Const):
        return Const(value.value * _REPEATED), []
    low, spread = registers.fresh("low"), registers.fresh("spread")
    return spread, [Compute(low, (value, Const(3)), Op.AND), Compute(spread, (low, Const(_REPEATED)), Op.MUL)]


def _moved(address: Operand, offset: int, registers: Registers) -> tuple[Operand, list[Instruction]]:
    if offset == 0:
        return address, []
    if isinstance(address, GlobalAddress):
        return GlobalAddress(address.name, address.offset + offset), []
    assert isinstance(address, Reg), "an address should be a location or a register"
    moved = registers.fresh("moved")
    return moved, [Compute(moved, (address, Const(offset)), Op.ADD)]
