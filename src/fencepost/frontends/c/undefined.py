"""Undefined behaviour that the compiler looks for on our behalf. It is asked to end the program where a check fails
(`-fsanitize=... -fsanitize-trap`); the branch to such an end is read as a check, which is no branch of the program: it
adds no dependency, and `--ignore` takes it out. The compiler knows what the IR has lost: which numbers are signed,
which array is the last of its struct, what `-fwrapv` and the language's version allow."""

from __future__ import annotations

from fencepost.frontends.c.body import ONE, Body
from fencepost.frontends.c.constants import number
from fencepost.frontends.c.llvm.module import BasicBlock
from fencepost.program import instructions as ins
from fencepost.program.instructions import ErrorKind, Op
from fencepost.program.operands import Const, Operand

#: By the number that the compiler gives to the trap (clang's SanitizerHandler), in UBSan's words.
_TRAPS = {
    0: (ErrorKind.OVERFLOW, "signed integer overflow: the sum cannot be represented in its type"),
    3: (ErrorKind.OVERFLOW, "signed integer overflow: the quotient cannot be represented in its type"),
    5: (ErrorKind.FLOAT_CAST, "the value is outside the range of representable values of the integer type"),
    8: (ErrorKind.INVALID_VALUE, "a builtin gets a zero or an assumption that it is not defined for"),
    11: (ErrorKind.MISSING_RETURN, "execution reached the end of a value-returning function without returning a value"),
    12: (ErrorKind.OVERFLOW, "signed integer overflow: the product cannot be represented in its type"),
    13: (ErrorKind.OVERFLOW, "signed integer overflow: negation cannot be represented in its type"),
    18: (ErrorKind.BOUNDS, "index out of bounds for its array"),
    20: (ErrorKind.SHIFT, "shift exponent is negative, or too large for its type"),
    21: (ErrorKind.OVERFLOW, "signed integer overflow: the difference cannot be represented in its type"),
    24: (ErrorKind.INVALID_VALUE, "variable length array bound is not positive"),
}  # fmt: skip


def trap_of(block: BasicBlock) -> int | None:
    """The number of the trap where a block is nothing but the end that a failed check comes to."""
    for i in block.instructions:
        if "@llvm.ubsantrap" in i.cursor.tokens:
            at = i.cursor.tokens.index("@llvm.ubsantrap")
            return int(i.cursor.tokens[at + 3])
    return None


def check(b: Body, kind: ErrorKind, condition: Operand, message: str) -> None:
    """An error of this kind where the condition is false."""
    if not isinstance(condition, Const) or not condition.value:
        b.emit(ins.Assert(condition, message, kind, check=True))


def compilers_check(b: Body, number: int, condition: Operand, *, holds: bool) -> None:
    """The check that a branch to a trap is, where `holds` is the outcome without an error."""
    if not holds:
        condition = Const(1 - condition.value) if isinstance(condition, Const) else b.compute(Op.XOR, condition, ONE)
    kind, message = _TRAPS.get(number, (ErrorKind.INVALID_VALUE, "undefined behaviour that the compiler checks for"))
    check(b, kind, condition, message)


def check_absolute(b: Body, value: Operand, bits: int) -> None:
    least = number(-(1 << (bits - 1)), bits)
    check(
        b,
        ErrorKind.OVERFLOW,
        b.compute(Op.NE, value, least, width=bits),
        "signed integer overflow: negation cannot be represented in its type",
    )
