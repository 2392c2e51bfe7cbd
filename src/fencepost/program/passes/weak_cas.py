"""A weak compare-exchange may fail for no reason. Outside loops that is explored: the thread chooses to try or to fail,
and fails for no reason only where it could have succeeded. In a loop (or in what a loop calls) such a failure adds
nothing but another round, and the exchange is taken as a strong one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fencepost.program.instructions import (
    Assume,
    Branch,
    Call,
    Cas,
    Choose,
    Compute,
    Instruction,
    Jump,
    Load,
    Op,
    Spawn,
)
from fencepost.program.operands import Const, FunctionAddress
from fencepost.program.passes.flow import Flow
from fencepost.program.passes.rewrite import Registers, expand, inside, map_functions, used
from fencepost.program.program import Function, Program


def let_weak_cas_fail(program: Program) -> Program:
    """The same program where there is no such exchange."""
    if not any(_is_weak(i) for f in program.functions for i in f.code):
        return program
    looped = _called_in_loops(program)
    return map_functions(program, lambda f: f if f.name in looped else _let_fail(f))


def _is_weak(i: Instruction) -> bool:
    return isinstance(i, Cas) and i.weak


def _let_fail(function: Function) -> Function:
    around = _in_loops(function)
    chosen = {id(i) for n, i in enumerate(function.code) if _is_weak(i) and n not in around}
    if not chosen:
        return function
    return expand(function, lambda i, registers: _alternatives(i, registers) if id(i) in chosen else (i,))


def _alternatives(i: Instruction, registers: Registers) -> Sequence[Instruction]:
    assert isinstance(i, Cas), i
    tries, same = registers.fresh("tries"), registers.fresh("same")
    old = i.old if i.old is not None else registers.fresh("old")
    given = [Compute(i.success, (Const(0),), Op.MOV, at=i.at)] if i.success is not None else []
    end = inside(7 + len(given))
    return (
        Choose(tries, Const(0), Const(1), at=i.at),
        Branch(tries, inside(2), inside(4), at=i.at),
        replace(i, weak=False),
        Jump(end, at=i.at),
        Load(old, i.address, i.size, i.failure, at=i.at),
        Compute(same, (old, i.expected), Op.EQ, at=i.at),
        Assume(same, at=i.at),
        *given,
    )


def _in_loops(function: Function) -> frozenset[int]:
    """The instructions that can run twice in one call, by their numbers."""
    flow = Flow(function)
    blocks = {n for loop in flow.loops() for n in loop.blocks}
    return frozenset(at for n in blocks for at in range(flow.blocks[n].first, flow.blocks[n].last + 1))


def _called_in_loops(program: Program) -> frozenset[str]:
    """Functions that some loop, or a recursion, may call again and again. Who calls through a pointer may call any
    function whose address is taken other than to start a thread."""
    inner: dict[str, set[str]] = {f.name: set() for f in program.functions}
    found: set[str] = set()
    pointed = {name for f in program.functions for name in _addresses(f)}
    for f in program.functions:
        loops = _in_loops(f)
        for at, i in enumerate(f.code):
            if isinstance(i, Call):
                callees = {i.callee.name} if isinstance(i.callee, FunctionAddress) else pointed
                inner[f.name] |= callees
                found |= callees if at in loops else set()
    todo = [*found, *(name for name in inner if _reaches(name, inner))]
    found.update(todo)
    while todo:
        fresh = inner.get(todo.pop(), set()) - found
        found |= fresh
        todo += fresh
    return frozenset(found)


def _addresses(function: Function) -> Iterator[str]:
    """Functions whose address somebody may keep."""
    for i in function.code:
        direct = (i.callee,) if isinstance(i, Call) else (i.function,) if isinstance(i, Spawn) else ()
        yield from (o.name for o in used(i) if isinstance(o, FunctionAddress) and o not in direct)


def _reaches(name: str, inner: dict[str, set[str]]) -> bool:
    """Whether a function can call itself."""
    seen: set[str] = set()
    todo = list(inner[name])
    while todo:
        other = todo.pop()
        if other not in seen:
            seen.add(other)
            todo += inner.get(other, ())
    return name in seen
