"""Library functions that are loops: written in the text form in `runtime.fpir`, one copy per place that calls them, so
that what they read and write stands at the line of the call."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

from fencepost.frontends.c.body import Body
from fencepost.program import instructions as ins
from fencepost.program.operands import FunctionAddress, Operand
from fencepost.program.passes.unroll import LIBRARY_PREFIX
from fencepost.program.program import Function
from fencepost.program.reader import read_program

_GET = re.compile(r"^  (\S+) = GET (\S+) (\d+)\n", re.MULTILINE)
_SET = re.compile(r"^  SET (\S+) (\d+) (\S+)\n", re.MULTILINE)
_PUT = re.compile(r"^  PUT (\S+)\n", re.MULTILINE)


def _put(match: re.Match[str]) -> str:
    """One character of formatted output, where there is room for it."""
    n = match.start()
    return (
        f"  %c = compute (%at, %limit) op=ult\n  branch %c, store{n}, skip{n}\nstore{n}:\n"
        f"  %a = compute (%buffer, %at) op=add\n  store %a, {match.group(1)} size=1 mode=na\n"
        f"skip{n}:\n  %at = compute (%at, 1) op=add\n"
    )


@cache
def _texts() -> dict[str, str]:
    text = Path(__file__).with_name("runtime.fpir").read_text()
    return {m.group(1): m.group(0) for m in re.finditer(r"^function (\w+)\(.*?^}\n", text, re.MULTILINE | re.DOTALL)}


@cache
def body(name: str, size: int) -> Function:
    """The function of this name; SIZE in its text is the size of one access."""
    text = _PUT.sub(_put, _texts()[name].replace("SIZE", str(size)))
    text = _GET.sub(r"  %a = compute (\2, \3) op=add\n  \1 = load %a mode=na\n", text)
    text = _SET.sub(r"  %a = compute (\1, \2) op=add\n  store %a, \3 mode=na\n", text)
    return read_program(f'program "runtime" arch=c11\n{text}', "runtime.fpir").functions[0]


def run(b: Body, name: str, *args: Operand, size: int = 1) -> Operand:
    """Calls the library function and returns its result."""
    at = b.at
    place = f"{LIBRARY_PREFIX}{name}{size if size != 1 else ''}" + (f" {at}" if at is not None else "")
    if not b.unit.has_function(place):
        known = body(name, size)
        b.unit.add_function(replace(known, name=place, code=tuple(replace(i, at=at) for i in known.code), at=at))
    result = b.fresh(name)
    b.emit(ins.Call(result, FunctionAddress(place), args))
    return result
