"""What each `Op` and `RmwOp` computes. `native/vm/arithmetic.hpp` is its twin; a test holds them equal."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from fencepost.program.instructions import ErrorKind, Op, RmwOp
from fencepost.program.operands import to_signed, to_unsigned


class ArithmeticFault(Exception):  # noqa: N818 - it is a fault of the program under test, not of ours
    """Division by zero, or a signed division that overflows."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def compute(op: Op, width: int, args: tuple[int, ...]) -> int:
    """The 64-bit register value of `op` at `width` bits. `args` are 64-bit register values."""
    if op is Op.SELECT:
        return to_unsigned(args[1] if args[0] else args[2], width)
    if op in _FLOAT:
        return _FLOAT[op](width, *args)
    if op is Op.SEXT:
        return to_unsigned(to_signed(args[0], width))
    unsigned = [to_unsigned(a, width) for a in args]
    if op in _UNSIGNED:
        return to_unsigned(_UNSIGNED[op](width, *unsigned), width)
    signed = [to_signed(a, width) for a in args]
    return to_unsigned(_SIGNED[op](width, *signed), width)


def update(op: RmwOp, size: int, old: int, value: int) -> int:
    """What a read-modify-write leaves in `size` bytes of memory."""
    width = 8 * size
    a, b = to_unsigned(old, width), to_unsigned(value, width)
    sa, sb = to_signed(a, width), to_signed(b, width)
    result = {
        RmwOp.XCHG: b, RmwOp.ADD: a + b, RmwOp.SUB: a - b, RmwOp.AND: a & b, RmwOp.OR: a | b, RmwOp.XOR: a ^ b,
        RmwOp.NAND: ~(a & b), RmwOp.MAX: max(sa, sb), RmwOp.MIN: min(sa, sb), RmwOp.UMAX: max(a, b),
        RmwOp.UMIN: min(a, b),
    }[op]  # fmt: skip
    return to_unsigned(result, width)


def _divide(width: int, a: int, b: int) -> int:
    if b == 0:
        raise ArithmeticFault(ErrorKind.DIVISION, "division by zero")
    if b == -1 and a == -(1 << (width - 1)):
        raise ArithmeticFault(ErrorKind.ARITHMETIC, "signed division overflows")
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(width: int, a: int, b: int) -> int:
    return a - b * _divide(width, a, b)


def _shift(shifted: Callable[[int, int], int]) -> Callable[[int, int, int], int]:
    """Shifts by the width or more give 0 (or the sign): what the front ends want to see checked, they assert."""

    def run(width: int, a: int, b: int) -> int:
        return shifted(a, min(b & 0xFFFF_FFFF, width))

    return run


_UNSIGNED: dict[Op, Callable[..., int]] = {
    Op.MOV: lambda w, a: a,
    Op.ADD: lambda w, a, b: a + b,
    Op.SUB: lambda w, a, b: a - b,
    Op.MUL: lambda w, a, b: a * b,
    Op.AND: lambda w, a, b: a & b,
    Op.OR: lambda w, a, b: a | b,
    Op.XOR: lambda w, a, b: a ^ b,
    Op.SHL: _shift(lambda a, b: a << b),
    Op.LSHR: _shift(lambda a, b: a >> b),
    Op.UDIV: lambda w, a, b: _divide(w + 1, a, b),
    Op.UREM: lambda w, a, b: _remainder(w + 1, a, b),
    Op.EQ: lambda w, a, b: int(a == b),
    Op.NE: lambda w, a, b: int(a != b),
    Op.ULT: lambda w, a, b: int(a < b),
    Op.ULE: lambda w, a, b: int(a <= b),
    Op.UGT: lambda w, a, b: int(a > b),
    Op.UGE: lambda w, a, b: int(a >= b),
}
_SIGNED: dict[Op, Callable[..., int]] = {
    Op.ASHR: lambda w, a, b: a >> min(to_unsigned(b, w) & 0xFFFF_FFFF, w),
    Op.SDIV: _divide,
    Op.SREM: _remainder,
    Op.SLT: lambda w, a, b: int(a < b),
    Op.SLE: lambda w, a, b: int(a <= b),
    Op.SGT: lambda w, a, b: int(a > b),
    Op.SGE: lambda w, a, b: int(a >= b),
}


def _float(width: int, bits: int) -> float:
    if width == 32:
        return float(struct.unpack("<f", struct.pack("<I", to_unsigned(bits, 32)))[0])
    return float(struct.unpack("<d", struct.pack("<Q", to_unsigned(bits)))[0])


def _bits(width: int, value: float) -> int:
    if width == 64:
        return int(struct.unpack("<Q", struct.pack("<d", value))[0])
    try:
        return int(struct.unpack("<I", struct.pack("<f", value))[0])
    except OverflowError:
        return 0xFF80_0000 if value < 0 else 0x7F80_0000


def _nan(width: int, *args: int) -> int:
    """The bits of a NaN that an operation gives, chosen as x86 does, since compilers and machines differ and both of
    our machines must agree: the first operand that is one, made quiet; else the one with its sign set."""
    for a in args:
        if math.isnan(_float(width, a)):
            return to_unsigned(a, width) | (0x40_0000 if width == 32 else 0x8_0000_0000_0000)
    return 0xFFC0_0000 if width == 32 else 0xFFF8_0000_0000_0000


def _widen_nan(a: int) -> int:
    return (a >> 31 & 1) << 63 | 0x7FF8_0000_0000_0000 | (a & 0x7F_FFFF) << 29


def _narrow_nan(a: int) -> int:
    return (a >> 63 & 1) << 31 | 0x7FC0_0000 | (a >> 29 & 0x7F_FFFF)


def _from_integer(width: int, value: int) -> int:
    """An integer as a float, rounded once: to 24 significant bits for a `float`, ties to even."""
    size = abs(value).bit_length()
    if width == 32 and size > 24:
        low = size - 24
        kept, rest, half = abs(value) >> low, abs(value) & ((1 << low) - 1), 1 << (low - 1)
        kept += rest > half or (rest == half and kept & 1)
        value = (kept << low) * (-1 if value < 0 else 1)
    return _bits(width, float(value))


def _operate(calculate: Callable[[float, float], float]) -> Callable[[int, int, int], int]:
    def operate(width: int, a: int, b: int) -> int:
        result = calculate(_float(width, a), _float(width, b))
        return _nan(width, a, b) if math.isnan(result) else _bits(width, result)

    return operate


def _judge(relation: Callable[[float, float], bool]) -> Callable[[int, int, int], int]:
    return lambda width, a, b: int(relation(_float(width, a), _float(width, b)))


def _quotient(a: float, b: float) -> float:
    if b:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _fmod(a: float, b: float) -> float:
    return math.nan if b == 0 or math.isinf(a) else math.fmod(a, b)


def _truncate(width: int, bits: int, low: int, high: int) -> int:
    value = _float(width, bits)
    if math.isnan(value):
        raise ArithmeticFault(ErrorKind.ARITHMETIC, "conversion of NaN to an integer")
    if math.isinf(value) or not low <= math.trunc(value) <= high:
        raise ArithmeticFault(ErrorKind.ARITHMETIC, "conversion of a number that no integer of the type holds")
    return to_unsigned(math.trunc(value))


def _function(calculate: Callable[..., float]) -> Callable[..., int]:
    """What C gives where Python raises: NaN outside the domain, an infinity where the result is too large."""

    def apply(width: int, *args: int) -> int:
        values = [_float(width, a) for a in args]
        try:
            result = calculate(*values)
            return _nan(width, *args) if math.isnan(result) else _bits(width, result)
        except ValueError:
            return _nan(width, *args)
        except OverflowError:
            return _bits(width, math.inf)

    return apply


def _whole(rounded: Callable[[float], float]) -> Callable[[float], float]:
    """Rounding to an integer keeps infinities, NaN and the sign of zero."""
    return lambda x: math.copysign(rounded(x), x) if math.isfinite(x) else x


def _log(x: float) -> float:
    return -math.inf if x == 0 else math.log(x)


def _pow(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except OverflowError:  # Python does not say of which sign
        return -math.inf if x < 0 and y % 2 == 1 else math.inf
    except ValueError:
        if x == 0:
            return math.copysign(math.inf, x) if y % 2 == 1 else math.inf
        return math.nan


_FLOAT: dict[Op, Callable[..., int]] = {
    Op.FADD: _operate(lambda a, b: a + b),
    Op.FSUB: _operate(lambda a, b: a - b),
    Op.FMUL: _operate(lambda a, b: a * b),
    Op.FDIV: _operate(_quotient),
    Op.FREM: _operate(_fmod),
    Op.FNEG: lambda width, a: to_unsigned(a, width) ^ (1 << (width - 1)),
    Op.FOEQ: _judge(lambda a, b: a == b),
    Op.FOLT: _judge(lambda a, b: a < b),
    Op.FOLE: _judge(lambda a, b: a <= b),
    Op.FORD: _judge(lambda a, b: not math.isnan(a) and not math.isnan(b)),
    Op.FROM_SIGNED: lambda width, a: _from_integer(width, to_signed(a)),
    Op.FROM_UNSIGNED: lambda width, a: _from_integer(width, to_unsigned(a)),
    Op.TO_SIGNED: lambda width, a: _truncate(width, a, -(1 << 63), (1 << 63) - 1),
    Op.TO_UNSIGNED: lambda width, a: _truncate(width, a, 0, (1 << 64) - 1),
    Op.FLOAT_TO_DOUBLE: lambda width, a: _widen_nan(a) if math.isnan(_float(32, a)) else _bits(64, _float(32, a)),
    Op.DOUBLE_TO_FLOAT: lambda width, a: _narrow_nan(a) if math.isnan(_float(64, a)) else _bits(32, _float(64, a)),
    Op.FSQRT: _function(math.sqrt),
    Op.FFLOOR: _function(_whole(math.floor)),
    Op.FCEIL: _function(_whole(math.ceil)),
    Op.FTRUNC: _function(_whole(math.trunc)),
    Op.FRINT: _function(_whole(round)),
    Op.FROUND: _function(_whole(lambda x: math.floor(abs(x)) + (abs(x) - math.floor(abs(x)) >= 0.5))),
    Op.FEXP: _function(math.exp),
    Op.FLOG: _function(_log),
    Op.FSIN: _function(math.sin),
    Op.FCOS: _function(math.cos),
    Op.FTAN: _function(math.tan),
    Op.FATAN: _function(math.atan),
    Op.FPOW: _function(_pow),
    Op.FATAN2: _function(math.atan2),
}
