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


# --- how long variables live

_DERIVES = frozenset({"getelementptr", "bitcast", "phi", "select", "addrspacecast"})


def kept_addresses(blocks: list[BasicBlock]) -> frozenset[str]:
    """The variables whose address somebody may still know when their block has ended: it is stored, or given to a call
    that gives an address back. Those of all others are only used where clang puts them, inside the block."""
    source: dict[str, frozenset[str]] = {}  # of an address: the variables that it may point into
    found: set[str] = set()
    for i in (i for block in blocks for i in block.instructions):
        if i.op == "alloca" and i.result is not None:
            source[i.result] = frozenset({i.result})
    for _ in range(2):  # a phi may come before what it chooses from
        for i in (i for block in blocks for i in block.instructions):
            names = [plain_name(t) for t in i.cursor.tokens if t[0] == "%"]
            points_into = frozenset().union(*(source.get(n, frozenset()) for n in names))
            if i.op in _DERIVES and i.result is not None:
                source[i.result] = source.get(i.result, frozenset()) | points_into
            elif (i.op == "store" and len(names) > 1) or (i.op in ("call", "invoke") and _gives_address(i)):
                stored = names[:-1] if i.op == "store" else names
                found |= frozenset().union(*(source.get(n, frozenset()) for n in stored))
    return frozenset(found)


def _gives_address(i: Inst) -> bool:
    called = next((k for k, t in enumerate(i.cursor.tokens) if t[0] in "@%("), 0)
    return i.result is not None and any(t == "ptr" or t.endswith("*") for t in i.cursor.tokens[:called])
