"""Which registers point into an object that the function has just allocated and nobody else can know of yet?

Where a thread writes to such an object nobody sees it, whatever the mode of the store: others come to the object only
after its address was stored, given away or exchanged. That the exchange in question fails gives nothing away; that it
succeeds does, and then its loop must be over (`_Rounds.success_leaves` in retry.py sees to that).

A forward analysis over the blocks of a function, once for each loop. `mine` are the registers that surely point into
such an object; `known` are those that may hold something made from the address of one. Where one of these is given
away, all of `mine` is given up. What follows the loop is taken to know everything. In doubt nothing is fresh.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fencepost.program.instructions import (
    Assert,
    Assume,
    Branch,
    Call,
    Cas,
    Compute,
    Instruction,
    Load,
    Malloc,
    Op,
    Rmw,
    Store,
    Switch,
)
from fencepost.program.operands import Const, FunctionAddress, Operand, Reg
from fencepost.program.passes.flow import Flow, Loop
from fencepost.program.passes.rewrite import defined, used
from fencepost.records import dataclass

#: For each function, the parameters whose value it may let others know or return, as bits.
Escapes = Mapping[str, int]
_LOOKS = (Assert, Assume, Branch, Compute, Load, Switch)  # what they use is known to nobody else after them


@dataclass(frozen=True, slots=True)
class Fresh:
    """Sets of registers, as bits: see above."""

    mine: int = 0
    known: int = 0

    def met_by(self, other: Fresh) -> Fresh:
        return Fresh(self.mine & other.mine, self.known | other.known)


def fresh_registers(flow: Flow, loop: Loop, exchange: int, escapes: Escapes) -> Fresh:
    """Whenever a round of the loop begins, as long as the exchange has not succeeded."""
    if not any(isinstance(i, Malloc) for i in flow.function.code):
        return Fresh()
    return _Analysis(flow, loop, exchange, escapes).at_header()


class _Analysis:
    def __init__(self, flow: Flow, loop: Loop, exchange: int, escapes: Escapes) -> None:
        self.flow, self.loop, self.exchange, self.escapes = flow, loop, exchange, escapes

    def at_header(self) -> Fresh:
        states: dict[int, Fresh] = {self.flow.order[0]: Fresh()}
        todo = [self.flow.order[0]]
        while todo:
            block = todo.pop()
            after = self.through(block, states[block])
            for target in self.flow.blocks[block].after:
                came = Fresh() if self.leaves(block, target) else after
                new = states[target].met_by(came) if target in states else came
                if states.get(target) != new:
                    states[target] = new
                    todo.append(target)
        return states.get(self.loop.header, Fresh())

    def leaves(self, block: int, target: int) -> bool:
        return block in self.loop.blocks and target not in self.loop.blocks

    def through(self, block: int, state: Fresh) -> Fresh:
        b = self.flow.blocks[block]
        for n in range(b.first, b.last + 1):
            state = self.step(n, self.flow.function.code[n], state)
        return state

    def step(self, n: int, i: Instruction, state: Fresh) -> Fresh:
        known = _among(state.known)
        if self.tells(n, i, known):
            state = Fresh()
            known = _among(0)
        made = sum({1 << r.index for r in defined(i)})
        mine, still = state.mine & ~made, state.known & ~made
        if isinstance(i, Malloc) or _is_near(i, _among(state.mine), known):
            return Fresh(mine | made, still | made)
        follows = isinstance(i, Compute | Call) and any(map(known, used(i)))
        return Fresh(mine, still | made if follows else still)

    def tells(self, n: int, i: Instruction, known: Callable[[Operand], bool]) -> bool:
        """Whether others may know the address of the object after this instruction."""
        if not any(map(known, used(i))) or isinstance(i, _LOOKS):
            return False
        if isinstance(i, Store | Rmw):
            return known(i.value)
        if isinstance(i, Cas):
            return n != self.exchange and known(i.desired)
        if isinstance(i, Call) and isinstance(i.callee, FunctionAddress) and i.callee.name in self.escapes:
            escaping = self.escapes[i.callee.name]
            return any(known(a) and escaping >> k & 1 for k, a in enumerate(i.args))
        return True


def _among(registers: int) -> Callable[[Operand], bool]:
    return lambda operand: isinstance(operand, Reg) and bool(registers >> operand.index & 1)


def _is_near(i: Instruction, mine: Callable[[Operand], bool], known: Callable[[Operand], bool]) -> bool:
    """Whether it makes an address with a fixed distance from one of ours."""
    if not isinstance(i, Compute) or i.width != 64:
        return False
    if i.op is Op.MOV:
        return mine(i.args[0])
    return i.op is Op.ADD and mine(i.args[0]) and isinstance(i.args[1], Const)
