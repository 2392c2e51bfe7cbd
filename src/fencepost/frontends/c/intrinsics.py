"""Intrinsics that clang emits, by name without the types at its end."""

from __future__ import annotations

from fencepost.frontends.assembly import counting
from fencepost.frontends.c import varargs, wide
from fencepost.frontends.c.body import ONE, ZERO, Body, Leaves
from fencepost.frontends.c.constants import bits_of, number
from fencepost.frontends.c.library import math, memory
from fencepost.frontends.c.llvm.types import leaves
from fencepost.frontends.c.site import Handler, Site
from fencepost.frontends.c.undefined import check_absolute
from fencepost.program import instructions as ins
from fencepost.program.instructions import ErrorKind, FenceKind, Op
from fencepost.program.operands import Const, Operand


def nothing(b: Body, s: Site) -> None:
    """Means something to an optimiser only."""


def type_number(b: Body, s: Site) -> Operand:
    """llvm.eh.typeid.for: what a landing pad compares with."""
    return Const(b.unit.exceptions.type_number(s[0]))


def first(b: Body, s: Site) -> Operand:
    return s[0]


def trap(b: Body, s: Site) -> None:
    b.fail(ErrorKind.ABORT, "a trap is reached")


def _width(s: Site) -> int:
    return bits_of(s.args[0].type)


def choice(op: Op) -> Handler:
    """min and max: the first where the comparison holds."""
    return lambda b, s: b.compute(Op.SELECT, b.compute(op, s[0], s[1], width=_width(s)), s[0], s[1])


def absolute(b: Body, s: Site) -> Operand:
    width = _width(s)
    if s[1] == ONE:  # the least number has no absolute value
        check_absolute(b, s[0], width)
    negative = b.compute(Op.SLT, s[0], ZERO, width=width)
    return b.compute(Op.SELECT, negative, b.compute(Op.SUB, ZERO, s[0], width=width), s[0])


def overflow(op: Op, *, signed: bool) -> Handler:
    """The result, and whether it does not fit."""

    def handle(b: Body, s: Site) -> Leaves:
        if wide.is_wide(s.args[0].type):
            exactly, over = wide.overflow(b, op, s.args[0].values, s.args[1].values, signed=signed)
            return *exactly, over
        width = _width(s)
        result = b.compute(op, s[0], s[1], width=width)
        if width < 33 or (width < 64 and op is not Op.MUL):
            exact = b.compute(op, *(b.sign_extend(v, width) if signed else v for v in (s[0], s[1])))
            shown = b.sign_extend(result, width) if signed else result
            return result, b.compute(Op.NE, exact, shown)
        return result, _overflow64(b, op, s[0], s[1], result, signed=signed)

    return handle


def _overflow64(b: Body, op: Op, x: Operand, y: Operand, result: Operand, *, signed: bool) -> Operand:
    if op is Op.MUL:
        if signed:
            return _signed_product(b, x, y, result)
        divisor = b.compute(Op.SELECT, y, y, ONE)
        differs = b.compute(Op.NE, b.compute(Op.UDIV, result, divisor), x)
        return b.compute(Op.SELECT, y, differs, ZERO)
    if not signed:
        return b.compute(Op.ULT, result, x) if op is Op.ADD else b.compute(Op.ULT, x, y)
    other = y if op is Op.ADD else b.compute(Op.XOR, y, number(-1))
    both = b.compute(Op.AND, b.compute(Op.XOR, result, x), b.compute(Op.XOR, result, other))
    return b.compute(Op.SLT, both, ZERO)


def _signed_product(b: Body, x: Operand, y: Operand, result: Operand) -> Operand:
    """Whether a product of 64 bits is not `result`. Dividing by -1 may itself overflow, so that case is its own."""
    least = number(-(1 << 63))
    minus, zero = b.compute(Op.EQ, x, number(-1)), b.compute(Op.EQ, x, ZERO)
    divisor = b.compute(Op.SELECT, b.compute(Op.OR, minus, zero), ONE, x)
    differs = b.compute(Op.NE, b.compute(Op.SDIV, result, divisor), y)
    otherwise = b.compute(Op.SELECT, zero, ZERO, differs)
    return b.compute(Op.SELECT, minus, b.compute(Op.EQ, y, least), otherwise)


def saturating(op: Op) -> Handler:
    """uadd.sat and usub.sat"""

    def handle(b: Body, s: Site) -> Operand:
        width = _width(s)
        result, over = overflow(op, signed=False)(b, s)  # type: ignore[misc]
        limit = number(-1, width) if op is Op.ADD else ZERO
        return b.compute(Op.SELECT, over, limit, result)

    return handle


# --- bits


def population(b: Body, s: Site) -> Operand | Leaves:
    return wide.population(b, s.args[0].values) if wide.is_wide(s.args[0].type) else counting.population(b, s[0])


def trailing_zeros(b: Body, s: Site) -> Operand | Leaves:
    if wide.is_wide(s.args[0].type):
        return wide.trailing_zeros(b, s.args[0].values)
    return counting.trailing_zeros(b, s[0], _width(s))


def leading_zeros(b: Body, s: Site) -> Operand | Leaves:
    if wide.is_wide(s.args[0].type):
        return wide.leading_zeros(b, s.args[0].values)
    return counting.leading_zeros(b, s[0], _width(s))


def swap_bytes(b: Body, s: Site) -> Operand:
    count = _width(s) // 8
    found: Operand = ZERO
    for k in range(count):
        byte = b.compute(Op.AND, b.compute(Op.LSHR, s[0], Const(8 * k)), Const(0xFF))
        found = b.compute(Op.OR, found, b.compute(Op.SHL, byte, Const(8 * (count - 1 - k))))
    return found


def funnel(left: bool) -> Handler:
    def handle(b: Body, s: Site) -> Operand:
        width = _width(s)
        n = b.compute(Op.UREM, s[2], Const(width))
        rest = b.compute(Op.SUB, Const(width), n)
        high, low = (n, rest) if left else (rest, n)
        return b.compute(Op.OR, b.compute(Op.SHL, s[0], high, width=width), b.compute(Op.LSHR, s[1], low, width=width),
                         width=width)  # fmt: skip

    return handle


# --- floats


def multiply_add(b: Body, s: Site) -> Operand:
    width = _width(s)
    return b.compute(Op.FADD, b.compute(Op.FMUL, s[0], s[1], width=width), s[2], width=width)


def fence(kind: FenceKind) -> Handler:
    return lambda b, s: b.emit(ins.Fence(kind))


def object_size(b: Body, s: Site) -> Operand:
    return number(-1, bits_of(s.result_type))


def no_result(b: Body, s: Site) -> Leaves:
    return (ZERO,) * len(leaves(s.result_type))


FUNCTIONS: dict[str, Handler] = {
    **dict.fromkeys((
        "llvm.lifetime.start", "llvm.lifetime.end", "llvm.dbg", "llvm.assume", "llvm.donothing", "llvm.prefetch",
        "llvm.invariant.start", "llvm.invariant.end", "llvm.experimental.noalias.scope.decl", "llvm.stackrestore",
        "llvm.va_end", "llvm.var.annotation", "llvm.pseudoprobe", "llvm.sideeffect", "llvm.x86.sse2.pause",
        "llvm.aarch64.hint", "llvm.fake.use",
    ), nothing),
    **dict.fromkeys((
        "llvm.expect", "llvm.launder.invariant.group", "llvm.strip.invariant.group", "llvm.ptr.annotation",
        "llvm.annotation", "llvm.ssa.copy", "llvm.threadlocal.address", "llvm.arithmetic.fence",
    ), first),
    **dict.fromkeys((
        "llvm.stacksave", "llvm.returnaddress", "llvm.frameaddress", "llvm.is.constant", "llvm.readcyclecounter",
        "llvm.thread.pointer", "llvm.allow.runtime.check", "llvm.allow.ubsan.check",
    ), no_result),
    "llvm.eh.typeid.for": type_number, "llvm.ptrmask": lambda b, s: b.compute(Op.AND, s[0], s[1]),
    "llvm.trap": trap, "llvm.debugtrap": trap, "llvm.ubsantrap": trap, "llvm.objectsize": object_size,
    "llvm.memcpy": memory.copy, "llvm.memmove": memory.move, "llvm.memset": memory.fill,
    "llvm.memcpy.inline": memory.copy, "llvm.memset.inline": memory.fill,
    "llvm.smin": choice(Op.SLT), "llvm.smax": choice(Op.SGT), "llvm.umin": choice(Op.ULT), "llvm.umax": choice(Op.UGT),
    "llvm.abs": absolute, "llvm.ctpop": population, "llvm.cttz": trailing_zeros,
    "llvm.ctlz": leading_zeros, "llvm.bswap": swap_bytes, "llvm.fshl": funnel(True), "llvm.fshr": funnel(False),
    "llvm.sadd.with.overflow": overflow(Op.ADD, signed=True), "llvm.uadd.with.overflow": overflow(Op.ADD, signed=False),
    "llvm.ssub.with.overflow": overflow(Op.SUB, signed=True), "llvm.usub.with.overflow": overflow(Op.SUB, signed=False),
    "llvm.smul.with.overflow": overflow(Op.MUL, signed=True), "llvm.umul.with.overflow": overflow(Op.MUL, signed=False),
    "llvm.uadd.sat": saturating(Op.ADD), "llvm.usub.sat": saturating(Op.SUB),
    **math.INTRINSICS, "llvm.fmuladd": multiply_add, "llvm.fma": multiply_add,
    "llvm.va_start": lambda b, s: varargs.start(b, s[0]), "llvm.va_copy": lambda b, s: varargs.copy(b, s[0], s[1]),
    "llvm.x86.sse2.mfence": fence(FenceKind.MFENCE), "llvm.x86.sse2.lfence": fence(FenceKind.LFENCE),
    "llvm.x86.sse.sfence": fence(FenceKind.SFENCE),
}  # fmt: skip


def find(name: str) -> Handler | None:
    """What stands for an intrinsic; its name ends with the types that it is for."""
    parts = name.split(".")
    for length in range(len(parts), 1, -1):
        if (found := FUNCTIONS.get(".".join(parts[:length]))) is not None:
            return found
    return None
