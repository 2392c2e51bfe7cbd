"""Loop bounds that stand in the source."""

from __future__ import annotations

from collections.abc import Sequence

from fencepost.program.operands import Position
from fencepost.program.passes.flow import Flow
from fencepost.program.passes.rewrite import map_functions
from fencepost.program.passes.unroll import LoopBounds, unroll
from fencepost.program.program import Function, Program


def bound_loops(program: Program, bounds: Sequence[tuple[str, Position, int]]) -> Program:
    """Bounds the loop that follows each annotation in its function."""
    for name, at, bound in bounds:
        function = program.function(name)
        place = _next_loop(function, at)
        if place is not None:
            only = LoopBounds(None, {f"{place.file}:{place.line}": bound})
            changed = unroll(Program("", program.arch, (), (function,), ()), only).functions[0]
            program = map_functions(program, lambda f, old=function, new=changed: new if f is old else f)  # type: ignore[misc]
    return program


def _next_loop(function: Function, at: Position) -> Position | None:
    flow = Flow(function)
    places = [p for p in map(flow.position, flow.loops()) if p is not None and p.file == at.file]
    later = [p for p in places if (p.line, p.column) >= (at.line, at.column)]
    return min(later, key=lambda p: (p.line, p.column)) if later else None
