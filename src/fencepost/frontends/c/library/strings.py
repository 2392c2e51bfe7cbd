"""<string.h> on strings, <ctype.h>."""

from __future__ import annotations

from fencepost.frontends.c.body import Body
from fencepost.frontends.c.constants import number
from fencepost.frontends.c.library.memory import allocate
from fencepost.frontends.c.library.runtime import run
from fencepost.frontends.c.site import Handler, Site
from fencepost.program.instructions import Op
from fencepost.program.operands import Const, Operand

_ALL = number(-1)


def _cat(b: Body, s: Site) -> Operand:
    end = b.compute(Op.ADD, s[0], run(b, "strlen", s[0]))
    run(b, "strcpy", end, s[1])
    return s[0]


def _dup(b: Body, s: Site) -> Operand:
    block = allocate(b, s, b.compute(Op.ADD, run(b, "strlen", s[0]), Const(1)))
    return run(b, "strcpy", block, s[0])


def _within(low: str, high: str) -> Handler:
    """Whether a character is between two."""

    def test(b: Body, s: Site) -> Operand:
        return _between(b, s[0], low, high)

    return test


def _between(b: Body, c: Operand, low: str, high: str) -> Operand:
    moved = b.compute(Op.SUB, c, Const(ord(low)), width=32)
    return b.compute(Op.ULE, moved, Const(ord(high) - ord(low)), width=32)


def _alpha(b: Body, s: Site) -> Operand:
    return b.compute(Op.OR, _between(b, s[0], "a", "z"), _between(b, s[0], "A", "Z"))


def _alnum(b: Body, s: Site) -> Operand:
    return b.compute(Op.OR, _alpha(b, s), _between(b, s[0], "0", "9"))


def _hexadecimal(b: Body, s: Site) -> Operand:
    letters = b.compute(Op.OR, _between(b, s[0], "a", "f"), _between(b, s[0], "A", "F"))
    return b.compute(Op.OR, letters, _between(b, s[0], "0", "9"))


def _punctuation(b: Body, s: Site) -> Operand:
    other = b.compute(Op.EQ, _alnum(b, s), Const(0))
    return b.compute(Op.AND, other, _between(b, s[0], "!", "~"))


def _control(b: Body, s: Site) -> Operand:
    return b.compute(Op.OR, _between(b, s[0], "\0", "\x1f"), b.compute(Op.EQ, s[0], Const(127), width=32))


def _space(b: Body, s: Site) -> Operand:
    return b.compute(Op.OR, b.compute(Op.EQ, s[0], Const(32), width=32), _between(b, s[0], "\t", "\r"))


def _case(low: str, high: str, change: int) -> Handler:
    def convert(b: Body, s: Site) -> Operand:
        moved = b.compute(Op.ADD, s[0], Const(change), width=32)
        return b.compute(Op.SELECT, _between(b, s[0], low, high), moved, s[0])

    return convert


FUNCTIONS: dict[str, Handler] = {
    "strlen": lambda b, s: run(b, "strlen", s[0]),
    "strnlen": lambda b, s: run(b, "strnlen", s[0], s[1]),
    "strcmp": lambda b, s: run(b, "strncmp", s[0], s[1], _ALL),
    "strncmp": lambda b, s: run(b, "strncmp", s[0], s[1], s[2]),
    "strcpy": lambda b, s: run(b, "strcpy", s[0], s[1]),
    "__strcpy_chk": lambda b, s: run(b, "strcpy", s[0], s[1]),
    "strncpy": lambda b, s: run(b, "strncpy", s[0], s[1], s[2]),
    "__strncpy_chk": lambda b, s: run(b, "strncpy", s[0], s[1], s[2]),
    "strcat": _cat,
    "strchr": lambda b, s: run(b, "strchr", s[0], s[1]),
    "strrchr": lambda b, s: run(b, "strrchr", s[0], s[1]),
    "strdup": _dup,
    "strstr": lambda b, s: run(b, "strstr", s[0], s[1]),
    "strspn": lambda b, s: run(b, "strspn", s[0], s[1], Const(1)),
    "strcspn": lambda b, s: run(b, "strspn", s[0], s[1], Const(0)),
    "strcasecmp": lambda b, s: run(b, "strcasecmp", s[0], s[1], _ALL),
    "strncasecmp": lambda b, s: run(b, "strcasecmp", s[0], s[1], s[2]),
    "strncat": lambda b, s: run(b, "strncat", s[0], s[1], s[2]),
    "strcoll": lambda b, s: run(b, "strncmp", s[0], s[1], _ALL),
    "isxdigit": _hexadecimal,
    "ispunct": _punctuation,
    "iscntrl": _control,
    "isdigit": _within("0", "9"),
    "isupper": _within("A", "Z"),
    "islower": _within("a", "z"),
    "isprint": _within(" ", "~"),
    "isalpha": _alpha,
    "isalnum": _alnum,
    "isspace": _space,
    "toupper": _case("a", "z", -32),
    "tolower": _case("A", "Z", 32),
}
