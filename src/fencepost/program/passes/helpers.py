"""Small functions that a loop calls are put in place, so that loops that wait look the same with and without them.

    static int free_to_read(lock_t *l) { return load(&l->word) > 0; }
    while (!free_to_read(l)) ;

Only functions without memory of their own, without loops and calls: nothing is different but how deep the thread is.
"""

from __future__ import annotations

from collections.abc import Sequence

from fencepost.program.instructions import (
    Assert,
    Branch,
    Call,
    Cas,
    Compute,
    Fail,
    Fence,
    Instruction,
    Jump,
    Load,
    Return,
    Rmw,
    Store,
    Switch,
)
from fencepost.program.operands import FunctionAddress
from fencepost.program.passes.flat import in_loops
from fencepost.program.passes.flow import Flow, goes_back
from fencepost.program.passes.rewrite import Registers, inline, map_functions, rebuild
from fencepost.program.program import Function, Program
from fencepost.records import replace

_LARGEST = 24  # instructions
_PLAIN = (Compute, Jump, Branch, Switch, Assert, Fail, Return, Fence)
_ACCESSES = (Load, Store, Cas, Rmw)


def put_helpers_in_place(program: Program) -> Program:
    """The program with calls of such functions in loops replaced by what they do."""
    helpers = {f.name: f for f in program.functions if _is_small(f)}
    return map_functions(program, lambda f: _in_place(f, helpers)) if helpers else program


def _is_small(function: Function) -> bool:
    if len(function.code) > _LARGEST or function.variadic or goes_back(function):
        return False
    looks = any(isinstance(i, _ACCESSES) for i in function.code)
    return looks and all(isinstance(i, (*_PLAIN, *_ACCESSES)) for i in function.code)


def _in_place(function: Function, helpers: dict[str, Function]) -> Function:
    if not goes_back(function) or not any(_helper(i, helpers) for i in function.code):
        return function
    registers = Registers(function)
    parts: dict[int, Sequence[Instruction]] = {}
    for n in sorted(in_loops(function)):
        i = function.code[n]
        body = _helper(i, helpers)
        if body is not None and isinstance(i, Call):
            code = inline(body, i.args, i.dst, registers, read_first=Flow(body).live().get(0, 0))
            parts[n] = [c if c.at is not None else replace(c, at=i.at) for c in code]
    return rebuild(function, parts, registers) if parts else function


def _helper(i: Instruction, helpers: dict[str, Function]) -> Function | None:
    if not isinstance(i, Call) or not isinstance(i.callee, FunctionAddress):
        return None
    body = helpers.get(i.callee.name)
    return body if body is not None and len(i.args) >= body.parameters else None
