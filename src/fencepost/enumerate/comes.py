"""Of which reads a write may come, as the text of the code says, whatever its branches decide.

All ways through the code count alike: a register comes of all that any instruction puts there, so does memory that its
thread alone sees, and a write comes of every branch of its thread.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TypeAlias

from fencepost.enumerate.foreseen import ELSEWHERE, Foreseen, Location
from fencepost.enumerate.traces import reached
from fencepost.program.instructions import (
    Alloca,
    Assert,
    Call,
    Compute,
    Fence,
    Instruction,
    Jump,
    Load,
    Return,
    Rmw,
    Spawn,
    Store,
    ThreadLocalAddress,
)
from fencepost.program.operands import Reg
from fencepost.program.passes.rewrite import defined, used

#: A register of a function, what a function returns, a location, or what decides which way a thread goes.
Node: TypeAlias = object
_DECIDED: Node = "decided"
#: What decides nothing about the way of its thread. (Where an assertion ends it, that is the verdict.)
_STRAIGHT = (Alloca, Assert, Call, Compute, Fence, Jump, Load, Return, Rmw, Spawn, Store, ThreadLocalAddress)


def comes_of(foreseen: Foreseen, functions: set[str], *, by_branches: bool) -> set[tuple[Location, Location]]:
    """Pairs of a location that is read and one where a write may come of that, in a thread with these functions:
    by what decides its branches, too, or by data and addresses only."""
    sources: defaultdict[Node, set[Node]] = defaultdict(set)
    writes: list[tuple[set[Location], set[Node]]] = []
    for name in functions:
        for n, i in enumerate(foreseen.program.function(name).code):
            _add(foreseen, sources, name, n, i)
            written = foreseen.writes.get((name, n), set())
            writes.append((written, {*_registers(name, i), *foreseen.reads.get((name, n), ())}))
    for name in functions & foreseen.roots():
        for parameter in range(foreseen.program.function(name).parameters):
            sources[name, parameter].add(foreseen.handed(name))
    decided = reached(sources, _DECIDED) if by_branches else set()
    read = {a for locations in foreseen.reads.values() for a in locations if not foreseen.is_private(a)}
    return {
        (location, place)
        for written, nodes in writes if written
        for location in read & (reached(sources, *nodes) | decided)
        for place in written if not foreseen.is_private(place)
    }  # fmt: skip


def _add(foreseen: Foreseen, sources: defaultdict[Node, set[Node]], name: str, n: int, i: Instruction) -> None:
    nodes = {*_registers(name, i), *foreseen.reads.get((name, n), ())}
    for register in defined(i):
        sources[name, register.index] |= nodes
    for location in foreseen.writes.get((name, n), ()):
        if location == ELSEWHERE or foreseen.is_private(location):
            sources[location] |= nodes
    if not isinstance(i, _STRAIGHT):
        sources[_DECIDED] |= nodes
    if isinstance(i, Return):
        sources[name] |= nodes
    for callee in foreseen.calls.get((name, n), ()):
        assert isinstance(i, Call), "what calls should be a call"
        for index, argument in enumerate(i.args):
            sources[callee, index] |= {(name, argument.index)} if isinstance(argument, Reg) else set()
        for register in defined(i):
            sources[name, register.index].add(callee)
        sources[_DECIDED] |= {(name, i.callee.index)} if isinstance(i.callee, Reg) else set()


def _registers(name: str, i: Instruction) -> set[Node]:
    return {(name, o.index) for o in used(i) if isinstance(o, Reg)}
