"""Bytes that hold 0 or 1 and nothing else: a flag that is exchanged for 1 until it was 0 is taken as by a
compare-exchange. Of any other byte that is wrong: the exchange that finds a 2 leaves a 1 there.

A flag is told by its type, where what was read goes on as one bit. Otherwise all bytes are that the program writes.
"""

from __future__ import annotations

from collections.abc import Callable

from fencepost.program.instructions import (
    BlockingCas,
    Cas,
    Compute,
    Instruction,
    Op,
    Rmw,
    RmwOp,
    Store,
    StoreConditional,
)
from fencepost.program.operands import Const, Operand, Reg
from fencepost.program.passes.rewrite import defined, used
from fencepost.program.program import Function, Program

_TESTS = frozenset({Op.EQ, Op.NE, Op.ULT, Op.ULE, Op.UGT, Op.UGE, Op.SLT, Op.SLE, Op.SGT, Op.SGE})
_MIXES = frozenset({Op.MOV, Op.AND, Op.OR, Op.XOR})
_KEEP = frozenset({RmwOp.XCHG, RmwOp.AND, RmwOp.OR, RmwOp.XOR})


def takes_flag(function: Function, exchange: Rmw, only_bits: Callable[[], bool]) -> bool:
    """Whether what this exchange of a byte for 1 finds is 0 or 1. `only_bits`: whether every byte is."""
    looks = [i for i in function.code if exchange.dst is not None and exchange.dst in used(i)]
    by_type = bool(looks) and all(isinstance(i, Compute) and i.op is Op.MOV and i.width == 1 for i in looks)
    return by_type or only_bits()


def writes_only_bits(program: Program) -> bool:
    """Whether all bytes that the program begins with and writes one by one are 0 or 1."""
    begins = (i.value for o in program.objects if not o.constant for i in o.init if i.size == 1)
    return all(_is_bit(value) for value in begins) and all(_writes_bits(f) for f in program.functions)


def _is_bit(o: Operand) -> bool:
    return isinstance(o, Const) and o.value in (0, 1)


def _writes_bits(function: Function) -> bool:
    bits: set[int] | None = None
    for i in function.code:
        if (value := _written(i)) is None or _is_bit(value):
            continue
        bits = _bits(function) if bits is None else bits
        if not isinstance(value, Reg) or value.index not in bits:
            return False
    return True


def _written(i: Instruction) -> Operand | None:
    """What an instruction may write to a byte: with bits there, a bit."""
    match i:
        case Store(size=1) | StoreConditional(size=1):
            return i.value
        case Rmw(size=1):
            return i.value if i.op in _KEEP else Const(-1)
        case Cas(size=1) | BlockingCas(size=1):
            return i.desired
    return None


def _bits(function: Function) -> set[int]:
    """The registers that are 0 or 1 all the time."""
    found = set(range(function.parameters, len(function.registers)))
    count = -1
    while count != len(found):
        count = len(found)
        for i in function.code:
            if not _makes_bit(i, found):
                found -= {r.index for r in defined(i)}
            if isinstance(i, Cas) and i.old is not None:
                found.discard(i.old.index)
    return found


def _makes_bit(i: Instruction, bits: set[int]) -> bool:
    if isinstance(i, Cas):
        return True  # of its success; what it read is another matter
    if not isinstance(i, Compute):
        return False
    if i.op in _TESTS or (i.op in _MIXES and i.width == 1):
        return True
    known = [_is_bit(a) or (isinstance(a, Reg) and a.index in bits) for a in i.args]
    return any(known) if i.op is Op.AND else i.op in _MIXES and all(known)
