"""Constants of LLVM IR: as operands of instructions, and as the first content of globals."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Protocol

from fencepost.frontends.c.llvm.tokens import Cursor, decode, plain_name
from fencepost.frontends.c.llvm.types import (
    WIDE,
    ArrayOf,
    Float,
    Int,
    Ptr,
    StructOf,
    Type,
    TypeTable,
    leaf_count,
    leaves,
    step_into,
)
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program.operands import Const, ConstantOperand, GlobalAddress, to_signed, to_unsigned
from fencepost.program.program import Init

_ZERO = ("zeroinitializer", "undef", "poison", "null", "none")
_CASTS = ("bitcast", "inttoptr", "ptrtoint", "ptrtoaddr", "addrspacecast", "trunc", "zext", "sext")
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b,
    "lshr": lambda a, b: a >> b,
}
EXPRESSIONS = frozenset({"getelementptr", "no_cfi", "dso_local_equivalent", *_CASTS, *_ARITHMETIC})


class Names(Protocol):
    """Who knows the types and the globals."""

    types: TypeTable

    def address(self, name: str) -> ConstantOperand: ...


def number(value: int, bits: int = 64) -> Const:
    """An integer of so many bits as a register holds it: zero-extended."""
    return Const(to_signed(to_unsigned(value, bits)))


def bits_of(type_: Type) -> int:
    """The width of a scalar that a register can hold."""
    if isinstance(type_, Ptr):
        return 64
    if isinstance(type_, Float):
        return min(type_.bits, 64)  # a long double is taken as a double
    if isinstance(type_, Int):
        if type_.bits > 64:
            raise Unsupported(f"a {type_.bits}-bit integer")
        return type_.bits
    raise Unsupported("an aggregate where a number should stand")


def _double(raw: int) -> float:
    return float(struct.unpack("<d", struct.pack("<Q", raw))[0])


def _long(text: str) -> float:
    """A constant that is longer than a double: of 80 bits (K), of 128 bits with the low word first (L), or the sum of
    two doubles (M)."""
    digits = text[3:]
    if text[2] == "M":
        return _double(int(digits[:16], 16)) + _double(int(digits[16:], 16))
    if text[2] == "K":
        raw, mantissa, point = int(digits[:4], 16), int(digits[4:], 16), 63
    elif text[2] == "L":
        high = int(digits[16:], 16)
        raw, mantissa, point = high >> 48, (high & ((1 << 48) - 1)) << 64 | int(digits[:16], 16), 112
        mantissa |= (raw & 0x7FFF not in (0, 0x7FFF)) << point
    else:
        raise Unsupported("a half-precision constant")
    sign, exponent = -1.0 if raw >> 15 else 1.0, raw & 0x7FFF
    if exponent == 0x7FFF:
        return math.nan if mantissa & ((1 << point) - 1) else sign * math.inf
    size = Fraction(mantissa) * Fraction(2) ** (max(exponent, 1) - 16383 - point)
    return sign * (float(size) if size < 2**1024 - 2**970 else math.inf)


def float_bits(text: str, bits: int) -> int:
    """The bits of a floating-point literal. LLVM writes floats in hexadecimal as the double of the same value."""
    if text.startswith("0x"):
        value = _long(text) if text[2] in "KLMHR" else _double(int(text, 16))
    else:
        value = float(text)
    if bits >= 64:
        return int(struct.unpack("<Q", struct.pack("<d", value))[0])
    if bits == 32:
        return int(struct.unpack("<I", struct.pack("<f", value))[0])
    raise Unsupported(f"a {bits}-bit floating-point constant")


def read_constant(names: Names, type_: Type, c: Cursor) -> tuple[ConstantOperand, ...]:
    """The scalars of a constant of this type, in order."""
    if c.accept(*_ZERO):
        return (Const(0),) * leaf_count(type_)
    if isinstance(type_, ArrayOf | StructOf):
        return tuple(_aggregate(names, type_, c))
    if type_ == WIDE:
        return _words(c)
    return (_scalar(names, type_, c),)


def _words(c: Cursor) -> tuple[Const, Const]:
    """An integer of 128 bits, the lower half first."""
    if not c.token.lstrip("-").isdigit():
        raise Unsupported(f"the 128-bit constant `{c.token}`")
    value = int(c.next())
    return number(value), number(value >> 64)


def _aggregate(names: Names, type_: ArrayOf | StructOf, c: Cursor) -> Iterator[ConstantOperand]:
    if c.token.startswith('c"'):
        for byte in decode(c.next()[2:-1]):
            yield Const(byte)
        return
    if c.accept("splat"):
        c.expect("(")
        inner = names.types.parse(c)
        value = read_constant(names, inner, c)
        c.expect(")")
        assert isinstance(type_, ArrayOf), "only vectors are splat"
        for _ in range(type_.count):
            yield from value
        return
    for inner in _members(names, c):
        yield from read_constant(names, inner, c)


def _members(names: Names, c: Cursor) -> Iterator[Type]:
    """Goes through the members of an aggregate in brackets; the caller reads each one's value."""
    opened = c.next()
    packed = opened == "<" and c.accept("{")
    closing = {"[": "]", "{": "}", "<": ">"}[opened] if not packed else "}"
    while not c.accept(closing):
        yield names.types.parse(c)
        c.accept(",")
    if packed:
        c.expect(">")


def _scalar(names: Names, type_: Type, c: Cursor) -> ConstantOperand:
    token = c.token
    if token[:1] == "@":
        return names.address(plain_name(c.next()))
    if token in EXPRESSIONS:
        return _expression(names, type_, c)
    if token in ("true", "false"):
        c.next()
        return Const(int(token == "true"))
    if isinstance(type_, Float):
        return number(float_bits(c.next(), type_.bits))
    if token[:1].isdigit() or token[:1] == "-":
        return number(int(c.next()), bits_of(type_))
    if token == "blockaddress":
        raise Unsupported("the address of a label (a computed goto)")
    raise Unsupported(f"the constant `{token}`")


def _expression(names: Names, type_: Type, c: Cursor) -> ConstantOperand:
    word = c.next()
    if word in ("no_cfi", "dso_local_equivalent"):
        return _scalar(names, type_, c)
    while c.token != "(":  # flags: inbounds, nuw, nsw, inrange(...)
        c.next()
        if c.token == "(" and c.tokens[c.at - 1] == "inrange":
            c.skip_group()
    c.expect("(")
    if word == "getelementptr":
        return _element(names, c)
    inner = names.types.parse(c)
    left = _scalar_or_zero(names, inner, c)
    if word in _CASTS:
        c.expect("to")
        wide = names.types.parse(c)
        c.expect(")")
        return _cast(word, left, inner, wide)
    c.expect(",")
    right = _scalar_or_zero(names, names.types.parse(c), c)
    c.expect(")")
    return _combine(word, left, right, bits_of(inner))


def _scalar_or_zero(names: Names, type_: Type, c: Cursor) -> ConstantOperand:
    return read_constant(names, type_, c)[0]


def _cast(word: str, value: ConstantOperand, inner: Type, wide: Type) -> ConstantOperand:
    if not isinstance(value, Const):
        if bits_of(wide) < 64:
            raise Unsupported("a constant made of part of an address")
        return value
    if word == "sext":
        return number(to_signed(value.value, bits_of(inner)), bits_of(wide))
    return number(value.value, bits_of(wide))


def _combine(word: str, left: ConstantOperand, right: ConstantOperand, bits: int) -> ConstantOperand:
    if isinstance(left, Const) and isinstance(right, Const):
        a, b = to_unsigned(left.value, bits), to_unsigned(right.value, bits)
        return number(_ARITHMETIC[word](a, b), bits)
    if word in ("add", "sub") and isinstance(left, GlobalAddress) and isinstance(right, Const):
        return GlobalAddress(left.name, left.offset + (right.value if word == "add" else -right.value))
    if word == "sub" and isinstance(left, GlobalAddress) and isinstance(right, GlobalAddress) and (
        left.name == right.name
    ):  # fmt: skip
        return number(left.offset - right.offset)
    raise Unsupported("arithmetic on addresses in a constant")


def _element(names: Names, c: Cursor) -> ConstantOperand:
    """The rest of a constant getelementptr, behind its parenthesis."""
    type_ = names.types.parse(c)
    c.expect(",")
    base = _scalar_or_zero(names, names.types.parse(c), c)
    offset, first = 0, True
    while c.accept(","):
        c.accept("inrange")
        index_type = names.types.parse(c)
        index = _scalar_or_zero(names, index_type, c)
        if not isinstance(index, Const):
            raise Unsupported("an address as an index")
        value = to_signed(index.value, bits_of(index_type))
        if first:
            offset, first = value * type_.size, False
        else:
            type_, step, _ = step_into(type_, value)
            offset += step
    c.expect(")")
    if isinstance(base, GlobalAddress):
        return GlobalAddress(base.name, base.offset + offset)
    if isinstance(base, Const):
        return number(base.value + offset)
    if offset:
        raise Unsupported("an address inside a function")
    return base


# --- first content of globals


def read_initialiser(names: Names, type_: Type, c: Cursor, base: int = 0) -> Iterator[Init]:
    """What memory holds at the start, without the zeros."""
    if c.accept(*_ZERO):
        return
    if isinstance(type_, ArrayOf) and c.token.startswith('c"'):
        yield from _bytes(decode(c.next()[2:-1]), base)
    elif isinstance(type_, ArrayOf | StructOf):
        offsets = _offsets(type_)
        for inner in _members(names, c):
            yield from read_initialiser(names, inner, c, base + next(offsets))
    elif type_ == WIDE:
        for offset, word in zip((0, 8), _words(c), strict=True):
            yield from _bytes(to_unsigned(word.value).to_bytes(8, "little"), base + offset)
    else:
        (_, scalar), = leaves(type_)  # fmt: skip
        size = (bits_of(scalar) + 7) // 8
        value = _scalar(names, type_, c)
        if isinstance(value, Const):
            yield from _bytes(to_unsigned(value.value).to_bytes(8, "little")[:size], base, size)
        else:
            yield Init(base, size, value)


def _offsets(type_: ArrayOf | StructOf) -> Iterator[int]:
    if isinstance(type_, StructOf):
        return iter(type_.layout[0])
    return iter(range(0, type_.count * type_.element.size, type_.element.size)) if type_.element.size else iter([0])


def _bytes(content: bytes, base: int, size: int = 8) -> Iterator[Init]:
    if size in (1, 2, 4, 8) and len(content) == size and any(content):
        yield Init(base, size, Const(to_signed(int.from_bytes(content, "little"), 64)))
        return
    for k, byte in enumerate(content):
        if byte:
            yield Init(base + k, 1, Const(byte))
