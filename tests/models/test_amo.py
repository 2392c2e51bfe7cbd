"""RISC-V: an AMO is one memory operation, lr and sc are two."""

from __future__ import annotations

import pytest

from fencepost.enumerate.verdicts import outcomes_by_enumeration
from fencepost.explore.driver import outcomes
from fencepost.frontends import read_text
from fencepost.models.registry import find
from fencepost.options import ExploreOptions

#: What is read after the update by its result is older than what the update's operand came from.
PASSED_ON = (
    "var x, y, z\nthread P {{ x := 1; fence.rw.rw; y := 1 }}\n"
    "thread Q {{ r := y; {update}; t := [&x + (s ^ s)] }}\nexists (Q:r == 1 && Q:t == 0)\n"
)


@pytest.mark.parametrize(
    ("update", "allowed"),
    [("s := XCHG(z, r)", False), ("s := LDX(z); u := STX(z, r)", True), ("s := CAS(z, 0, r)", True)],
)
def test_what_comes_before_one_half_comes_before_both(update: str, allowed: bool) -> None:
    program, options = read_text(PASSED_ON.format(update=update)), ExploreOptions(model="riscv")
    found, listed = (f(program, find("riscv"), options) for f in (outcomes, outcomes_by_enumeration))
    assert (found.holds, listed.holds) == (allowed, allowed)
    assert (found.engine, found.states) == ("explore", listed.states)


#: A load passes the write of an acquiring update before it.
BUFFERED = (
    "var x, y\nthread P {{ {update}; r := y }}\nthread Q {{ y := 1; fence.rw.rw; s := x }}\n"
    "exists (P:a == 0 && P:r == 0 && Q:s == 0)\n"
)


@pytest.mark.parametrize(("update", "allowed"), [("a := XCHG(x.acq, 1)", False), ("a := CAS(x.acq, 0, 1)", True)])
def test_the_write_of_a_compare_exchange_does_not_acquire(update: str, allowed: bool) -> None:
    """Compilers make lr.aq and sc of it; an amoswap.aq acquires with both halves."""
    program, options = read_text(BUFFERED.format(update=update)), ExploreOptions(model="riscv")
    found, listed = (f(program, find("riscv"), options) for f in (outcomes, outcomes_by_enumeration))
    assert (found.holds, listed.holds, found.states) == (allowed, allowed, listed.states)
