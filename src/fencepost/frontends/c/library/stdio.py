"""<stdio.h>: what is printed goes to the witness; what would be read is unsupported."""

from __future__ import annotations

import re

from fencepost.frontends.c.body import ZERO, Body
from fencepost.frontends.c.calls import Handler, Site
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program import instructions as ins
from fencepost.program.operands import Const, Operand

_DIRECTIVE = re.compile(r"%[-+ #0]*(\*|\d+)?(?:\.(\*|\d+))?(?:hh|h|ll|l|j|z|t|L|q)?([diouxXeEfFgGaAcspn%])")


def formatted(index: int) -> Handler:
    """printf and its relatives: the format is argument `index`, what it formats follows."""

    def handle(b: Body, s: Site) -> Operand:
        form = b.unit.text(s[index])
        if form is None:
            b.emit(ins.Print((), "(a format that is computed)"))
            return ZERO
        text, args = _known_strings(b, form, [s[k] for k in range(index + 1, len(s))])
        b.emit(ins.Print(tuple(args), text))
        return Const(len(form))

    return handle


def _known_strings(b: Body, form: str, args: list[Operand]) -> tuple[str, list[Operand]]:
    """Puts constant strings into the format; other strings are shown as addresses."""
    left = list(args)
    kept: list[Operand] = []

    def one(match: re.Match[str]) -> str:
        for star in match.group(1), match.group(2):
            if star == "*" and left:
                kept.append(left.pop(0))
        if match.group(3) == "%" or not left:
            return match.group(0)
        value = left.pop(0)
        if match.group(3) == "s":
            known = b.unit.text(value)
            if known is not None:
                return known.replace("%", "%%")
            kept.append(value)
            return "%p"
        kept.append(value)
        return match.group(0)

    return _DIRECTIVE.sub(one, form), kept


def puts(b: Body, s: Site) -> Operand:
    known = b.unit.text(s[0])
    text = "%p" if known is None else known.replace("%", "%%")
    b.emit(ins.Print((s[0],) if known is None else (), text + ("\n" if s.callee == "puts" else "")))
    return Const(1)


def putchar(b: Body, s: Site) -> Operand:
    b.emit(ins.Print((s[0],), "%c"))
    return s[0]


def perror(b: Body, s: Site) -> None:
    b.emit(ins.Print((), f"{b.unit.text(s[0]) or ''}: error\n"))


def to_memory(b: Body, s: Site) -> Operand:
    """sprintf, snprintf: only a format without directives has a content that we know."""
    index = 1 if s.callee == "sprintf" else 2
    form = b.unit.text(s[index])
    if form is None or "%" in form:
        raise Unsupported(f"{s.callee} with a format that is not plain text")
    for k, byte in enumerate([*form.encode(), 0]):
        b.emit(ins.Store(b.add(s[0], k), Const(byte), 1, ins.Mode.NA))
    return Const(len(form.encode()))


def unformatted(index: int) -> Handler:
    """vprintf: the arguments are in a va_list; only the format is shown."""

    def handle(b: Body, s: Site) -> Operand:
        b.emit(ins.Print((), (b.unit.text(s[index]) or "").replace("%", "%%")))
        return ZERO

    return handle


def nothing(b: Body, s: Site) -> Operand:
    return ZERO


FUNCTIONS: dict[str, Handler] = {
    "printf": formatted(0), "__printf_chk": formatted(1), "fprintf": formatted(1), "__fprintf_chk": formatted(2),
    "dprintf": formatted(1), "syslog": formatted(1), "puts": puts, "fputs": puts, "putchar": putchar,
    "fputc": putchar, "putc": putchar, "perror": perror, "sprintf": to_memory, "snprintf": to_memory,
    "vprintf": unformatted(0), "vfprintf": unformatted(1),
    "fflush": nothing, "setvbuf": nothing, "setbuf": nothing, "fclose": nothing,
}  # fmt: skip
