"""<stdio.h>: what is printed goes to the witness; what would be read is unsupported."""

from __future__ import annotations

import re

from fencepost.frontends.c.body import ONE, ZERO, Body
from fencepost.frontends.c.constants import bits_of, number
from fencepost.frontends.c.library.runtime import run
from fencepost.frontends.c.site import Argument, Handler, Site
from fencepost.frontends.c.undefined import check
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program import instructions as ins
from fencepost.program.instructions import ErrorKind, Op
from fencepost.program.operands import Const, Operand
from fencepost.program.program import Init, Object

_FLOATS = frozenset("fFeEgG")
_DIRECTIVE = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d*))?(?:hh|h|ll|l|j|z|t|L|q)?"
    r"(?P<kind>[diouxXeEfFgGaAcspn%])"
)


def formatted(index: int) -> Handler:
    """printf and its relatives: the format is argument `index`, what it formats follows."""

    def handle(b: Body, s: Site) -> Operand:
        form = b.unit.text(s[index])
        if form is None:
            b.emit(ins.Print((), "(a format that is computed)"))
            return ZERO
        text, args = _known_strings(b, s, form, [s[k] for k in range(index + 1, len(s))])
        b.emit(ins.Print(tuple(args), text))
        return Const(len(form))

    return handle


def _known_strings(b: Body, s: Site, form: str, args: list[Operand]) -> tuple[str, list[Operand]]:
    """Puts constant strings into the format; other strings are read, and shown as addresses."""
    left = list(args)
    kept: list[Operand] = []

    def one(match: re.Match[str]) -> str:
        for star in match["width"], match["precision"]:
            if star == "*" and left:
                kept.append(left.pop(0))
        if match["kind"] == "%":
            return match.group(0)
        if not left:
            check(b, ErrorKind.BAD_CALL, ZERO, f"{s.callee} has fewer arguments than its format asks for")
            return match.group(0)
        value = left.pop(0)
        if match["kind"] == "s":
            known = b.unit.text(value)
            if known is not None:
                return known.replace("%", "%%")
            _read(b, value, kept[-1] if match["precision"] == "*" else match["precision"])
            kept.append(value)
            return "%p"
        kept.append(value)
        return match.group(0)

    return _DIRECTIVE.sub(one, form), kept


def _read(b: Body, text: Operand, precision: Operand | str | None) -> None:
    """What is printed is read: others may write it, or its end may be missing. Null is printed as such."""
    take, end = b.label(), b.label()
    b.branch(text, take, end)
    b.mark(take)
    if precision is None:
        run(b, "strlen", text)
    else:
        run(b, "strnlen", text, Const(int(precision or 0)) if isinstance(precision, str) else precision)
    b.jump(end)
    b.mark(end)


def puts(b: Body, s: Site) -> Operand:
    known = b.unit.text(s[0])
    if known is None:
        run(b, "strlen", s[0])
    text = "%p" if known is None else known.replace("%", "%%")
    b.emit(ins.Print((s[0],) if known is None else (), text + ("\n" if s.callee == "puts" else "")))
    return Const(1)


def putchar(b: Body, s: Site) -> Operand:
    b.emit(ins.Print((s[0],), "%c"))
    return s[0]


def perror(b: Body, s: Site) -> None:
    b.emit(ins.Print((), f"{b.unit.text(s[0]) or ''}: error\n"))


def to_memory(b: Body, s: Site) -> Operand:
    """sprintf and snprintf: returns how long the text is, whether there was room for it or not."""
    index = {"sprintf": 1, "snprintf": 2, "__sprintf_chk": 3, "__snprintf_chk": 4}[s.callee]
    form = b.unit.text(s[index])
    if form is None:
        raise Unsupported(f"{s.callee} with a format that is computed")
    limit: Operand = number(-1)
    if "snprintf" in s.callee:
        limit = b.compute(Op.SELECT, s[1], b.compute(Op.SUB, s[1], ONE), ZERO)
    at: Operand = ZERO
    left = [Argument(a.type, a.values, a.name) for a in s.args[index + 1 :]]
    last = 0
    for match in _DIRECTIVE.finditer(form):
        at = _literal(b, s[0], at, limit, form[last : match.start()])
        at = _directive(b, s, at, limit, match, left)
        last = match.end()
    at = _literal(b, s[0], at, limit, form[last:])
    _terminate(b, s, at, limit)
    return b.truncate(at, 32)


def _literal(b: Body, buffer: Operand, at: Operand, limit: Operand, text: str) -> Operand:
    if not text:
        return at
    name = f"fencepost.text {text}"
    init = tuple(Init(k, 1, Const(byte)) for k, byte in enumerate(text.encode()))
    source = b.unit.add_object(Object(name, len(text.encode()) + 1, 1, init, constant=True))
    return run(b, "format_text", buffer, at, limit, source, ZERO, ZERO, number(-1))


def _directive(b: Body, s: Site, at: Operand, limit: Operand, match: re.Match[str], left: list[Argument]) -> Operand:
    flags, width, precision, kind = match.group(0), match["width"], match["precision"], match["kind"]
    if kind == "%":
        return _literal(b, s[0], at, limit, "%")
    if kind in _FLOATS and left and "*" not in (width, precision):
        return _floating(b, s, at, limit, match, left.pop(0))
    if kind not in "diouxXcsp" or "*" in (width, precision) or "#" in flags or not left:
        raise Unsupported(f"{s.callee} with the directive {match.group(0)}")
    if precision and kind != "s":
        raise Unsupported(f"{s.callee} with the directive {match.group(0)}")
    value = left.pop(0)
    left_side, zero = ("-" in flags.partition(width or "~")[0]), flags.lstrip("%-+ ").startswith("0")
    space = Const(int(width or 0))
    if kind == "s":
        most = number(-1) if precision is None else Const(int(precision or 0))
        return run(b, "format_text", s[0], at, limit, value.values[0], space, Const(int(left_side)), most)
    if kind == "c":
        return _character(b, s, at, limit, value.values[0], space, left_side)
    x, sign = _number(b, value, kind, "+" in flags, " " in flags)
    base = {"o": 8, "x": 16, "X": 16, "p": 16}.get(kind, 10)
    if kind == "p":
        at = _literal(b, s[0], at, limit, "0x")
    return run(b, "format_number", s[0], at, limit, x, Const(base), sign, space, Const(int(zero)),
               Const(int(left_side)), Const(55 if kind == "X" else 87))  # fmt: skip


def _floating(b: Body, s: Site, at: Operand, limit: Operand, match: re.Match[str], value: Argument) -> Operand:
    """Written in C, in `support/floats.c`."""
    flags = sum(1 << k for k, flag in enumerate("-+ 0#") if flag in match["flags"])
    result = b.fresh("format")
    precision = Const(6 if match["precision"] is None else int(match["precision"] or 0))
    args = (
        s[0],
        at,
        limit,
        value.values[0],
        Const(ord(match["kind"])),
        precision,
        Const(int(match["width"] or 0)),
        Const(flags),
    )
    b.emit(ins.Call(result, b.unit.address("fencepost_format_double"), args))
    return result


def _number(b: Body, value: Argument, kind: str, plus: bool, blank: bool) -> tuple[Operand, Operand]:
    """What is formatted, without its sign, and the sign as a character or 0."""
    bits = bits_of(value.type)
    x = value.values[0]
    if kind not in "di":
        return x, ZERO
    wide = b.sign_extend(x, bits)
    negative = b.compute(Op.SLT, wide, ZERO)
    otherwise = Const(ord("+") if plus else ord(" ") if blank else 0)
    sign = b.compute(Op.SELECT, negative, Const(ord("-")), otherwise)
    return b.compute(Op.SELECT, negative, b.compute(Op.SUB, ZERO, wide), wide), sign


def _character(
    b: Body, s: Site, at: Operand, limit: Operand, value: Operand, space: Operand, left_side: bool
) -> Operand:
    text = b.fresh("character")
    b.emit(ins.Alloca(text, Const(2), 1, True, "a character"))
    b.emit(ins.Store(text, b.truncate(value, 8), 1, ins.Mode.NA))
    b.emit(ins.Store(b.add(text, 1), ZERO, 1, ins.Mode.NA))
    return run(b, "format_text", s[0], at, limit, text, space, Const(int(left_side)), ONE)


def _terminate(b: Body, s: Site, at: Operand, limit: Operand) -> None:
    """The zero at the end; where there is no room at all, nothing."""
    here = b.compute(Op.SELECT, b.compute(Op.ULT, at, limit), at, limit)
    put, end = b.label(), b.label()
    b.branch(s[1] if "snprintf" in s.callee else ONE, put, end)
    b.mark(put)
    b.emit(ins.Store(b.compute(Op.ADD, s[0], here), ZERO, 1, ins.Mode.NA))
    b.jump(end)
    b.mark(end)


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
    "__sprintf_chk": to_memory, "__snprintf_chk": to_memory,
    "vprintf": unformatted(0), "vfprintf": unformatted(1),
    "fflush": nothing, "setvbuf": nothing, "setbuf": nothing, "fclose": nothing,
}  # fmt: skip
