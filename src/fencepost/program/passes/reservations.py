"""Loops that load with a reservation, compute, and store conditionally until that succeeds (ldxr, stxr, cbnz back).
A round in which the store fails does nothing (see `retry`), so only the round in which it succeeds is explored."""

from __future__ import annotations

from collections.abc import Sequence

from fencepost.program.condition import FinalRegister
from fencepost.program.instructions import Assume, Instruction, Load, StoreConditional
from fencepost.program.passes.flow import Flow
from fencepost.program.passes.retry import Round, failed_round
from fencepost.program.passes.rewrite import Registers, expand, map_functions
from fencepost.program.program import Function, Program


def skip_failed_rounds(program: Program) -> Program:
    """The same program where no loop does nothing but try again."""
    threads = {t.name: t.function for t in program.threads}
    finals = [o.what for o in program.observations if isinstance(o.what, FinalRegister)]
    seen = {(threads[w.thread], w.register) for w in finals}

    def change(f: Function) -> Function:
        observed = sum(1 << n for n, name in enumerate(f.registers) if (f.name, name) in seen)
        return _change(f, observed)

    return map_functions(program, change)


def _change(function: Function, observed: int) -> Function:
    tries = [n for n, i in enumerate(function.code) if isinstance(i, StoreConditional) and i.may_fail]
    if not tries:
        return function
    flow = Flow(function)
    loops, live = flow.loops(), flow.live(observed)
    only = set()
    for n in tries:
        around = next((loop for loop in loops if flow.block_of(n) in loop.blocks), None)  # the innermost
        if around is None or failed_round(flow, around, n, live[around.header]) is not Round.NOTHING:
            continue
        inside = [i for b in around.blocks for i in function.code[flow.blocks[b].first : flow.blocks[b].last + 1]]
        if any(isinstance(i, Load) and i.exclusive for i in inside):  # each round makes its own reservation
            only.add(id(function.code[n]))

    # It keeps its choice to fail, which blocks: what is taken for granted has to wait until the pair is known, and
    # writes behind the loop need not wait for that.
    def assumed(i: Instruction, registers: Registers) -> Sequence[Instruction]:
        if id(i) not in only:
            return (i,)
        assert isinstance(i, StoreConditional), i
        return (i, Assume(i.dst, at=i.at))

    return expand(function, assumed) if only else function
