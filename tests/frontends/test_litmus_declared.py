"""A variable that the initial state of a C litmus test declares is the one that the code declares."""

from __future__ import annotations

import fencepost
from fencepost.frontends.litmus import read

TEST = """C declared twice
{ int 0:r1; int 1:r1 = 5; }
P0(atomic_int *x) { int r1; r1 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }
P1(atomic_int *x) { int r1 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); if (r1) { int r1 = 7; } }
exists (0:r1=1:r1)
"""


def test_it_is_observed_as_the_code_leaves_it() -> None:
    found = fencepost.outcomes(read(TEST, "t.litmus"), model="rc11")
    assert found.holds is False
    assert {tuple(value for _, value in state) for state in found.states} == {(0, 1), (1, 0)}
