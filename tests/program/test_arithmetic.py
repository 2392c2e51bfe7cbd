"""Arithmetic against Python's own numbers and against laws; the twin in the core is held equal elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fencepost.program.arithmetic import ArithmeticFault, compute, update
from fencepost.program.instructions import ARITY, COMPARISONS, ErrorKind, Op, RmwOp
from fencepost.program.operands import to_signed, to_unsigned

WORDS = st.integers(0, 2**64 - 1) | st.sampled_from([0, 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1])
WIDTHS = st.integers(1, 64)
TOTAL = [
    op for op in Op
    if ARITY[op] == 2 and op not in (Op.SDIV, Op.SREM, Op.UDIV, Op.UREM) and not op.value.startswith("f")
]  # fmt: skip


@given(st.sampled_from(TOTAL), WIDTHS, WORDS, WORDS)
def test_results_stay_within_their_width(op: Op, width: int, a: int, b: int) -> None:
    result = compute(op, width, (a, b))
    assert 0 <= result < 2**width
    if op in COMPARISONS:
        assert result in (0, 1)


@given(st.sampled_from(TOTAL), WIDTHS, WORDS, WORDS)
def test_high_bits_of_operands_do_not_matter(op: Op, width: int, a: int, b: int) -> None:
    low = (to_unsigned(a, width), to_unsigned(b, width))
    assert compute(op, width, (a, b)) == compute(op, width, low)


@given(WIDTHS, WORDS, WORDS)
def test_ring_laws(width: int, a: int, b: int) -> None:
    total = compute(Op.ADD, width, (a, b))
    assert compute(Op.SUB, width, (total, b)) == to_unsigned(a, width)
    assert compute(Op.XOR, width, (compute(Op.XOR, width, (a, b)), b)) == to_unsigned(a, width)
    assert total == compute(Op.ADD, width, (b, a))


@given(WIDTHS, WORDS, WORDS)
def test_division_rounds_towards_zero(width: int, a: int, b: int) -> None:
    x, y = to_signed(a, width), to_signed(b, width)
    if y == 0 or (y == -1 and x == -(1 << (width - 1))):
        with pytest.raises(ArithmeticFault) as caught:
            compute(Op.SDIV, width, (a, b))
        assert caught.value.kind is (ErrorKind.DIVISION if y == 0 else ErrorKind.ARITHMETIC)
        return
    quotient = to_signed(compute(Op.SDIV, width, (a, b)), width)
    remainder = to_signed(compute(Op.SREM, width, (a, b)), width)
    assert quotient * y + remainder == x
    assert abs(remainder) < abs(y) and (remainder == 0 or (remainder < 0) == (x < 0))


@given(WIDTHS, WORDS, WORDS)
def test_comparisons_are_those_of_numbers(width: int, a: int, b: int) -> None:
    x, y, u, v = to_signed(a, width), to_signed(b, width), to_unsigned(a, width), to_unsigned(b, width)
    expected = {Op.SLT: x < y, Op.SLE: x <= y, Op.SGT: x > y, Op.SGE: x >= y, Op.ULT: u < v, Op.UGE: u >= v,
                Op.EQ: u == v, Op.NE: u != v}  # fmt: skip
    assert {op: bool(compute(op, width, (a, b))) for op in expected} == expected


@given(WIDTHS, WORDS, st.integers(0, 200))
def test_shifts(width: int, a: int, by: int) -> None:
    x, u = to_signed(a, width), to_unsigned(a, width)
    count = to_unsigned(by, width)
    assert compute(Op.SHL, width, (a, by)) == to_unsigned(u << count, width)
    assert compute(Op.LSHR, width, (a, by)) == u >> count
    assert to_signed(compute(Op.ASHR, width, (a, by)), width) == x >> count


@given(WIDTHS, WORDS)
def test_sign_extension_keeps_the_number(width: int, a: int) -> None:
    assert to_signed(compute(Op.SEXT, width, (a,))) == to_signed(a, width)


@given(st.sampled_from(list(RmwOp)), st.sampled_from([1, 2, 4, 8]), WORDS, WORDS)
def test_updates(op: RmwOp, size: int, old: int, value: int) -> None:
    width = 8 * size
    result = update(op, size, old, value)
    assert 0 <= result < 2**width
    a, b = to_signed(old, width), to_signed(value, width)
    same = {RmwOp.ADD: a + b, RmwOp.SUB: a - b, RmwOp.XCHG: b, RmwOp.MAX: max(a, b), RmwOp.MIN: min(a, b)}
    if op in same:
        assert result == to_unsigned(same[op], width)
    if op in (RmwOp.UMAX, RmwOp.UMIN):
        assert result in (to_unsigned(old, width), to_unsigned(value, width))
