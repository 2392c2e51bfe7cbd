"""What C's printf makes of a format and the values of registers, for display. Strings are not followed: an address is
shown as one."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence

from fencepost.program.operands import to_signed, to_unsigned

_DIRECTIVE = re.compile(r"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|j|z|t|L|q)?([diouxXeEfFgGaAcspn%])")
_BITS = {"hh": 8, "h": 16, None: 32}


def formatted(form: str, args: Sequence[int]) -> str:
    """The text; a directive without its value stays as it is."""
    left = list(args)

    def one(match: re.Match[str]) -> str:
        flags, width, precision, length, kind = match.groups()
        if kind == "%":
            return "%"
        stars = [str(to_signed(left.pop(0), 32)) if part == "*" and left else part for part in (width, precision)]
        if not left:
            return match.group()
        return _value(left.pop(0), flags, stars[0] or "", stars[1], length, kind)

    return _DIRECTIVE.sub(one, form)


def _value(value: int, flags: str, width: str, precision: str | None, length: str | None, kind: str) -> str:
    if kind in "sp":
        return f"{value:#x}".rjust(int(width or 0))
    bits = _BITS.get(length, 64)
    number: int | float | str
    if kind == "c":
        number = chr(to_unsigned(value, 8))
    elif kind in "eEfFgGaA":
        number = struct.unpack("<d", struct.pack("<Q", to_unsigned(value)))[0]
        kind = {"a": "e", "A": "E"}.get(kind, kind)
    else:
        number = to_signed(value, bits) if kind in "di" else to_unsigned(value, bits)
        kind = {"i": "d", "u": "d"}.get(kind, kind)
    point = f".{precision}" if precision is not None and kind != "c" else ""
    return f"%{flags}{width}{point}{kind}" % number
