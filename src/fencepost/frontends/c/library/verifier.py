"""What programs written for verifiers call: ours (`fencepost.h`) and the field's (`__VERIFIER_*`)."""

from __future__ import annotations

from fencepost.frontends.c.body import ZERO, Body
from fencepost.frontends.c.site import Handler, Site
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program import instructions as ins
from fencepost.program.instructions import ErrorKind
from fencepost.program.operands import Const, Operand

_WIDEST = 64


def assume(b: Body, s: Site) -> None:
    b.emit(ins.Assume(s[0]))


def assertion(b: Body, s: Site) -> None:
    b.emit(ins.Assert(s[0], f"{s.callee} fails"))


def described_assertion(b: Body, s: Site) -> None:
    """__CPROVER_assert(condition, "what it says")"""
    said = b.unit.text(s[1]) if len(s.args) > 1 else None
    b.emit(ins.Assert(s[0], said or f"{s.callee} fails"))


def error(b: Body, s: Site) -> None:
    b.fail(ErrorKind.ASSERTION, f"{s.callee}() is reached")


def choose(b: Body, s: Site) -> Operand:
    """One of the values between two, both included."""
    result = b.fresh("choice")
    b.emit(ins.Choose(result, b.sign_extend(s[0], 32), b.sign_extend(s[1], 32)))
    return b.truncate(result, 32)


def between(low: int, high: int, bits: int) -> Handler:
    def handle(b: Body, s: Site) -> Operand:
        result = b.fresh("choice")
        b.emit(ins.Choose(result, Const(low), Const(high)))
        return b.truncate(result, bits)

    return handle


def any_of(bits: int, *, signed: bool) -> Handler:
    """Any value of a type that has too many of them to try."""
    low = -(1 << (bits - 1)) if signed or bits == _WIDEST else 0
    high = (1 << (bits - 1)) - 1 if signed or bits == _WIDEST else (1 << bits) - 1

    def handle(b: Body, s: Site) -> Operand:
        result = b.fresh(s.callee)
        b.emit(ins.Choose(result, Const(low), Const(high), True))
        return b.truncate(result, bits)

    return handle


def begin_atomic(b: Body) -> None:
    b.emit(ins.AtomicBegin())


def end_atomic(b: Body) -> None:
    b.emit(ins.AtomicEnd())


def is_atomic(name: str) -> bool:
    """A function of the competition whose whole body is an atomic block."""
    return name.startswith("__VERIFIER_atomic_") and name not in FUNCTIONS


def atomic_begin(b: Body, s: Site) -> None:
    begin_atomic(b)


def atomic_end(b: Body, s: Site) -> None:
    end_atomic(b)


def loop_bound(b: Body, s: Site) -> None:
    """The bound of the next loop in this function."""
    if not isinstance(s[0], Const):
        raise Unsupported(f"{s.callee} with a computed bound")
    if b.at is not None:
        b.unit.loop_bounds.append((b.name, b.at, s[0].value))


def nothing(b: Body, s: Site) -> Operand:
    """What marks a loop that waits says nothing new: such loops are recognised as what they are. To assume that
    somebody ends one would hide that nobody does."""
    return ZERO


#: Bits of the types of the competition, and whether they are signed. Of floating-point numbers the bits are chosen.
_TYPES = {
    "char": (8, True), "uchar": (8, False), "int": (32, True), "uint": (32, False), "short": (16, True),
    "ushort": (16, False), "long": (64, True), "ulong": (64, False), "longlong": (64, True), "ulonglong": (64, False),
    "size_t": (64, False), "s8": (8, True), "u8": (8, False), "u16": (16, False), "u32": (32, False),
    "u64": (64, False), "unsigned": (32, False), "unsigned_int": (32, False), "unsigned_char": (8, False),
    "unsigned_long": (64, False), "loff_t": (64, True), "sector_t": (64, False), "float": (32, False),
    "double": (64, False), "pointer": (64, False), "pchar": (64, False),
    "charp": (64, False), "const_char_pointer": (64, False), "pthread_t": (64, False),
}  # fmt: skip
_TRUTHS = ("bool", "_Bool", "_bool")
#: What a function is called that gives any value: of the competition, and where somebody only declares one.
_NONDET = ("__VERIFIER_nondet_", "nondet_")

FUNCTIONS: dict[str, Handler] = {
    "__VERIFIER_assume": assume, "fencepost_assume": assume, "__VERIFIER_assert": assertion,
    "fencepost_assert": assertion, "__VERIFIER_error": error, "reach_error": error, "fencepost_error": error,
    "__CPROVER_assume": assume, "__CPROVER_assert": described_assertion,
    "fencepost_choose": choose, "__VERIFIER_nondet_int_range": choose,
    **{f"{start}{name}": between(0, 1, 8) for start in _NONDET for name in _TRUTHS},
    **{f"{start}{name}": any_of(bits, signed=signed) for start in _NONDET for name, (bits, signed) in _TYPES.items()},
    "__VERIFIER_atomic_begin": atomic_begin, "fencepost_atomic_begin": atomic_begin,
    "__CPROVER_atomic_begin": atomic_begin,
    "__VERIFIER_atomic_end": atomic_end, "fencepost_atomic_end": atomic_end, "__CPROVER_atomic_end": atomic_end,
    "__VERIFIER_loop_bound": loop_bound, "fencepost_loop_bound": loop_bound,
    "__VERIFIER_loop_begin": nothing, "__VERIFIER_spin_start": nothing, "__VERIFIER_spin_end": nothing,
}  # fmt: skip
