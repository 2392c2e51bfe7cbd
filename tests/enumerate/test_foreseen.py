"""Which values memory can hold, whatever branches decide: never fewer than it does hold."""

from __future__ import annotations

import pytest

from fencepost.enumerate.foreseen import Foreseen
from fencepost.program.interpret import Machine
from fencepost.program.operands import GlobalAddress
from fencepost.program.reader import read_program

_BOTH = "%a = alloca 64\n  %c = choose 0, 1\n  branch %c, there, here\n there:\n  %a = compute (&x) op=mov\n here:\n  "


def _foreseen(code: str) -> tuple[Foreseen, int]:
    text = f"""program "foreseen" arch=c11
global x size=64 align=8
global y size=8 align=8

function f() registers(%a, %b, %c, %d) {{
  {code}
  return _
}}

thread T = f()
"""
    machine = Machine(read_program(text, "foreseen.fpir"))
    return Foreseen(machine), machine.layout.value(GlobalAddress("y"))


@pytest.mark.parametrize(
    ("code", "held"),
    [
        ("%a = compute (-1, 1) op=add\n  store &y, %a", {0}),  # no number stands for an address
        ("%a = compute (-1) op=mov\n  store &y, %a", {0, 2**64 - 1}),
        ("%a = alloca 8\n  %b = compute (%a, 0) op=eq\n  store &y, %b", {0, 1}),
        ("%a = alloca 8\n  store %a, 7\n  store &y, 2", {0, 2}),
        ("%a = alloca 8\n  store %a, 7\n  %b = load %a\n  store &y, %b", {0, 7}),
        ("%a = malloc 16\n  %c = compute (%a, 8) op=add\n  store %c, 7\n  %b = load %c\n  store &y, %b", {0, 7}),
    ],
)
def test_numbers(code: str, held: set[int]) -> None:
    found, y = _foreseen(code)
    assert found.known and not found.is_open((y, 8))
    assert found.at((y, 8)) == held


@pytest.mark.parametrize(
    "code",
    [
        "%a = alloca 8\n  %b = alloca 8\n  %a = compute (%a, %b) op=sub\n  store &y, %a",  # how far apart: any number
        "%a = alloca 8\n  %a = compute (%a, 255) op=and\n  store &y, %a",
        "%a = alloca 8\n  store &y, %a",  # an address that is not known here
        "%a = malloc 8\n  store %a, %a\n  %b = load %a\n  store &y, %b",
        "%a = alloca 8\n  _ = rmw &y, %a op=xchg",
    ],
)
def test_what_may_be_anything_is_open(code: str) -> None:
    found, y = _foreseen(code)
    assert found.known and found.is_open((y, 8))


@pytest.mark.parametrize("by", ["%b = load %a", "%b = load &y\n  store &y, %a"])
def test_an_address_that_may_be_global_is_not_moved_by_any_number(by: str) -> None:
    """It was taken for one of the stack, and what is written there for nothing that others see."""
    found, _ = _foreseen(f"{_BOTH}{by}\n  %b = load %a\n  %d = compute (%a, %b) op=add\n  store %d, 3")
    assert not found.known


def test_an_address_that_may_be_global_is_moved_by_a_number() -> None:
    found, _ = _foreseen(f"{_BOTH}%d = compute (%a, 8) op=add\n  store %d, 3")
    x = found.memory.layout.value(GlobalAddress("x"))
    assert found.known and found.at((x + 8, 8)) == {0, 3}
