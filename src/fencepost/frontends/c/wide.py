"""Integers of 128 bits: two registers, the low half first. Everything is made of 64-bit operations."""

from __future__ import annotations

from collections.abc import Callable

from fencepost.frontends.assembly import counting
from fencepost.frontends.c.body import ONE, ZERO, Body
from fencepost.frontends.c.constants import number
from fencepost.frontends.c.library.runtime import run
from fencepost.frontends.c.llvm.types import Int, Type
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program.instructions import Op
from fencepost.program.operands import Const, Operand

BITS = 128
Pair = tuple[Operand, ...]
_QUOTIENT, _REMAINDER = 0, 2  # what the loop of the division gives: this half of the result, or the next one
_SIGN = Const(63)
_LEAST = number(-(1 << 63))


def is_wide(type_: Type) -> bool:
    return isinstance(type_, Int) and type_.bits == BITS


def _either(b: Body, *conditions: Operand) -> Operand:
    found = conditions[0]
    for condition in conditions[1:]:
        found = b.compute(Op.OR, found, condition)
    return found


def chosen(b: Body, condition: Operand, x: Pair, y: Pair) -> Pair:
    return tuple(b.compute(Op.SELECT, condition, p, q) for p, q in zip(x, y, strict=True))


def add(b: Body, x: Pair, y: Pair) -> Pair:
    low = b.compute(Op.ADD, x[0], y[0])
    carry = b.compute(Op.ULT, low, x[0])
    return low, b.compute(Op.ADD, b.compute(Op.ADD, x[1], y[1]), carry)


def subtract(b: Body, x: Pair, y: Pair) -> Pair:
    borrow = b.compute(Op.ULT, x[0], y[0])
    high = b.compute(Op.SUB, b.compute(Op.SUB, x[1], y[1]), borrow)
    return b.compute(Op.SUB, x[0], y[0]), high


def negate(b: Body, x: Pair) -> Pair:
    return subtract(b, (ZERO, ZERO), x)


def _high_product(b: Body, x: Operand, y: Operand) -> Operand:
    """The upper half of the product of two words, by halves of theirs."""
    half, low = Const(32), Const((1 << 32) - 1)
    xl, xh = b.compute(Op.AND, x, low), b.compute(Op.LSHR, x, half)
    yl, yh = b.compute(Op.AND, y, low), b.compute(Op.LSHR, y, half)
    least, left, right = (b.compute(Op.MUL, p, q) for p, q in ((xl, yl), (xh, yl), (xl, yh)))
    middle = b.compute(Op.ADD, left, b.compute(Op.LSHR, least, half))
    other = b.compute(Op.ADD, right, b.compute(Op.AND, middle, low))
    carried = b.compute(Op.ADD, b.compute(Op.LSHR, middle, half), b.compute(Op.LSHR, other, half))
    return b.compute(Op.ADD, b.compute(Op.MUL, xh, yh), carried)


def multiply(b: Body, x: Pair, y: Pair) -> Pair:
    crossed = b.compute(Op.ADD, b.compute(Op.MUL, x[0], y[1]), b.compute(Op.MUL, x[1], y[0]))
    return b.compute(Op.MUL, x[0], y[0]), b.compute(Op.ADD, _high_product(b, x[0], y[0]), crossed)


def _each(op: Op) -> Callable[[Body, Pair, Pair], Pair]:
    return lambda b, x, y: tuple(b.compute(op, p, q) for p, q in zip(x, y, strict=True))


# --- shifts: by n, by 64 + n, or by nothing at all, for which the word on the other side would be shifted by 64


def _shift_left(b: Body, x: Pair, y: Pair) -> Pair:
    n = b.compute(Op.AND, y[0], _SIGN)
    over = b.compute(Op.LSHR, b.compute(Op.LSHR, x[0], ONE), b.compute(Op.SUB, _SIGN, n))
    low = b.compute(Op.SHL, x[0], n)
    high = b.compute(Op.OR, b.compute(Op.SHL, x[1], n), over)
    return chosen(b, b.compute(Op.UGT, y[0], _SIGN), (ZERO, low), (low, high))


def _shift_right(op: Op) -> Callable[[Body, Pair, Pair], Pair]:
    def shift(b: Body, x: Pair, y: Pair) -> Pair:
        n = b.compute(Op.AND, y[0], _SIGN)
        over = b.compute(Op.SHL, b.compute(Op.SHL, x[1], ONE), b.compute(Op.SUB, _SIGN, n))
        low = b.compute(Op.OR, b.compute(Op.LSHR, x[0], n), over)
        high = b.compute(op, x[1], n)
        filled = b.compute(Op.ASHR, x[1], _SIGN) if op is Op.ASHR else ZERO
        return chosen(b, b.compute(Op.UGT, y[0], _SIGN), (high, filled), (low, high))

    return shift


# --- division


def _unsigned_division(b: Body, x: Pair, y: Pair, first: int) -> Pair:
    b.compute(Op.UDIV, ONE, b.compute(Op.OR, y[0], y[1]))  # by zero it is the error that it always is
    return tuple(run(b, "divide_wide", *x, *y, Const(k)) for k in (first, first + 1))


def _divide(first: int, *, signed: bool) -> Callable[[Body, Pair, Pair], Pair]:
    def divide(b: Body, x: Pair, y: Pair) -> Pair:
        if not signed:
            return _unsigned_division(b, x, y, first)
        below = [b.compute(Op.SLT, v[1], ZERO) for v in (x, y)]
        sizes = [chosen(b, n, negate(b, v), v) for n, v in zip(below, (x, y), strict=True)]
        found = _unsigned_division(b, sizes[0], sizes[1], first)
        opposite = b.compute(Op.XOR, *below) if first == _QUOTIENT else below[0]
        return chosen(b, opposite, negate(b, found), found)

    return divide


_BINARY: dict[str, Callable[[Body, Pair, Pair], Pair]] = {
    "add": add, "sub": subtract, "mul": multiply, "and": _each(Op.AND), "or": _each(Op.OR), "xor": _each(Op.XOR),
    "shl": _shift_left, "lshr": _shift_right(Op.LSHR), "ashr": _shift_right(Op.ASHR),
    "udiv": _divide(_QUOTIENT, signed=False), "urem": _divide(_REMAINDER, signed=False),
    "sdiv": _divide(_QUOTIENT, signed=True), "srem": _divide(_REMAINDER, signed=True),
}  # fmt: skip


def binary(b: Body, op: str, x: Pair, y: Pair) -> Pair:
    if op not in _BINARY:
        raise Unsupported(f"{op} of 128-bit integers")
    return _BINARY[op](b, x, y)


# --- comparisons

_OF_LOW = {Op.SLT: Op.ULT, Op.SLE: Op.ULE, Op.SGT: Op.UGT, Op.SGE: Op.UGE}


def same(b: Body, x: Pair, y: Pair) -> Operand:
    equal = [b.compute(Op.EQ, p, q) for p, q in zip(x, y, strict=True)]
    for other in equal[1:]:
        equal[0] = b.compute(Op.AND, equal[0], other)
    return equal[0]


def compare(b: Body, op: Op, x: Pair, y: Pair) -> Operand:
    """The upper halves decide unless they are equal."""
    if op in (Op.EQ, Op.NE):
        equal = same(b, x, y)
        return equal if op is Op.EQ else b.compute(Op.XOR, equal, ONE)
    equal = b.compute(Op.EQ, x[1], y[1])
    low = b.compute(_OF_LOW.get(op, op), x[0], y[0])
    return b.compute(Op.SELECT, equal, low, b.compute(op, x[1], y[1]))


# --- conversions


def convert(b: Body, op: str, values: Pair, source: int, target: int) -> Pair:
    """Between 128 bits and a narrower type."""
    if op in ("zext", "ptrtoint", "ptrtoaddr"):
        return values[0], ZERO
    if op == "sext":
        low = b.sign_extend(values[0], source)
        return low, b.compute(Op.ASHR, low, _SIGN)
    if op in ("trunc", "inttoptr"):
        return (b.truncate(values[0], target),)
    raise Unsupported(f"{op} between 128-bit integers and another type")


# --- whether a result fits


def overflow(b: Body, op: Op, x: Pair, y: Pair, *, signed: bool) -> tuple[Pair, Operand]:
    """The result, and whether it does not fit."""
    if op is Op.MUL:
        return _product(b, x, y, signed=signed)
    result = (add if op is Op.ADD else subtract)(b, x, y)
    if not signed:
        less = compare(b, Op.ULT, result, x) if op is Op.ADD else compare(b, Op.ULT, x, y)
        return result, less
    other = y[1] if op is Op.ADD else b.compute(Op.XOR, y[1], number(-1))
    both = b.compute(Op.AND, b.compute(Op.XOR, result[1], x[1]), b.compute(Op.XOR, result[1], other))
    return result, b.compute(Op.SLT, both, ZERO)


def _product(b: Body, x: Pair, y: Pair, *, signed: bool) -> tuple[Pair, Operand]:
    if not signed:
        return multiply(b, x, y), _too_large(b, x, y)
    below = [b.compute(Op.SLT, v[1], ZERO) for v in (x, y)]
    p, q = (chosen(b, n, negate(b, v), v) for n, v in zip(below, (x, y), strict=True))
    size, opposite = multiply(b, p, q), b.compute(Op.XOR, *below)
    least = b.compute(Op.AND, opposite, same(b, size, (ZERO, _LEAST)))
    beyond = b.compute(Op.AND, b.compute(Op.SLT, size[1], ZERO), b.compute(Op.XOR, least, ONE))
    return chosen(b, opposite, negate(b, size), size), _either(b, _too_large(b, p, q), beyond)


def _too_large(b: Body, x: Pair, y: Pair) -> Operand:
    """Whether a product of unsigned numbers does not fit: by the parts of it that are above 128 bits."""
    both = b.compute(Op.AND, b.compute(Op.NE, x[1], ZERO), b.compute(Op.NE, y[1], ZERO))
    crossed = [(x[1], y[0]), (x[0], y[1])]
    high = [b.compute(Op.NE, _high_product(b, p, q), ZERO) for p, q in crossed]
    sums = b.compute(Op.ADD, *(b.compute(Op.MUL, p, q) for p, q in crossed))  # one of both is zero, unless `both`
    carried = b.compute(Op.ULT, b.compute(Op.ADD, sums, _high_product(b, x[0], y[0])), sums)
    return _either(b, both, *high, carried)


# --- bits


def population(b: Body, x: Pair) -> Pair:
    return b.compute(Op.ADD, counting.population(b, x[0]), counting.population(b, x[1])), ZERO


def trailing_zeros(b: Body, x: Pair) -> Pair:
    low, high = (counting.trailing_zeros(b, v, 64) for v in x)
    return b.compute(Op.SELECT, x[0], low, b.compute(Op.ADD, high, Const(64))), ZERO


def leading_zeros(b: Body, x: Pair) -> Pair:
    low, high = (counting.leading_zeros(b, v, 64) for v in x)
    return b.compute(Op.SELECT, x[1], high, b.compute(Op.ADD, low, Const(64))), ZERO
