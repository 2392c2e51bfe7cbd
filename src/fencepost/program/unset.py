"""Bits that nobody has written: which of them reach a result, and what may not depend on them.

A thread may copy them, move them and compute with them; it is an error where one decides something: a branch, an
address, a call, what is printed, how the program ends. That is what MemorySanitizer looks for, and for the same reason:
a struct is copied with its gaps, and a bit-field is written by reading its neighbours. `native/vm/unset.hpp` is its
twin; a test holds them equal.
"""

from __future__ import annotations

from collections.abc import Callable

from fencepost.program import instructions as ins
from fencepost.program.arithmetic import compute
from fencepost.program.instructions import Instruction, Op
from fencepost.program.operands import Operand, to_signed, to_unsigned

_ALL = to_unsigned(-1)
_ORDERED = frozenset({Op.ULT, Op.ULE, Op.UGT, Op.UGE, Op.SLT, Op.SLE, Op.SGT, Op.SGE})
_SIGNED = frozenset({Op.SLT, Op.SLE, Op.SGT, Op.SGE})
_JUDGES = frozenset({Op.FOEQ, Op.FOLT, Op.FOLE, Op.FORD})
_CONVERTS = frozenset({
    Op.FROM_SIGNED, Op.FROM_UNSIGNED, Op.TO_SIGNED, Op.TO_UNSIGNED, Op.FLOAT_TO_DOUBLE, Op.DOUBLE_TO_FLOAT,
})  # fmt: skip


def unset_bits(op: Op, width: int, args: tuple[int, ...], unset: tuple[int, ...]) -> int:
    """The bits of `op` at `width` bits that depend on the bits `unset` of its arguments."""
    mask = to_unsigned(-1, width)
    if not any(unset):
        return 0
    if op is Op.SELECT:
        found = (args[1] ^ args[2]) | unset[1] | unset[2] if unset[0] else unset[1] if args[0] else unset[2]
        return found & mask
    a, b = args[0] & mask, args[1] & mask if len(args) > 1 else 0
    in_a, in_b = unset[0] & mask, unset[1] & mask if len(unset) > 1 else 0
    if not in_a | in_b:
        return 0
    if op in _EXACT:
        return _EXACT[op](width, a, b, in_a, in_b)
    if op in _ORDERED:
        return 0 if _compares_alike(op, width, a, b, in_a, in_b) else 1
    if op in _JUDGES:
        return 1
    return _ALL if op in _CONVERTS else mask


def _product(width: int, a: int, b: int, in_a: int, in_b: int) -> int:
    """A factor that is a power of two moves the bits, as a shift does."""
    if in_a and in_b:
        return in_a | in_b
    by, bits = (b, in_a) if in_a else (a, in_b)
    return to_unsigned(bits * (by & -by), width)


def _shift(op: Op) -> Callable[[int, int, int, int, int], int]:
    def run(width: int, a: int, b: int, in_a: int, in_b: int) -> int:
        if in_b:
            return to_unsigned(-1, width)
        if op is Op.ASHR:
            return to_unsigned(to_signed(in_a, width) >> min(b, width - 1), width)
        if b >= width:
            return 0
        return to_unsigned(in_a << b, width) if op is Op.SHL else in_a >> b

    return run


def _compares_alike(op: Op, width: int, a: int, b: int, in_a: int, in_b: int) -> bool:
    """Whether two numbers compare alike, whatever the bits are: the least of one against the greatest of the other."""
    sign = 1 << (width - 1) if op in _SIGNED else 0

    def least(value: int, bits: int) -> int:
        return ((value ^ sign) & ~bits) ^ sign

    def greatest(value: int, bits: int) -> int:
        return ((value ^ sign) | bits) ^ sign

    lower = compute(op, width, (least(a, in_a), greatest(b, in_b)))
    return lower == compute(op, width, (greatest(a, in_a), least(b, in_b)))


def _either(width: int, a: int, b: int, in_a: int, in_b: int) -> int:
    return in_a | in_b


def _equal(width: int, a: int, b: int, in_a: int, in_b: int) -> int:
    return 0 if (a ^ b) & ~(in_a | in_b) else 1


_EXACT: dict[Op, Callable[[int, int, int, int, int], int]] = {
    Op.MOV: lambda width, a, b, in_a, in_b: in_a,
    Op.SEXT: lambda width, a, b, in_a, in_b: to_unsigned(to_signed(in_a, width)),
    Op.AND: lambda width, a, b, in_a, in_b: in_a & in_b | in_a & b | a & in_b,
    Op.OR: lambda width, a, b, in_a, in_b: in_a & in_b | in_a & ~b | ~a & in_b,
    Op.XOR: _either, Op.ADD: _either, Op.SUB: _either, Op.MUL: _product, Op.SHL: _shift(Op.SHL),
    Op.LSHR: _shift(Op.LSHR), Op.ASHR: _shift(Op.ASHR), Op.EQ: _equal, Op.NE: _equal,
}  # fmt: skip


def undecided(i: Instruction, value: Callable[[Operand], int], unset: Callable[[Operand | None], int], *,
              ends: bool) -> str:  # fmt: skip
    """What may not depend on bits that nobody has written, and does; empty where nothing does. `ends`: a return from
    here ends the program."""
    match i:
        case ins.Assert(condition=c) | ins.Assume(condition=c) | ins.Branch(condition=c):
            checks = isinstance(i, ins.Assert) and i.check
            wrong = not checks and unset(c) and not value(c) & ~unset(c)
            return "a branch depends on memory that nobody has written" if wrong else ""
        case ins.Switch():
            return "a branch depends on memory that nobody has written" if unset(i.value) else ""
        case ins.Call(callee=f) | ins.Spawn(function=f):
            return "a call depends on memory that nobody has written" if unset(f) else ""
        case ins.Join():
            return "a wait for a thread depends on memory that nobody has written" if unset(i.thread) else ""
        case ins.Exit() | ins.Return():
            return "how the program ends depends on memory that nobody has written" if ends and unset(i.value) else ""
        case ins.Print():
            return "memory that nobody has written is printed" if any(map(unset, i.args)) else ""
    if unset(getattr(i, "address", None)):
        return "an address depends on memory that nobody has written"
    compared = i.operand if isinstance(i, ins.Await) else getattr(i, "expected", None)
    mask = to_unsigned(-1, 8 * getattr(i, "size", 8))  # in part: there may be gaps in what it compares with
    wrong = compared is not None and unset(compared) & mask == mask
    return "a comparison depends on memory that nobody has written" if wrong else ""
