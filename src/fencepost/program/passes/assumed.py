"""Which values of a choice are left where the program assumes something about it at once?

    int v = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= v && v < 3);

Every way from the choice is followed as long as nobody else can notice anything: through copies, comparisons with
constants, branches and assumptions. Each way knows for which values it is taken. Where it comes to anything else, its
values are among those that are left; where it assumes what does not hold, they are not, and an execution with one of
them has ended before it did anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fencepost.program.instructions import Assume, Branch, Choose, Compute, Instruction, Jump, Op
from fencepost.program.operands import Const, Operand, Reg, to_signed, to_unsigned
from fencepost.program.program import Function
from fencepost.records import dataclass

_MAX_STEPS = 500

#: Whole numbers, as disjoint ranges in order.
Values = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A register whose low bits, so many, are those of the choice."""

    bits: int


@dataclass(frozen=True, slots=True)
class _Truth:
    """A register that is 1 for these values of the choice, and 0 for all others."""

    values: Values


_Held = dict[int, _Chosen | _Truth]


@dataclass(slots=True)
class _Way:
    at: int
    held: _Held
    values: Values


def values_left(function: Function, index: int) -> Values | None:
    """Of the choice that is this instruction; None where there is no telling."""
    choice = function.code[index]
    assert isinstance(choice, Choose) and isinstance(choice.low, Const) and isinstance(choice.high, Const), choice
    every: Values = ((to_signed(choice.low.value), to_signed(choice.high.value)),)
    follower = _Follower(every)
    left: Values = ()
    ways = [_Way(index + 1, {choice.dst.index: _Chosen(64)}, every)]
    for _ in range(_MAX_STEPS):
        if not ways:
            return left
        way = ways.pop()
        following = follower.after(function.code[way.at], way)
        if following is None:
            left = _either(left, way.values)
        else:
            ways += (w for w in following if w.values)
    return None


class _Follower:
    def __init__(self, every: Values) -> None:
        self.every = every

    def after(self, i: Instruction, way: _Way) -> list[_Way] | None:
        """The ways on from an instruction that nobody else notices; None for any other."""
        if isinstance(i, Jump):
            return [_Way(i.target, way.held, way.values)]
        if isinstance(i, Branch):
            truth = self.truth(i.condition, way.held)
            if truth is None:
                return None
            other = _without(self.every, truth)
            return [_Way(to, way.held, _both(way.values, v)) for to, v in ((i.then, truth), (i.otherwise, other))]
        if isinstance(i, Assume):
            truth = self.truth(i.condition, way.held)
            return None if truth is None else [_Way(way.at + 1, way.held, _both(way.values, truth))]
        if not isinstance(i, Compute) or i.op in (Op.SDIV, Op.UDIV, Op.SREM, Op.UREM):
            return None
        held = {r: v for r, v in way.held.items() if r != i.dst.index}
        found = self.computed(i, way.held)
        if found is not None:
            held[i.dst.index] = found
        return [_Way(way.at + 1, held, way.values)]

    def truth(self, operand: Operand, held: _Held) -> Values | None:
        if isinstance(operand, Const):
            return self.every if operand.value else ()
        found = held.get(operand.index) if isinstance(operand, Reg) else None
        return found.values if isinstance(found, _Truth) else None

    def computed(self, i: Compute, held: _Held) -> _Chosen | _Truth | None:
        first = held.get(i.args[0].index) if isinstance(i.args[0], Reg) else None
        if i.op is Op.MOV and isinstance(i.args[0], Const):
            bit = to_unsigned(i.args[0].value, i.width)
            return _Truth(self.every if bit else ()) if bit <= 1 else None
        if isinstance(first, _Chosen):
            return self.of_chosen(i, first)
        if i.op in (Op.MOV, Op.SEXT):
            return first if isinstance(first, _Truth) and (i.op is Op.MOV or i.width > 1) else None
        if len(i.args) != 2:
            return None
        a, b = (self.truth(x, held) for x in i.args)
        if a is None or b is None or any(isinstance(x, Const) and x.value not in (0, 1) for x in i.args):
            return None
        if i.op is Op.AND:
            return _Truth(_both(a, b))
        if i.op is Op.OR:
            return _Truth(_either(a, b))
        if i.op in (Op.XOR, Op.NE):
            return _Truth(_either(_without(a, b), _without(b, a)))
        return _Truth(_either(_both(a, b), _without(self.every, _either(a, b)))) if i.op is Op.EQ else None

    def of_chosen(self, i: Compute, chosen: _Chosen) -> _Chosen | _Truth | None:
        low, high = self.every[0]
        if i.op is Op.MOV:
            return _Chosen(min(chosen.bits, i.width))
        if i.op is Op.SEXT:
            fits = -(1 << (i.width - 1)) <= low and high < 1 << (i.width - 1)
            return _Chosen(64) if fits and i.width <= chosen.bits else None
        if i.op not in _HOLDS or len(i.args) != 2 or not isinstance(i.args[1], Const):
            return None
        if i.width > chosen.bits or high - low >= 1 << i.width:
            return None
        if i.op is Op.NE:
            return _Truth(_without(self.every, tuple(_where(Op.EQ, i.width, i.args[1].value, low, high))))
        return _Truth(tuple(_where(i.op, i.width, i.args[1].value, low, high)))


#: The first and the last x, of so and so many bits, for which x OP n holds; None: there is no end on this side.
_HOLDS: dict[Op, Callable[[int], tuple[int | None, int | None]]] = {
    Op.EQ: lambda n: (n, n),
    Op.NE: lambda n: (n, n),  # all but these
    Op.SLT: lambda n: (None, n - 1),
    Op.SLE: lambda n: (None, n),
    Op.SGT: lambda n: (n + 1, None),
    Op.SGE: lambda n: (n, None),
    Op.ULT: lambda n: (None, n - 1),
    Op.ULE: lambda n: (None, n),
    Op.UGT: lambda n: (n + 1, None),
    Op.UGE: lambda n: (n, None),
}
_SIGNED = (Op.SLT, Op.SLE, Op.SGT, Op.SGE)


def _where(op: Op, width: int, number: int, low: int, high: int) -> Iterator[tuple[int, int]]:
    """The values from low to high for which the comparison holds. Between multiples of half of what the width can hold,
    how it reads a value is the value and something fixed."""
    view = to_signed if op in _SIGNED else to_unsigned
    first, last = _HOLDS[op](view(number, width))
    half = 1 << (width - 1)
    start = low
    while start <= high:
        end = min(high, (start // half + 1) * half - 1)
        shift = view(start, width) - start
        a = start if first is None else max(start, first - shift)
        b = end if last is None else min(end, last - shift)
        if a <= b:
            yield a, b
        start = end + 1


# --- sets


def _both(a: Values, b: Values) -> Values:
    return tuple((max(x, z), min(y, w)) for x, y in a for z, w in b if max(x, z) <= min(y, w))


def _without(a: Values, b: Values) -> Values:
    for z, w in b:
        a = tuple(part for x, y in a for part in ((x, min(y, z - 1)), (max(x, w + 1), y)) if part[0] <= part[1])
    return a


def _either(a: Values, b: Values) -> Values:
    return tuple(sorted((*a, *_without(b, a))))
