"""ARMv8 lets a read see its own thread's write before what that write waits for; the explorer must not miss it."""

from __future__ import annotations

import pytest

from fencepost import api
from fencepost.frontends import read_text

PROGRAM = """
var x, y, u
thread P {{ r := x; {writes}; e := y; u := e }}
thread Q {{ s := u; x := s }}
exists (P:r == 1)
"""


@pytest.mark.parametrize(
    ("writes", "model", "allowed"),
    [
        ("y := r; y := 1", "armv8", True),
        ("y := r; y := 1", "power", False),
        ("y.rel := 1", "armv8", True),
        ("y.rel := 1", "power", False),
        ("y.rel := 1", "riscv", False),  # fence rw,w orders the last write, too
        ("dmb.sy; y := 1", "armv8", False),
    ],
)
def test_forwarding(writes: str, model: str, allowed: bool) -> None:
    outcomes = api.outcomes(read_text(PROGRAM.format(writes=writes)), model=model)
    assert outcomes.holds is allowed
