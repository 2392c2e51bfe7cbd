"""Globals of a program whose final values are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fencepost.errors import UsageError
from fencepost.program.condition import FinalMemory, Observation
from fencepost.program.program import Arch, Object, Program

_SCALARS = (1, 2, 4, 8)


def _is_number(o: Object) -> bool:
    return o.size in _SCALARS and not o.constant and not o.thread_local


def observable(program: Program) -> list[str]:
    """The globals whose value is one number, but for those that only a library knows."""
    return [o.name for o in program.objects if _is_number(o) and not o.name.startswith((".", "_"))]


def observe(program: Program, names: Sequence[str]) -> Program:
    """The program that also observes these globals."""
    if not names:
        return program
    known = {o.name: o for o in program.objects if _is_number(o)}
    for name in names:
        if name not in known:
            there = ", ".join([n for n in known if not n.startswith(".")][:12]) or "none"
            raise UsageError(f"--observe {name}: there is no global number of this name; there are: {there}")
    seen = {o.name for o in program.observations}
    added = [Observation(n, FinalMemory(n, 0, known[n].size), 8 * known[n].size) for n in names if n not in seen]
    return replace(program, observations=(*program.observations, *added))


def advice(program: Program) -> str:
    """What to do about a program whose end nobody looks at; empty where somebody does."""
    if program.observations:
        return ""
    if program.arch is not Arch.C11:
        return "\nThe program observes nothing: say what, with `observe x, T:r` (.fp) or a condition."
    names = observable(program)[:8]
    how = f" Here: --observe {' --observe '.join(names)}" if names else ""
    return f"\nThe program observes nothing: name globals with --observe.{how}"
