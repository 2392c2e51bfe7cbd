"""Numbers of which only some bits are known: what a computation makes of a value that may be any of its type.

`Bits` stands where a machine has an int. Operators give what is known of the result, an int where that is all of it.
Whatever would have to know more (a test, a comparison, an index) raises `Undecided`.
"""

from __future__ import annotations

from typing import NoReturn

from fencepost.program.arithmetic import compute
from fencepost.program.instructions import Op
from fencepost.program.operands import WORD
from fencepost.records import dataclass

_WHOLE = (1 << WORD) - 1
_ORDERS = {Op.ULT: Op.SLT, Op.ULE: Op.SLE, Op.UGT: Op.SGT, Op.UGE: Op.SGE}
_UNSIGNED = {signed: unsigned for unsigned, signed in _ORDERS.items()}
_ANY_RESULT = frozenset({Op.ADD, Op.SUB, Op.MUL})


class Undecided(Exception):  # noqa: N818 - an answer, not a mistake
    """What happens depends on bits that are not known."""


def _refuse(*_: object) -> NoReturn:
    raise Undecided


@dataclass(frozen=True, slots=True, eq=False)
class Bits:
    """The bits of `value` are known but for those in `unknown`, which are 0 in `value`."""

    value: int
    unknown: int

    def __and__(self, other: Number) -> Number:
        a, b = _low(self) & _low(other), _high(self) & _high(other)
        return bits(a, b & ~a)

    def __or__(self, other: Number) -> Number:
        a, b = _low(self) | _low(other), _high(self) | _high(other)
        return bits(a, b & ~a)

    def __xor__(self, other: Number) -> Number:
        unknown = self.unknown | _unknown(other)
        return bits((self.value ^ _low(other)) & ~unknown, unknown)

    def __lshift__(self, by: int) -> Number:
        return bits(self.value << by, self.unknown << by)

    def __rshift__(self, by: int) -> Number:
        return bits(self.value >> by, self.unknown >> by)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__
    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = __index__ = __int__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __mod__ = __neg__ = __str__ = __format__ = _refuse


Number = int | Bits


def bits(value: int, unknown: int) -> Number:
    return Bits(value, unknown) if unknown else value


def joined(a: Number, b: Number) -> Number:
    """What is known of a number that is one of the two."""
    unknown = _unknown(a) | _unknown(b) | (_low(a) ^ _low(b))
    return bits(_low(a) & ~unknown, unknown)


def known_result(op: Op, width: int, args: tuple[Number, ...]) -> Number:
    """`compute` where some arguments are not all known."""
    if all(isinstance(a, int) for a in args):
        return compute(op, width, args)  # type: ignore[arg-type]
    mask = (1 << width) - 1
    if op is Op.SELECT:
        return (joined(args[1], args[2]) if isinstance(args[0], Bits) else args[1] if args[0] else args[2]) & mask
    if op is Op.SEXT:
        return _extended(args[0] & mask, width)
    a, *rest = (x & mask for x in args)
    if op is Op.MOV:
        return a
    (b,) = rest
    match op:
        case Op.AND:
            return a & b
        case Op.OR:
            return a | b
        case Op.XOR:
            return a ^ b
        case Op.SHL | Op.LSHR if isinstance(b, int):
            by = min(b & 0xFFFF_FFFF, width)
            return (a << by if op is Op.SHL else a >> by) & mask
        case Op.EQ | Op.NE:
            differ = (_low(a) ^ _low(b)) & ~(_unknown(a) | _unknown(b))
            return int(op is Op.NE) if differ else Bits(0, 1)
    if op in _UNSIGNED:
        sign = 1 << (width - 1)
        return _compared(_UNSIGNED[op], a ^ sign, b ^ sign)
    if op in _ORDERS:
        return _compared(op, a, b)
    if op in _ANY_RESULT:
        return Bits(0, mask)
    raise Undecided


def _low(a: Number) -> int:
    return a if isinstance(a, int) else a.value


def _high(a: Number) -> int:
    return a if isinstance(a, int) else a.value | a.unknown


def _unknown(a: Number) -> int:
    return 0 if isinstance(a, int) else a.unknown


def _extended(a: Number, width: int) -> Number:
    above = _WHOLE & ~((1 << width) - 1)
    sign = a >> (width - 1)
    if isinstance(sign, Bits):
        return bits(_low(a), _unknown(a) | above)
    return a | above if sign else a


def _compared(op: Op, a: Number, b: Number) -> Number:
    """An order of unsigned numbers: decided where all that either may be is on one side of all that the other may."""
    if op in (Op.UGT, Op.UGE):
        return _compared(Op.ULT if op is Op.UGT else Op.ULE, b, a)
    strict = op is Op.ULT
    if _high(a) < _low(b) or (not strict and _high(a) == _low(b)):
        return 1
    if _low(a) > _high(b) or (strict and _low(a) == _high(b)):
        return 0
    return Bits(0, 1)
