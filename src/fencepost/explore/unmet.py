"""What a program contains that is not supported: all of it at once, where some of it was reached."""

from __future__ import annotations

from fencepost.program.instructions import ErrorKind, Fail
from fencepost.program.operands import Position
from fencepost.program.program import Program
from fencepost.reasons import Code
from fencepost.verdict import Verdict

_SHOWN = 20


def unmet(program: Program, verdict: Verdict) -> tuple[str, ...]:
    """A line for each thing in code that `main` may come to and that is not supported, besides those that the verdict
    names. Nothing where everything that was reached is supported: then the rest does not matter."""
    named = {r.at for r in verdict.reasons if r.code is Code.UNSUPPORTED}
    if not named:
        return ()
    found: dict[tuple[Position | None, str], None] = {}
    for function in program.functions:
        for i in function.code:
            if isinstance(i, Fail) and i.kind is ErrorKind.UNSUPPORTED and i.at not in named:
                found.setdefault((i.at, i.message))
    listed = sorted(found, key=lambda f: (f[0].file, f[0].line, f[0].column) if f[0] else ("", 0, 0))
    lines = [f"{at}: not supported either, if it is reached: {what}" for at, what in listed[:_SHOWN]]
    more = len(listed) - _SHOWN
    return (*lines, f"and {more} more places that are not supported") if more > 0 else tuple(lines)
