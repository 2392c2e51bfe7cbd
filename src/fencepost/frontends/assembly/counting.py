"""Counting bits with what every machine has: additions, shifts and masks."""

from __future__ import annotations

from typing import Protocol, TypeVar

from fencepost.program.instructions import Op
from fencepost.program.operands import Const, Operand, to_signed

_ONE = Const(1)
Result = TypeVar("Result", bound=Operand, covariant=True)


class Computes(Protocol[Result]):
    """What collects code: a function of C, or a thread of assembly."""

    def compute(self, op: Op, *args: Operand, width: int = 64) -> Result: ...


def _mask(value: int) -> Const:
    return Const(to_signed(value))


def population(code: Computes[Result], value: Operand) -> Result:
    """How many bits are set, by halves."""
    c = code.compute
    x = c(Op.SUB, value, c(Op.AND, c(Op.LSHR, value, _ONE), _mask(0x5555555555555555)))
    low = _mask(0x3333333333333333)
    x = c(Op.ADD, c(Op.AND, x, low), c(Op.AND, c(Op.LSHR, x, Const(2)), low))
    x = c(Op.AND, c(Op.ADD, x, c(Op.LSHR, x, Const(4))), _mask(0x0F0F0F0F0F0F0F0F))
    return c(Op.LSHR, c(Op.MUL, x, _mask(0x0101010101010101)), Const(56))


def trailing_zeros(code: Computes[Result], value: Operand, width: int) -> Result:
    """Of zero: the width."""
    below = code.compute(Op.SUB, value, _ONE)
    free = code.compute(Op.AND, below, code.compute(Op.XOR, value, Const(-1)))
    return population(code, code.compute(Op.MOV, free, width=width))


def leading_zeros(code: Computes[Result], value: Operand, width: int) -> Result:
    """Of zero: the width. `value` has no bits above it."""
    x = value
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < width:
            x = code.compute(Op.OR, x, code.compute(Op.LSHR, x, Const(shift)))
    return code.compute(Op.SUB, Const(width), population(code, x))
