"""ARMv8 lets a read see its own thread's write before what that write waits for; the explorer must not miss it."""

from __future__ import annotations

import pytest

from fencepost import api
from fencepost.explore import explore
from fencepost.frontends import read_file, read_text
from fencepost.verdict import Answer
from numbers_table import BENCHMARKS

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


@pytest.mark.parametrize("model", ["armv8", "riscv"])
def test_a_forwarded_value_is_no_reason_to_enumerate(model: str) -> None:
    """Each x := x + y reads what the one before wrote; the data of that write orders them anyway."""
    program = read_file(BENCHMARKS / "programs" / "fib_bench-plain.fp")
    verdict = explore(program, model)
    assert (verdict.answer, verdict.executions, verdict.extra.get("engine")) == (Answer.PASS, 2800, None)


@pytest.mark.parametrize("model", ["armv8", "riscv"])
def test_what_others_may_write_is_no_reason_to_enumerate(model: str) -> None:
    """Two reads of y see the thread's own write, and u is what the second one saw."""
    text = "var x, y, u\nthread P {{ r := x; y := 1; a := y; e := y; u := e }}\nthread Q {{ s := u; {q} := s }}\n"
    alone, shared = (api.outcomes(read_text(text.format(q=q)), model=model) for q in "xy")
    assert (alone.engine, shared.engine) == ("explore", "explore")
