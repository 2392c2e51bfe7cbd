"""Values of a type that has too many of them to try. Where the program only compares such a value with constants, or
only looks at it through one mask or remainder, a few values stand for all; where it assumes at once that the value is
one of a few (`values_left`), there are no others; where it makes no difference (`settle`), one stands for all.
Elsewhere the user names a range or a seed, and what other values would do is a bound of the verdict; without either the
ends of the type are tried for an error, and what the others do is not known."""

from __future__ import annotations

from collections.abc import Sequence

from fencepost.program.indifferent import settle
from fencepost.program.instructions import Branch, Choose, Compute, ErrorKind, Fail, Instruction, Op
from fencepost.program.operands import Const, Reg, to_signed
from fencepost.program.passes.assumed import values_left
from fencepost.program.passes.rewrite import Registers, defined, expand, inside, map_functions, used
from fencepost.program.program import Function, Program
from fencepost.records import dataclass

COMPARISONS = frozenset({Op.EQ, Op.NE, Op.SLT, Op.SLE, Op.SGT, Op.SGE, Op.ULT, Op.ULE, Op.UGT, Op.UGE})
_REMAINDERS = frozenset({Op.AND, Op.UREM})
_ANY = "a value of any size (choose a range with --nondet LOW..HIGH, or write fencepost_choose(low, high))"
_MANY = 64  # more values than these are not tried for one choice
_MANY_ASSUMED = 1024  # unless the program says that it means them
_ALL = 256  # a type with so few values is tried as a whole where no fewer stand for all


@dataclass(frozen=True, slots=True)
class Nondet:
    """What the user takes instead of every value: a range, or one value that a seed determines."""

    low: int = 0
    high: int = 0
    seed: int | None = None

    @property
    def shown(self) -> str:
        return f"--nondet {self.low}..{self.high}" if self.seed is None else f"--nondet-seed {self.seed}"


def close_choices(program: Program, taken: Nondet | None) -> Program:
    """The program with finite choices only."""
    if not any(_is_open(i) for f in program.functions for i in f.code):
        return program
    closed = map_functions(program, _few_for_all)
    if not any(_is_open(i) for f in closed.functions for i in f.code):
        return closed
    return map_functions(settle(closed, _ANY), lambda f: _closed(f, taken))


def _few_for_all(function: Function) -> Function:
    """The function in which a choice is of a few values, where they stand for all."""
    uses = _Uses(function)

    def close(i: Instruction, registers: Registers) -> Sequence[Instruction]:
        if not isinstance(i, Choose) or not i.open:
            return (i,)
        values = uses.enough(i) or _assumed(function, i)
        return (i,) if values is None else _one_of(i, values, registers)

    return expand(function, close)


def _assumed(function: Function, choice: Choose) -> list[int] | None:
    """The values that what the program assumes at once leaves, if they are few."""
    index = next(n for n, i in enumerate(function.code) if i is choice)
    left = values_left(function, index)
    if not left or sum(high - low + 1 for low, high in left) > _MANY_ASSUMED:
        return None
    return [v for low, high in left for v in range(low, high + 1)]


def _closed(function: Function, taken: Nondet | None) -> Function:
    if not any(_is_open(i) for i in function.code):
        return function
    numbers = {id(i): n for n, i in enumerate(function.code)}

    def close(i: Instruction, registers: Registers) -> Sequence[Instruction]:
        if not isinstance(i, Choose) or not i.open:
            return (i,)
        low, high = _range(i)
        if high - low < _ALL:
            return (Choose(i.dst, i.low, i.high, at=i.at),)
        return _taken(i, taken, registers, f"{function.name}:{numbers[id(i)]}")

    return expand(function, close)


def _is_open(i: Instruction) -> bool:
    return isinstance(i, Choose) and i.open


def _range(i: Choose) -> tuple[int, int]:
    assert isinstance(i.low, Const) and isinstance(i.high, Const), "the range of a type is constant"
    return to_signed(i.low.value), to_signed(i.high.value)


# --- what the user takes


def _taken(i: Choose, taken: Nondet | None, registers: Registers, site: str) -> Sequence[Instruction]:
    if taken is None:
        return _ends(i, registers)
    low, high = _range(i)
    if taken.seed is None:
        first, last = max(low, taken.low), min(high, taken.high)
    else:
        import hashlib

        drawn = int.from_bytes(hashlib.sha256(f"{taken.seed} {site}".encode()).digest()[:8], "little")
        first = last = low + drawn % (high - low + 1)
    if first > last:  # nothing of the range fits the type
        return (Fail(ErrorKind.LOOP_BOUND, f"within {taken.shown}", at=i.at),)
    if (first, last) == (low, high):
        return (Choose(i.dst, i.low, i.high, at=i.at),)
    other = registers.fresh("other values")
    return (
        Choose(other, Const(0), Const(1), at=i.at),
        Branch(other, inside(2), inside(3), at=i.at),
        Fail(ErrorKind.LOOP_BOUND, f"within {taken.shown}" + (f" at {i.at}" if i.at else ""), at=i.at),
        Choose(i.dst, Const(first), Const(last), at=i.at),
    )


def _ends(i: Choose, registers: Registers) -> Sequence[Instruction]:
    """An error at an end of the type, or beside zero, is one; without it nothing is known of the other values."""
    low, high = _range(i)
    tried = sorted({v for v in (low, -1, 0, 1, high) if low <= v <= high})
    other = registers.fresh("other values")
    what = f"{_ANY}; tried: {', '.join(map(str, tried))}"
    return (
        Choose(other, Const(0), Const(1), at=i.at),
        Branch(other, inside(2), inside(3), at=i.at),
        Fail(ErrorKind.UNSUPPORTED, what, at=i.at),
        *_one_of(i, tried, registers),
    )


# --- values that stand for all


def _one_of(i: Choose, values: Sequence[int], registers: Registers) -> Sequence[Instruction]:
    """Neighbours are one choice; otherwise a choice of the place in the list."""
    if len(values) == values[-1] - values[0] + 1:
        return (Choose(i.dst, Const(values[0]), Const(values[-1]), at=i.at),)
    which, here = registers.fresh("which value"), registers.fresh("this value")
    code: list[Instruction] = [
        Choose(which, Const(0), Const(len(values) - 1), at=i.at),
        Compute(i.dst, (Const(values[0]),), Op.MOV, at=i.at),
    ]
    for n, value in enumerate(values[1:], 1):
        code.append(Compute(here, (which, Const(n)), Op.EQ, at=i.at))
        code.append(Compute(i.dst, (here, Const(value), i.dst), Op.SELECT, at=i.at))
    return code


class _Uses:
    """What a function does with registers that have one definition."""

    def __init__(self, function: Function) -> None:
        self.readers: dict[Reg, list[Instruction]] = {}
        self.definitions: dict[Reg, int] = dict.fromkeys(map(Reg, range(function.parameters)), 1)
        for i in function.code:
            for r in {a for a in used(i) if isinstance(a, Reg)}:
                self.readers.setdefault(r, []).append(i)
            for r in defined(i):
                self.definitions[r] = self.definitions.get(r, 0) + 1

    def enough(self, choice: Choose) -> list[int] | None:
        """Values such that every other one does the same as one of them; None where that is not seen."""
        low, high = _range(choice)
        bits = _bits(low, high)
        looks = self._looks(choice.dst, bits)
        if looks is None:
            return None
        if not looks:
            return [low]
        if all(i.op in COMPARISONS for i in looks):
            return _around(looks, low, high) if all(i.width >= bits for i in looks) else None
        if len({(i.op, i.args[1:], i.width) for i in looks}) == 1 and looks[0].op in _REMAINDERS:
            return _remainders(looks[0], high)
        return None

    def _looks(self, register: Reg, bits: int) -> list[Compute] | None:
        """The operations with a constant that read the value, through copies of so many bits at least, with or without
        its sign; None where something else does."""
        found: list[Compute] = []
        todo = [register]
        while todo:
            r = todo.pop()
            if self.definitions.get(r) != 1:
                return None
            for i in self.readers.get(r, ()):
                if not isinstance(i, Compute):
                    return None
                if i.op in (Op.MOV, Op.SEXT) and i.width >= bits:
                    todo.append(i.dst)
                elif i.args[0] == r and len(i.args) == 2 and isinstance(i.args[1], Const):
                    found.append(i)
                else:
                    return None
        return found


def _around(looks: Sequence[Compute], low: int, high: int) -> list[int] | None:
    """Each comparison splits the values at its constant, in the signed or the unsigned order: the values beside the
    constants and at the ends of both orders are in every part. With a sign extended, too: each half of the values keeps
    its order, and what equals a constant is the constant in the bits of the type."""
    bits = _bits(low, high)
    constants = {a.value for i in looks for a in i.args[1:] if isinstance(a, Const)}
    found: set[int] = set()
    for edge in constants | {0, 1 << (bits - 1), 1 << bits}:
        for near in (edge - 1, edge, edge + 1):
            unsigned = near & ((1 << bits) - 1)
            found |= {near, unsigned, unsigned - (1 << bits)}
    values = sorted(v for v in found if low <= v <= high)
    return values if len(values) <= _MANY else None


def _bits(low: int, high: int) -> int:
    return max((high - low).bit_length(), 1)


def _remainders(look: Compute, high: int) -> list[int] | None:
    constant = look.args[1]
    assert isinstance(constant, Const), "a look is at a constant"
    top = constant.value if look.op is Op.AND else constant.value - 1
    if not 0 <= top < min(_MANY, high + 1) or (look.op is Op.AND and top & (top + 1)):
        return None
    return list(range(top + 1))
