"""Symbolic 64-bit register values on bit-vectors that are only as wide as their interval needs.

A value that is known is a number; one that is 0 or 1 is kept as a truth value; any other is a term of the least width
that holds its interval (unsigned where it is never negative, else two's complement). Every operation computes the
interval of its exact result; where that fits, it works on narrow terms, else on the full width with wrapping.
"""

from __future__ import annotations

from fencepost.bounded.ranges import TRUTH, Range, apply, of, unsigned
from fencepost.bounded.terms import Solver, Term
from fencepost.program.arithmetic import compute
from fencepost.program.instructions import Op
from fencepost.program.operands import WORD, to_signed, to_unsigned
from fencepost.records import dataclass


@dataclass(slots=True, eq=False)
class Value:
    """`number` where it is known; else `truth` (a Boolean term) or `term`."""

    range: Range
    number: int | None = None
    truth: Term = None
    term: Term = None


def needed(r: Range) -> tuple[int, bool]:
    """The width and signedness that hold a range."""
    if r.low >= 0:
        return max(1, r.high.bit_length()), False
    return max(r.high.bit_length(), (-r.low - 1).bit_length()) + 1, True


_WRAPPING = {Op.ADD: "bvadd", Op.SUB: "bvsub", Op.MUL: "bvmul", Op.AND: "bvand", Op.OR: "bvor", Op.XOR: "bvxor"}
_SHIFTS = {Op.SHL: "bvshl", Op.LSHR: "bvlshr", Op.ASHR: "bvashr"}
_DIVISIONS = {Op.UDIV: "bvudiv", Op.UREM: "bvurem", Op.SDIV: "bvsdiv", Op.SREM: "bvsrem"}
#: comparison -> (operator, swapped, negated, signed)
_ORDER = {
    Op.ULT: ("lt", False, False, False), Op.UGE: ("lt", False, True, False), Op.UGT: ("lt", True, False, False),
    Op.ULE: ("lt", True, True, False), Op.SLT: ("lt", False, False, True), Op.SGE: ("lt", False, True, True),
    Op.SGT: ("lt", True, False, True), Op.SLE: ("lt", True, True, True),
}  # fmt: skip


class Values:
    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.numbers: dict[int, Value] = {}
        self.true = self.known(1)
        self.false = self.known(0)

    def known(self, number: int) -> Value:
        found = self.numbers.get(number)
        if found is None:
            found = self.numbers[number] = Value(of(number), to_signed(number))
        return found

    def fresh(self, name: str, low: int, high: int) -> Value:
        """An unknown in low..high; the caller requires its bounds (`within`)."""
        r = Range(low, high)
        return Value(r, term=self.solver.variable(name, needed(r)[0]))

    def within(self, value: Value) -> list[Term]:
        """What makes a fresh value stay in its interval, beyond its width."""
        width, signed = needed(value.range)
        least, most = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
        found = []
        for bound, extreme, above in ((value.range.low, least, True), (value.range.high, most, False)):
            if bound != extreme:
                number = self.solver.number(bound, width)
                pair = (number, value.term) if above else (value.term, number)
                found.append(self.solver.apply("bvsle" if signed else "bvule", *pair))
        return found

    # --- forms

    def bits(self, value: Value, width: int) -> Term:
        """The low `width` bits."""
        if value.number is not None:
            return self.solver.number(value.number, width)
        if value.truth is not None:
            one, zero = self.solver.number(1, width), self.solver.number(0, width)
            return self.solver.apply("ite", value.truth, one, zero)
        have, signed = needed(value.range)
        if have == width:
            return value.term
        if have > width:
            return self.solver.extract(value.term, width - 1, 0)
        return self.solver.extend(value.term, width - have, signed)

    def boolean(self, value: Value) -> Term | bool:
        """Whether it is not zero."""
        if value.number is not None:
            return value.number != 0
        if value.truth is not None:
            return value.truth
        if value.range.low > 0 or value.range.high < 0:
            return True
        width = needed(value.range)[0]
        return self.solver.apply("not", self.solver.apply("=", value.term, self.solver.number(0, width)))

    def in_model(self, value: Value) -> int:
        """What the solver's model gives it."""
        if value.number is not None:
            return value.number
        found = self.solver.value(value.truth if value.truth is not None else value.term)
        width, signed = needed(value.range)
        return to_signed(found, width) if signed else found

    def of_truth(self, truth: Term | bool) -> Value:
        if isinstance(truth, bool):
            return self.true if truth else self.false
        return Value(TRUTH, truth=truth)

    def _made(self, r: Range, term: Term, width: int) -> Value:
        """A value from the low bits of its range's own width."""
        if r.constant is not None:
            return self.known(r.constant)
        want = needed(r)[0]
        return Value(Range(r.low, r.high), term=term if want == width else self.solver.extract(term, want - 1, 0))

    # --- logic on truth values

    def both(self, a: Term | bool, b: Term | bool) -> Term | bool:
        if isinstance(a, bool):
            return b if a else False
        if isinstance(b, bool):
            return a if b else False
        return a if a is b else self.solver.apply("and", a, b)

    def either(self, a: Term | bool, b: Term | bool) -> Term | bool:
        if isinstance(a, bool):
            return True if a else b
        if isinstance(b, bool):
            return True if b else a
        return a if a is b else self.solver.apply("or", a, b)

    def negate(self, a: Term | bool) -> Term | bool:
        return not a if isinstance(a, bool) else self.solver.apply("not", a)

    # --- operations

    def compute(self, op: Op, width: int, args: list[Value]) -> Value:
        numbers = [a.number for a in args if a.number is not None]
        if len(numbers) == len(args):
            return self.known(compute(op, width, tuple(to_unsigned(n) for n in numbers)))
        if op in (Op.XOR, Op.SUB) and args[0] is args[1]:
            return self.false
        if op is Op.SELECT:
            return self._narrow(self.select(self.boolean(args[0]), args[1], args[2]), width)
        if op is Op.MOV:
            return self._narrow(args[0], width)
        if op is Op.SEXT:
            return self._sign_extend(args[0], width)
        args = [self._narrow(a, width) for a in args]
        if op in (Op.EQ, Op.NE):
            equal = self._equal(args[0], args[1])
            return self.of_truth(equal if op is Op.EQ else self.negate(equal))
        if op in _ORDER:
            return self.of_truth(self._order(op, width, args))
        logical = self._logical(op, args)
        if logical is not None:
            return logical
        if op in _WRAPPING:
            return self._wrapping(op, width, args)
        if op in _SHIFTS or op in _DIVISIONS:
            return self._wide(op, width, args)
        raise NotImplementedError(f"the operation {op.value}")

    def _narrow(self, value: Value, width: int) -> Value:
        """The low `width` bits as an unsigned number."""
        if value.range.bounded(width):
            return value
        r = unsigned(width)
        if value.number is not None:
            return self.known(to_unsigned(value.number, width))
        return Value(r, term=self.bits(value, width))

    def _sign_extend(self, value: Value, width: int) -> Value:
        if value.range.low >= 0 and value.range.high < 1 << (width - 1):
            return value
        r = Range(-(1 << width - 1), (1 << width - 1) - 1)
        return Value(r, term=self.bits(value, width))

    def select(self, condition: Term | bool, yes: Value, no: Value) -> Value:
        if isinstance(condition, bool):
            return yes if condition else no
        if yes is no or (yes.number is not None and yes.number == no.number):
            return no
        if yes.range.low >= 0 and no.range.low >= 0 and yes.range.high <= 1 and no.range.high <= 1:
            then, otherwise = self.boolean(yes), self.boolean(no)
            if isinstance(then, bool):
                return self.of_truth(
                    self.either(condition, otherwise) if then else self.both(self.negate(condition), otherwise)
                )
            if isinstance(otherwise, bool):
                return self.of_truth(
                    self.either(self.negate(condition), then) if otherwise else self.both(condition, then)
                )
            return self.of_truth(self.solver.apply("ite", condition, then, otherwise))
        r = Range(min(yes.range.low, no.range.low), max(yes.range.high, no.range.high))
        width = needed(r)[0]
        return Value(r, term=self.solver.apply("ite", condition, self.bits(yes, width), self.bits(no, width)))

    def _equal(self, a: Value, b: Value) -> Term | bool:
        if a.range.high < b.range.low or b.range.high < a.range.low:
            return False
        if a is b:
            return True
        for one, other in ((a, b), (b, a)):
            if one.number is not None and other.truth is not None:
                return other.truth if one.number else self.negate(other.truth)
        both = Range(min(a.range.low, b.range.low), max(a.range.high, b.range.high))
        width = needed(both)[0]
        return self.solver.apply("=", self.bits(a, width), self.bits(b, width))

    def _order(self, op: Op, width: int, args: list[Value]) -> Term | bool:
        _, swapped, negated, signed = _ORDER[op]
        a, b = (args[1], args[0]) if swapped else (args[0], args[1])
        less = self._less(a, b, width, signed)
        return self.negate(less) if negated else less

    def _less(self, a: Value, b: Value, width: int, signed: bool) -> Term | bool:
        if signed and width < WORD:
            a, b = self._sign_extend(a, width), self._sign_extend(b, width)
        plain = signed or (a.range.low >= 0 and b.range.low >= 0)
        if plain and a.range.high < b.range.low:
            return True
        if (plain and a.range.low >= b.range.high) or a is b:
            return False
        if not plain:
            return self.solver.apply("bvult", self.bits(a, WORD), self.bits(b, WORD))
        both = Range(min(a.range.low, b.range.low), max(a.range.high, b.range.high))
        bits, negative = needed(both)
        return self.solver.apply("bvslt" if negative else "bvult", self.bits(a, bits), self.bits(b, bits))

    def _logical(self, op: Op, args: list[Value]) -> Value | None:
        """And, or and xor of truth values stay truth values."""
        a, b = args[0], args[1]
        if op not in (Op.AND, Op.OR, Op.XOR) or not all(v.range.low >= 0 and v.range.high <= 1 for v in (a, b)):
            return None
        x, y = self.boolean(a), self.boolean(b)
        if op is Op.AND:
            return self.of_truth(self.both(x, y))
        if op is Op.OR:
            return self.of_truth(self.either(x, y))
        return self.of_truth(self.either(self.both(x, self.negate(y)), self.both(self.negate(x), y)))

    def _wrapping(self, op: Op, width: int, args: list[Value]) -> Value:
        r = apply(op, width, tuple(Range(a.range.low, a.range.high) for a in args))
        bits = needed(r)[0]
        term = self.solver.apply(_WRAPPING[op], *(self.bits(a, bits) for a in args))
        return self._made(r, term, bits)

    def _wide(self, op: Op, width: int, args: list[Value]) -> Value:
        """Shifts and divisions at full width; a division by zero is excluded before (`symbolic.py`)."""
        name = _SHIFTS.get(op) or _DIVISIONS[op]
        r = apply(op, width, tuple(Range(a.range.low, a.range.high) for a in args))
        shifted = args[1].number
        if op in (Op.SHL, Op.LSHR) and shifted is not None and args[0].range.low >= 0:
            bits = max(needed(args[0].range)[0] + (shifted if op is Op.SHL else 0), shifted.bit_length() + 1)
            if bits <= width:
                term = self.solver.apply(name, self.bits(args[0], bits), self.solver.number(shifted, bits))
                high = args[0].range.high << shifted if op is Op.SHL else args[0].range.high >> shifted
                return self._made(Range(0, high), term, bits)
        term = self.solver.apply(name, *(self.bits(a, width) for a in args))
        return self._made(r if r.low >= 0 or width == WORD else unsigned(width), term, width)
