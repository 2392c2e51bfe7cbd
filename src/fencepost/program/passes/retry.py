"""Does a loop only try again where a weak compare-exchange in it failed for no reason?

Then the round of such a failure can be left out of any execution: it wrote nothing, and the next round begins with what
the last one began with. Only reads and fences go with it, and without them no execution becomes forbidden. Every way of
one round through the exchange is followed, with what each register holds; in doubt the answer is no.
"""

from __future__ import annotations

from typing import TypeAlias

from fencepost.program.arithmetic import ArithmeticFault, compute
from fencepost.program.instructions import (
    Branch,
    Cas,
    Compute,
    Exit,
    Fail,
    Fence,
    Instruction,
    Jump,
    Load,
    Op,
    Return,
    Switch,
)
from fencepost.program.operands import Const, Operand, Reg, to_unsigned
from fencepost.program.passes.flow import Flow, Loop
from fencepost.program.passes.rewrite import defined
from fencepost.records import dataclass

#: What a register holds, in terms of what registers held when the round began.
Value: TypeAlias = tuple[object, ...]
_MAX_STEPS = 2000


def only_tries_again(flow: Flow, loop: Loop, exchange: int, live: int) -> bool:
    """`live`: the registers that are used after the header of the loop, as bits."""
    return loop.regular and _Rounds(flow, loop, exchange, live).all_come_back()


@dataclass(slots=True)
class _Way:
    """A way through a round: what registers hold, what the branches said about those that it began with, whether the
    exchange has failed on it, and whether it did something that others may notice."""

    at: int
    held: dict[int, Value]
    known: dict[int, int]
    failed: bool
    wrote: bool

    def to(self, target: int, learnt: dict[int, int] | None = None) -> _Way:
        return _Way(target, dict(self.held), self.known | (learnt or {}), self.failed, self.wrote)


class _Rounds:
    def __init__(self, flow: Flow, loop: Loop, exchange: int, live: int) -> None:
        self.code, self.exchange, self.live = flow.function.code, exchange, live
        self.inside = {n for b in loop.blocks for n in range(flow.blocks[b].first, flow.blocks[b].last + 1)}
        self.head = flow.blocks[loop.header].first
        self.reads = 0

    def all_come_back(self) -> bool:
        """Whether every way from the header that fails at the exchange comes back to it with nothing changed."""
        ways = [_Way(self.head, {}, {}, failed=False, wrote=False)]
        for _ in range(_MAX_STEPS):
            if not ways:
                return True
            way = ways.pop()
            if way.at not in self.inside:
                if way.failed:
                    return False
                continue  # a round without such a failure
            if not self.step(way):
                return False
            for after in self.successors(way):
                if after.at != self.head:
                    ways.append(after)
                elif after.failed and self.changed(after):
                    return False
        return False

    def step(self, way: _Way) -> bool:
        """Whether the instruction there may be part of a round that is left out; notes what it does."""
        i = self.code[way.at]
        if way.at == self.exchange:
            if way.failed or way.wrote or not isinstance(i, Cas):
                return False
            way.failed = True
            self.fail(i, way.held)
        elif not self.is_silent(i, way.held):
            if way.failed:
                return False
            way.wrote = True
            way.held.update((r.index, self.unknown()) for r in defined(i))
        return True

    def fail(self, i: Cas, held: dict[int, Value]) -> None:
        """A failure for no reason reads what it expected."""
        expected = self.value(i.expected, held)
        if i.old is not None:
            held[i.old.index] = expected
        if i.success is not None:
            held[i.success.index] = (0,)

    def is_silent(self, i: Instruction, held: dict[int, Value]) -> bool:
        """Follows an instruction that nobody else notices."""
        if isinstance(i, Compute):
            held[i.dst.index] = self.computed(i, held)
        elif isinstance(i, Load) and not i.exclusive:
            held[i.dst.index] = self.unknown()
        return isinstance(i, Compute | Fence | Jump | Branch) or (isinstance(i, Load) and not i.exclusive)

    def successors(self, way: _Way) -> list[_Way]:
        i = self.code[way.at]
        if isinstance(i, Jump):
            return [way.to(i.target)]
        if isinstance(i, Branch):
            condition = self.value(i.condition, way.held)
            number = _number(condition)
            sides = [(i.then, True), (i.otherwise, False)]
            return [
                way.to(to, _learnt(condition, taken)) for to, taken in sides if number is None or bool(number) == taken
            ]
        return [way.to(-1 if _ends(i) else way.at + 1)]

    def changed(self, way: _Way) -> bool:
        return any(
            v != ("at", r) and not (r in way.known and v == (way.known[r],))
            for r, v in way.held.items()
            if self.live >> r & 1
        )

    def unknown(self) -> Value:
        self.reads += 1
        return ("read", self.reads)

    def value(self, operand: Operand, held: dict[int, Value]) -> Value:
        if isinstance(operand, Reg):
            return held.get(operand.index, ("at", operand.index))
        return (to_unsigned(operand.value),) if isinstance(operand, Const) else ("constant", operand)

    def computed(self, i: Compute, held: dict[int, Value]) -> Value:
        args = tuple(self.value(a, held) for a in i.args)
        numbers = [n for n in map(_number, args) if n is not None]
        if len(numbers) == len(args):
            try:
                return (compute(i.op, i.width, tuple(numbers)),)
            except ArithmeticFault:
                return self.unknown()
        if i.op is Op.MOV and i.width == 64:
            return args[0]
        return (i.op, i.width, *args)


def _learnt(condition: Value, holds: bool) -> dict[int, int]:
    """What a branch says about a register as it was when the round began."""
    match condition:
        case ("at", int(r)) if not holds:
            return {r: 0}
        case (op, 64, ("at", int(r)), (int(n),)) if op is (Op.EQ if holds else Op.NE):
            return {r: n}
    return {}


def _number(value: Value) -> int | None:
    return value[0] if len(value) == 1 and isinstance(value[0], int) else None


def _ends(i: Instruction) -> bool:
    """Whether a thread or a function ends here, or goes on where this does not follow it."""
    return isinstance(i, Exit | Fail | Return | Switch)
