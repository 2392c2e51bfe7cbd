"""Local variables that may be read before they are written. Where the text of a function does not show that a variable
has a value, a register beside it notes whether it does, and every read checks that."""

from __future__ import annotations

from collections.abc import Collection

from fencepost.frontends.c.llvm.module import BasicBlock, Inst
from fencepost.frontends.c.llvm.tokens import plain_name

_BEGINS = "@llvm.lifetime.start"
_Steps = list[tuple[str, str]]  # load, store or call, and the variable


def begins(i: Inst) -> bool:
    """Whether a variable begins to live here."""
    return i.op == "call" and any(t.startswith(_BEGINS) for t in i.cursor.tokens)


def maybe_unassigned(blocks: list[BasicBlock], edges: dict[str, list[str]], variables: Collection[str]) -> set[str]:
    """The variables that some way through the function reads before it writes them. A variable has a value at the start
    of a block where it has one at the end of every block that goes there; sets only shrink, so this ends."""
    if not blocks or not variables:
        return set()
    steps = {b.label: _steps(b, variables) for b in blocks}
    at_start = {b.label: frozenset(variables) for b in blocks} | {blocks[0].label: frozenset()}
    todo, visited, found = [blocks[0].label], set[str](), set[str]()
    while todo:
        label = todo.pop()
        visited.add(label)
        has = _through(steps[label], at_start[label], found)
        for target in edges[label]:
            if target in steps and (target not in visited or not at_start[target] <= has):
                at_start[target] &= has
                todo.append(target)
    return found


def _steps(block: BasicBlock, variables: Collection[str]) -> _Steps:
    found: _Steps = []
    for i in block.instructions:
        if i.op in ("load", "store") or begins(i):
            names = [plain_name(t) for t in i.cursor.tokens if t[0] == "%"]
            if names and names[-1] in variables:
                found.append((i.op, names[-1]))
    return found


def _through(steps: _Steps, has: frozenset[str], unassigned: set[str]) -> frozenset[str]:
    now = set(has)
    for op, name in steps:
        if op == "store":
            now.add(name)
        elif op == "call":
            now.discard(name)
        elif name not in now:
            unassigned.add(name)
    return frozenset(now)
