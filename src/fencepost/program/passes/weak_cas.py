"""A weak compare-exchange may fail for no reason. That is explored: the thread chooses to try or to fail, and fails for
no reason only where it could have succeeded. In a loop that only tries again after such a failure it adds nothing but
another round, and the exchange is taken as a strong one; so it is in a function that a loop calls. In every other loop
it may fail a few times, and what comes after more failures is a bound of the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fencepost.program.condition import FinalRegister
from fencepost.program.instructions import (
    Assume,
    Branch,
    Call,
    Cas,
    Choose,
    Compute,
    ErrorKind,
    Fail,
    Instruction,
    Jump,
    Load,
    Op,
    Spawn,
)
from fencepost.program.operands import Const, FunctionAddress
from fencepost.program.passes.flow import Flow
from fencepost.program.passes.retry import only_tries_again
from fencepost.program.passes.rewrite import Registers, expand, inside, map_functions, used
from fencepost.program.program import Function, Program

#: How often an exchange fails for no reason in one call of a function with a loop that does more than try again.
FAILURES = 2
_BUDGET_AT = 7  # where the budget stands among what replaces an exchange


def let_weak_cas_fail(program: Program) -> Program:
    """The same program where there is no such exchange."""
    if not any(_is_weak(i) for f in program.functions for i in f.code):
        return program
    looped = _called_in_loops(program)
    threads = {t.name: t.function for t in program.threads}
    finals = [o.what for o in program.observations if isinstance(o.what, FinalRegister)]
    seen = {(threads[w.thread], w.register) for w in finals}

    def change(f: Function) -> Function:
        observed = sum(1 << n for n, name in enumerate(f.registers) if (f.name, name) in seen)
        return f if f.name in looped else _let_fail(f, observed)

    return map_functions(program, change)


def _is_weak(i: Instruction) -> bool:
    return isinstance(i, Cas) and i.weak


def _let_fail(function: Function, observed: int) -> Function:
    weak = [n for n, i in enumerate(function.code) if _is_weak(i)]
    if not weak:
        return function
    flow = Flow(function)
    loops, live = flow.loops(), flow.live()
    often, once = set(), set()
    for n in weak:
        around = next((loop for loop in loops if flow.block_of(n) in loop.blocks), None)  # the innermost
        if around is None:
            once.add(id(function.code[n]))
        elif not only_tries_again(flow, around, n, live[around.header] | observed):
            often.add(id(function.code[n]))
    if not once and not often:
        return function

    def alternatives(i: Instruction, registers: Registers) -> Sequence[Instruction]:
        if id(i) not in once and id(i) not in often:
            return (i,)
        assert isinstance(i, Cas), i
        return _alternatives(i, registers, _budget(i, registers) if id(i) in often else [])

    return expand(function, alternatives)


def _alternatives(i: Cas, registers: Registers, budget: list[Instruction]) -> Sequence[Instruction]:
    tries, same = registers.fresh("tries"), registers.fresh("same")
    old = i.old if i.old is not None else registers.fresh("old")
    given = [Compute(i.success, (Const(0),), Op.MOV, at=i.at)] if i.success is not None else []
    end = inside(_BUDGET_AT + len(budget) + len(given))
    return (
        Choose(tries, Const(0), Const(1), at=i.at),
        Branch(tries, inside(2), inside(4), at=i.at),
        replace(i, weak=False),
        Jump(end, at=i.at),
        Load(old, i.address, i.size, i.failure, at=i.at),
        Compute(same, (old, i.expected), Op.EQ, at=i.at),
        Assume(same, at=i.at),
        *budget,
        *given,
    )


def _budget(i: Cas, registers: Registers) -> list[Instruction]:
    """Counts the failures of one call: registers begin as 0."""
    count, more = registers.fresh("failures"), registers.fresh("more")
    what = f"within {FAILURES} failures for no reason of the weak compare-exchange" + (f" at {i.at}" if i.at else "")
    return [
        Compute(count, (count, Const(1)), Op.ADD, at=i.at),
        Compute(more, (count, Const(FAILURES)), Op.UGT, at=i.at),
        Branch(more, inside(_BUDGET_AT + 3), inside(_BUDGET_AT + 4), at=i.at),
        Fail(ErrorKind.LOOP_BOUND, what, at=i.at),
    ]


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
