"""A bound is exact: so many rounds are fine, one more is a Fail that names the loop."""

from __future__ import annotations

import pytest

from fencepost.program.instructions import ErrorKind
from fencepost.program.passes.unroll import LoopBounds, unroll
from fencepost.program.program import Program
from fencepost.program.reader import read_program
from fencepost.program.validate import validate
from interleave import interleave

NESTED = """program "t" arch=c11
file 0 "a.c"
function p() registers(%i, %j, %n, %more) {
outer:
  %more = compute (%i, ROWS) op=ult !0:3:1
  branch %more, row, end !0:3:1
row:
  %j = compute (0) op=mov !0:4:1
inner:
  %more = compute (%j, COLUMNS) op=ult !0:5:1
  branch %more, cell, next !0:5:1
cell:
  %n = compute (%n, 1) op=add !0:6:1
  %j = compute (%j, 1) op=add !0:6:1
  jump inner
next:
  %i = compute (%i, 1) op=add !0:7:1
  jump outer
end:
  return %n
}
thread p = p()
"""


def nested(rows: int, columns: int) -> Program:
    return read_program(NESTED.replace("ROWS", str(rows)).replace("COLUMNS", str(columns)))


@pytest.mark.parametrize(("rows", "columns", "bound"), [(3, 2, 3), (2, 3, 3), (3, 3, 3), (0, 9, 1)])
def test_enough_is_enough(rows: int, columns: int, bound: int) -> None:
    out = interleave(validate(unroll(nested(rows, columns), LoopBounds(bound))))
    assert out.results == {(rows * columns,)} and not out.errors


@pytest.mark.parametrize(("rows", "columns", "line"), [(3, 2, 3), (2, 3, 5)])
def test_one_more_names_the_loop(rows: int, columns: int, line: int) -> None:
    out = interleave(unroll(nested(rows, columns), LoopBounds(2)))
    assert not out.results
    (found,) = out.errors
    assert found[0] is ErrorKind.LOOP_BOUND and f"the loop at a.c:{line}:1 runs more than 2 times" in found[1]


def test_bounds_of_single_loops() -> None:
    bounds = LoopBounds(2, {"a.c:5": 9})
    assert interleave(unroll(nested(2, 9), bounds)).results == {(18,)}
    assert interleave(unroll(nested(3, 9), bounds)).kinds == {ErrorKind.LOOP_BOUND}
    assert interleave(unroll(nested(3, 9), LoopBounds(2, {"p": 9}))).results == {(27,)}


def test_without_bounds_nothing_changes() -> None:
    program = nested(2, 2)
    assert unroll(program, LoopBounds()) is program


def test_a_loop_entered_in_its_middle_is_bounded_too() -> None:
    program = read_program("""program "t" arch=c11
function p() registers(%i, %c) {
  %c = choose 0, 1
  branch %c, a, b
a:
  %i = compute (%i, 1) op=add
  jump b
b:
  %i = compute (%i, 1) op=add
  %c = compute (%i, 100) op=ult
  branch %c, a, end
end:
  return %i
}
thread p = p()
""")
    out = interleave(validate(unroll(program, LoopBounds(5))))
    assert out.kinds == {ErrorKind.LOOP_BOUND} and not out.results
    assert interleave(unroll(program, LoopBounds(60))).results == {(100,), (101,)}
