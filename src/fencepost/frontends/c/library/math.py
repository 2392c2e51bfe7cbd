"""<math.h> on float and double, computed as the machine here does it."""

from __future__ import annotations

from fencepost.frontends.c.body import ZERO, Body
from fencepost.frontends.c.constants import bits_of, number
from fencepost.frontends.c.site import Handler, Site
from fencepost.program.instructions import Op
from fencepost.program.operands import Const, Operand


def _width(s: Site) -> int:
    return bits_of(s.args[0].type)


def function(op: Op) -> Handler:
    """An operation on one number, or on two."""

    def handle(b: Body, s: Site) -> Operand:
        return b.compute(op, *(s[k] for k in range(len(s))), width=_width(s))

    return handle


def absolute(b: Body, s: Site) -> Operand:
    return b.compute(Op.AND, s[0], number((1 << (_width(s) - 1)) - 1))


def copy_sign(b: Body, s: Site) -> Operand:
    sign = number(-(1 << (_width(s) - 1)))
    return b.compute(Op.OR, absolute(b, s), b.compute(Op.AND, s[1], sign, width=_width(s)))


def extreme(swap: bool) -> Handler:
    """fmin and fmax: the number where one of the two is not a number."""

    def handle(b: Body, s: Site) -> Operand:
        width, x, y = _width(s), s[0], s[1]
        less = b.compute(Op.FOLT, *((y, x) if swap else (x, y)), width=width)
        first = b.compute(Op.OR, less, b.compute(Op.EQ, b.compute(Op.FORD, y, y, width=width), ZERO))
        known = b.compute(Op.FORD, x, x, width=width)
        return b.compute(Op.SELECT, b.compute(Op.AND, first, known), x, y)

    return handle


def to_integer(op: Op) -> Handler:
    """lround, lrint and the like."""

    def handle(b: Body, s: Site) -> Operand:
        width = _width(s)
        return b.compute(Op.TO_SIGNED, b.compute(op, s[0], width=width), width=width)

    return handle


def hypotenuse(b: Body, s: Site) -> Operand:
    width = _width(s)
    squares = [b.compute(Op.FMUL, s[k], s[k], width=width) for k in (0, 1)]
    return b.compute(Op.FSQRT, b.compute(Op.FADD, *squares, width=width), width=width)


def is_negative(b: Body, s: Site) -> Operand:
    return b.compute(Op.LSHR, s[0], Const(_width(s) - 1), width=_width(s))


def is_nan(b: Body, s: Site) -> Operand:
    return b.compute(Op.EQ, b.compute(Op.FORD, s[0], s[0], width=_width(s)), ZERO)


def _exponent_full(b: Body, s: Site) -> tuple[Operand, Operand]:
    """The number without its sign, and infinity."""
    infinity = Const({32: 0x7F80_0000, 64: 0x7FF0_0000_0000_0000}[_width(s)])
    return absolute(b, s), infinity


def is_infinite(b: Body, s: Site) -> Operand:
    return b.compute(Op.EQ, *_exponent_full(b, s))


def is_finite(b: Body, s: Site) -> Operand:
    return b.compute(Op.ULT, *_exponent_full(b, s))


def classify(b: Body, s: Site) -> Operand:
    """llvm.is.fpclass(x, mask): bits for NaN (2), then infinite, normal, subnormal and zero, negative and positive."""
    mask = s[1].value if isinstance(s[1], Const) else 0
    size, infinity = _exponent_full(b, s)
    tiny = Const({32: 1 << 23, 64: 1 << 52}[_width(s)])
    below, small = b.compute(Op.ULT, size, infinity), b.compute(Op.ULT, size, tiny)
    zero = b.compute(Op.EQ, size, ZERO)
    kinds = (  # negative bit, positive bit, whether it is one
        (2, 9, b.compute(Op.EQ, size, infinity)), (3, 8, b.compute(Op.AND, below, b.compute(Op.EQ, small, ZERO))),
        (4, 7, b.compute(Op.AND, small, b.compute(Op.EQ, zero, ZERO))), (5, 6, zero),
    )  # fmt: skip
    negative = is_negative(b, s)
    found: Operand = is_nan(b, s) if mask & 3 else ZERO
    for minus, plus, holds in kinds:
        signs = (mask >> minus & 1, mask >> plus & 1)
        wanted = b.compute(Op.SELECT, negative, Const(signs[0]), Const(signs[1]))
        found = b.compute(Op.OR, found, b.compute(Op.AND, holds, wanted))
    return found


_PLAIN = {
    "sqrt": Op.FSQRT, "floor": Op.FFLOOR, "ceil": Op.FCEIL, "trunc": Op.FTRUNC, "rint": Op.FRINT, "nearbyint": Op.FRINT,
    "round": Op.FROUND, "exp": Op.FEXP, "log": Op.FLOG, "sin": Op.FSIN, "cos": Op.FCOS, "tan": Op.FTAN,
    "atan": Op.FATAN, "pow": Op.FPOW, "atan2": Op.FATAN2, "fmod": Op.FREM, "roundeven": Op.FRINT,
}  # fmt: skip
_OTHER: dict[str, Handler] = {
    "fabs": absolute, "copysign": copy_sign, "fmin": extreme(False), "fmax": extreme(True), "hypot": hypotenuse,
    "lround": to_integer(Op.FROUND), "llround": to_integer(Op.FROUND), "lrint": to_integer(Op.FRINT),
    "llrint": to_integer(Op.FRINT),
}  # fmt: skip
_CALLS = {name: function(op) for name, op in _PLAIN.items()} | _OTHER
_TESTS = {"isnan": is_nan, "isinf": is_infinite, "finite": is_finite, "signbit": is_negative}
_INTRINSIC = {"fmin": "minnum", "fmax": "maxnum"}

FUNCTIONS: dict[str, Handler] = {
    **{name + suffix: handler for name, handler in _CALLS.items() for suffix in ("", "f", "l")},
    **{f"__{name}{suffix}": handler for name, handler in _TESTS.items() for suffix in ("", "f", "l")},
}  # fmt: skip
INTRINSICS: dict[str, Handler] = {f"llvm.{_INTRINSIC.get(name, name)}": handler for name, handler in _CALLS.items()} | {
    "llvm.is.fpclass": classify
}
