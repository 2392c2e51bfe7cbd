"""Computing instructions: integers, floats, comparisons, conversions, select."""

from __future__ import annotations

from collections.abc import Callable

from fencepost.frontends.c import wide
from fencepost.frontends.c.body import ONE, Body, Leaves
from fencepost.frontends.c.constants import bits_of
from fencepost.frontends.c.llvm.module import Inst
from fencepost.frontends.c.llvm.tokens import Cursor, plain_name
from fencepost.frontends.c.llvm.types import ArrayOf, Float, Ptr, Type, leaves
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program.instructions import Op
from fencepost.program.operands import Const, Operand

_INTEGER = {
    "add": Op.ADD, "sub": Op.SUB, "mul": Op.MUL, "and": Op.AND, "or": Op.OR, "xor": Op.XOR, "shl": Op.SHL,
    "lshr": Op.LSHR, "ashr": Op.ASHR, "udiv": Op.UDIV, "urem": Op.UREM, "sdiv": Op.SDIV, "srem": Op.SREM,
}  # fmt: skip
_FLOATING = {"fadd": Op.FADD, "fsub": Op.FSUB, "fmul": Op.FMUL, "fdiv": Op.FDIV, "frem": Op.FREM}
_COMPARE = {
    "eq": Op.EQ, "ne": Op.NE, "ult": Op.ULT, "ule": Op.ULE, "ugt": Op.UGT, "uge": Op.UGE, "slt": Op.SLT,
    "sle": Op.SLE, "sgt": Op.SGT, "sge": Op.SGE,
}  # fmt: skip
#: operation, whether its operands change places, whether the answer is the opposite. `one` and `ueq` need two.
_COMPARE_FLOAT = {
    "oeq": (Op.FOEQ, False, False), "olt": (Op.FOLT, False, False), "ole": (Op.FOLE, False, False),
    "ogt": (Op.FOLT, True, False), "oge": (Op.FOLE, True, False), "ord": (Op.FORD, False, False),
    "une": (Op.FOEQ, False, True), "uge": (Op.FOLT, False, True), "ugt": (Op.FOLE, False, True),
    "ule": (Op.FOLT, True, True), "ult": (Op.FOLE, True, True), "uno": (Op.FORD, False, True),
}  # fmt: skip
_FLAGS = (
    "nuw", "nsw", "exact", "disjoint", "nneg", "samesign", "fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn",
    "reassoc",
)  # fmt: skip


def scalars(type_: Type) -> list[Type]:
    """The type itself, or its elements where it is a vector."""
    if isinstance(type_, ArrayOf) and wide.is_wide(type_.element):
        raise Unsupported("a vector of 128-bit integers")
    return [t for _, t in leaves(type_)] if isinstance(type_, ArrayOf) else [type_]


def pair(b: Body, c: Cursor) -> tuple[Type, Leaves, Leaves]:
    while c.accept(*_FLAGS):
        pass
    type_ = b.types.parse(c)
    left = b.operands(type_, c)
    c.expect(",")
    return type_, left, b.operands(type_, c)


def binary(b: Body, i: Inst) -> None:
    type_, left, right = pair(b, i.cursor)
    if wide.is_wide(type_):
        b.bind(i.result, wide.binary(b, i.op, left, right))
        return
    op = _INTEGER.get(i.op) or _FLOATING[i.op]
    name = i.result or "t"
    b.bind(i.result, tuple(
        b.compute(op, x, y, width=_width(t), name=name)
        for t, x, y in zip(scalars(type_), left, right, strict=True)
    ))  # fmt: skip


def _width(type_: Type) -> int:
    width = bits_of(type_)
    if isinstance(type_, Float) and width < 32:
        raise Unsupported("half-precision arithmetic")
    return width


def negate_float(b: Body, i: Inst) -> None:
    while i.cursor.accept(*_FLAGS):
        pass
    type_ = b.types.parse(i.cursor)
    values = b.operands(type_, i.cursor)
    b.bind(i.result, tuple(b.compute(Op.FNEG, v, width=_width(t)) for t, v in zip(scalars(type_), values, strict=True)))


def compare(b: Body, i: Inst) -> None:
    while i.cursor.accept(*_FLAGS):
        pass
    op = _COMPARE[i.cursor.next()]
    type_, left, right = pair(b, i.cursor)
    if wide.is_wide(type_):
        b.bind(i.result, (wide.compare(b, op, left, right),))
        return
    name = i.result or "t"
    b.bind(i.result, tuple(
        b.compute(op, x, y, width=bits_of(t), name=name)
        for t, x, y in zip(scalars(type_), left, right, strict=True)
    ))  # fmt: skip


def compare_float(b: Body, i: Inst) -> None:
    while i.cursor.accept(*_FLAGS):
        pass
    predicate = i.cursor.next()
    type_, left, right = pair(b, i.cursor)
    b.bind(i.result, tuple(
        float_test(b, predicate, x, y, _width(t)) for t, x, y in zip(scalars(type_), left, right, strict=True)
    ))  # fmt: skip


def float_test(b: Body, predicate: str, x: Operand, y: Operand, width: int) -> Operand:
    if predicate in ("true", "false"):
        return Const(int(predicate == "true"))
    if predicate in ("one", "ueq"):
        less, more = b.compute(Op.FOLT, x, y, width=width), b.compute(Op.FOLT, y, x, width=width)
        differs = b.compute(Op.OR, less, more)
        return differs if predicate == "one" else b.compute(Op.XOR, differs, ONE)
    op, swapped, opposite = _COMPARE_FLOAT[predicate]
    found = b.compute(op, y, x, width=width) if swapped else b.compute(op, x, y, width=width)
    return b.compute(Op.XOR, found, ONE) if opposite else found


def convert(b: Body, i: Inst) -> None:
    c = i.cursor
    while c.accept(*_FLAGS):
        pass
    source = b.types.parse(c)
    name = plain_name(c.token) if c.token[:1] == "%" else ""
    values = b.operands(source, c)
    known = source.pointee if isinstance(source, Ptr) else None
    if i.result is not None and (known := known or b.memory_types.get(name)) is not None:
        b.memory_types[i.result] = known
    c.expect("to")
    target = b.types.parse(c)
    if wide.is_wide(source) != wide.is_wide(target) and not isinstance(source, ArrayOf) | isinstance(target, ArrayOf):
        narrow = target if wide.is_wide(source) else source
        b.bind(i.result, wide.convert(b, i.op, values, bits_of(narrow), bits_of(narrow)))
        return
    from_, to = scalars(source), scalars(target)
    if i.op == "bitcast" and len(from_) != len(to):
        raise Unsupported("a bit cast between vectors of different shapes")
    change = _CONVERSIONS[i.op]
    b.bind(i.result, tuple(change(b, v, bits_of(s), bits_of(t)) for s, t, v in zip(from_, to, values, strict=True)))


def _sext(b: Body, v: Operand, s: int, t: int) -> Operand:
    return b.truncate(b.sign_extend(v, s), t)


def _to_float(b: Body, v: Operand, s: int, t: int) -> Operand:
    return b.compute(Op.FROM_SIGNED, b.sign_extend(v, s), width=t)


def _to_integer(op: Op) -> Callable[[Body, Operand, int, int], Operand]:
    return lambda b, v, s, t: b.truncate(b.compute(op, v, width=s), t)


_CONVERSIONS: dict[str, Callable[[Body, Operand, int, int], Operand]] = {
    "trunc": lambda b, v, s, t: b.truncate(v, t),
    "zext": lambda b, v, s, t: v,
    "sext": _sext,
    "bitcast": lambda b, v, s, t: v,
    "addrspacecast": lambda b, v, s, t: v,
    "ptrtoint": lambda b, v, s, t: b.truncate(v, t),
    "ptrtoaddr": lambda b, v, s, t: b.truncate(v, t),
    "inttoptr": lambda b, v, s, t: v,
    "sitofp": _to_float,
    "uitofp": lambda b, v, s, t: b.compute(Op.FROM_UNSIGNED, v, width=t),
    "fptosi": _to_integer(Op.TO_SIGNED),
    "fptoui": _to_integer(Op.TO_UNSIGNED),
    "fpext": lambda b, v, s, t: b.compute(Op.FLOAT_TO_DOUBLE, v, width=64) if s < t else v,
    "fptrunc": lambda b, v, s, t: b.compute(Op.DOUBLE_TO_FLOAT, v, width=32) if s > t else v,
}


def select(b: Body, i: Inst) -> None:
    c = i.cursor
    while c.accept(*_FLAGS):
        pass
    condition_type = b.types.parse(c)
    conditions = b.operands(condition_type, c)
    c.expect(",")
    type_ = b.types.parse(c)
    then = b.operands(type_, c)
    c.expect(",")
    otherwise = b.operands(b.types.parse(c), c)
    each = conditions * len(then) if len(conditions) == 1 else conditions
    b.bind(i.result, tuple(
        b.compute(Op.SELECT, k, x, y, name=i.result or "t") for k, x, y in zip(each, then, otherwise, strict=True)
    ))  # fmt: skip


def freeze(b: Body, i: Inst) -> None:
    type_ = b.types.parse(i.cursor)
    b.bind(i.result, b.operands(type_, i.cursor))


HANDLERS: dict[str, Callable[[Body, Inst], None]] = {
    **dict.fromkeys([*_INTEGER, *_FLOATING], binary),
    **dict.fromkeys(_CONVERSIONS, convert),
    "fneg": negate_float,
    "icmp": compare,
    "fcmp": compare_float,
    "select": select,
    "freeze": freeze,
}
