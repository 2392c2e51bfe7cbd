"""What an assumption leaves of a choice, against trying every value on the plain machine's arithmetic."""

from __future__ import annotations

import random

import pytest

import fencepost
from fencepost.program.arithmetic import compute
from fencepost.program.instructions import Op
from fencepost.program.operands import to_unsigned
from fencepost.program.passes.assumed import values_left
from fencepost.program.reader import read_program

COMPARISONS = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FRAME = """program "t" arch=c11
global x size=8 align=8
function P() registers(%v, %w, %a, %b, %c) {{
  %v = choose {low}, {high} open=true
{code}
  store &x, %v
  return _
}}
thread P = P()
"""


def left(low: int, high: int, *code: str) -> set[int] | None:
    text = FRAME.format(low=low, high=high, code="\n".join(f"  {line}" for line in code))
    found = values_left(read_program(text, "t.fpir").functions[0], 0)
    return None if found is None else {v for a, b in found for v in range(a, b + 1)}


@pytest.mark.parametrize("op", COMPARISONS)
@pytest.mark.parametrize(
    ("low", "high", "width"), [(-128, 127, 8), (0, 255, 8), (-128, 127, 16), (-8, 7, 4), (3, 100, 8)]
)
def test_every_comparison_is_read_as_the_machine_reads_it(op: str, low: int, high: int, width: int) -> None:
    dice = random.Random(f"{op} {low} {width}")
    for number in (low, high, -1, 0, 1, *(dice.randint(-200, 300) for _ in range(6))):
        right = {v for v in range(low, high + 1) if compute(Op(op), width, (to_unsigned(v), to_unsigned(number)))}
        assert left(low, high, f"%a = compute (%v, {number}) op={op} width={width}", "assume %a") == right


@pytest.mark.parametrize("seed", range(60))
def test_copies_and_connectives(seed: int) -> None:
    """Random code over the choice, run for each value."""
    dice = random.Random(seed)
    signed = dice.random() < 0.5
    low, high = (-16, 15) if signed else (0, 31)
    first, second = (f"({{}}, {dice.randint(-18, 34)}) op={dice.choice(COMPARISONS)} width=5" for _ in range(2))
    copy = dice.choice(["mov width=5", "mov", "sext width=5" if signed else "mov width=16"])
    code = [f"%w = compute (%v) op={copy}", f"%a = compute {first.format('%w')}", f"%b = compute {second.format('%v')}"]
    code += [f"%c = compute (%a, %b) op={dice.choice(['and', 'or', 'xor', 'eq', 'ne'])}"]
    code += [f"%c = compute (%c, {dice.randint(0, 1)}) op={dice.choice(['xor', 'eq', 'ne'])} width=1", "assume %c"]
    right = {v for v in range(low, high + 1) if goes_on(FRAME.format(low=v, high=v, code="\n".join(code)))}
    assert left(low, high, *code) == right


def goes_on(text: str) -> bool:
    return fencepost.outcomes(read_program(text.replace(" open=true", ""), "t.fpir")).executions == 1


def test_branches_are_followed_and_other_things_are_not() -> None:
    branch = ("%a = compute (%v, 0) op=sge", "branch %a, L4, L3", "L3:", "assume 0", "L4:")
    assert left(-128, 127, *branch) == set(range(128))
    either = (
        "%a = compute (%v, 10) op=sge",
        "branch %a, L3, L5",
        "L3:",
        "%b = compute (%v, 20) op=slt",
        "assume %b",
        "L5:",
    )
    assert left(-128, 127, *either) == set(range(-128, 20)), "what is below 10 goes on without the assumption"
    kept = left(-128, 127, "store &x, 1", "%a = compute (%v, 0) op=eq", "assume %a")
    assert kept == set(range(-128, 128)), "others may have seen the store"
    assert left(-128, 127, "%a = compute (%v, 3) op=mul", "assume %a") == set(range(-128, 128))


def test_some_bits_of_a_choice_say_nothing_about_all() -> None:
    every = set(range(-128, 128))
    assert left(-128, 127, "%a = compute (%v, 3) op=eq width=4", "assume %a") == every
    narrow = ("%w = compute (%v) op=mov width=4", "%a = compute (%w, 3) op=eq width=8", "assume %a")
    assert left(-128, 127, *narrow) == every


def test_a_loop_is_given_up() -> None:
    assert left(-128, 127, "jump L2", "L2:", "jump L2") is None


@pytest.mark.parametrize(("assumed", "answer"), [(7, "FAIL"), (6, "PASS"), (4, "UNKNOWN")])
def test_a_program_with_an_assumption_needs_no_range(assumed: int, answer: str) -> None:
    """4 <= v < assumed, and the square of v should not be 36."""
    code = ["%a = compute (%v, 4) op=sge width=32", f"%b = compute (%v, {assumed}) op=slt width=32"]
    code += ["%c = compute (%a, %b) op=and", "assume %c", "%w = compute (%v, %v) op=mul"]
    code += ["%a = compute (%w, 36) op=ne", "assert %a"]
    text = FRAME.format(low=-(2**31), high=2**31 - 1, code="\n".join(code))
    assert fencepost.check(read_program(text, "t.fpir")).answer.value == answer
