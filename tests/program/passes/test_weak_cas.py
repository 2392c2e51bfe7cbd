"""A weak compare-exchange fails for no reason where that shows: outside loops."""

from __future__ import annotations

import pytest

import fencepost
from fencepost.frontends import read_text
from fencepost.models.registry import find, names
from fencepost.options import ExploreOptions
from fencepost.program.instructions import Choose
from fencepost.program.passes.weak_cas import let_weak_cas_fail
from fencepost.report.text import render
from fencepost.suite.engine import enumerated

TWO = "var x\nthread P { _, k := WCAS(x.acq_rel, 0, 1) }\nthread Q { o, k := WCAS(x, 0, 2) }\nobserve P:k, Q:k, Q:o, x"


def choices(text: str) -> int:
    return sum(isinstance(i, Choose) for f in let_weak_cas_fail(read_text(text)).functions for i in f.code)


@pytest.mark.parametrize("model", names())
def test_every_way_to_fail(model: str) -> None:
    program, options = read_text(TWO), ExploreOptions(model=model)
    found, listed = fencepost.outcomes(program, model=model), enumerated(program, find(model), options)
    states = {tuple(v for _, v in s): n for s, n in found.states.items()}
    assert states == {(0, 0, 0, 0): 1, (1, 0, 1, 1): 1, (1, 0, 0, 1): 1, (0, 1, 0, 2): 2}
    assert found.states == listed.states and found.blocked == listed.blocked
    strong = fencepost.outcomes(program, model=model, spurious_failures=False)
    assert strong.executions == 2 and strong.blocked == 0


def test_it_is_told_in_words() -> None:
    program = read_text('var x\nthread P { _, k := WCAS(x, 0, 1); assert(k, "done") }', "t.fp")
    assert "lets the weak compare-exchange fail for no reason" in render(fencepost.check(program))
    assert fencepost.check(program, spurious_failures=False).answer.value == "PASS"


@pytest.mark.parametrize(
    "text",
    [
        "var x\nthread P { k := 0; while !k { _, k := WCAS(x, 0, 1) } }",
        "var x\nfn f() { _, k := WCAS(x, 0, 1); return k }\nthread P { while !f() { skip } }",
        "var x\nfn g() { _, k := WCAS(x, 0, 1); return k }\nfn f() { return g() }\nthread P { while !f() { skip } }",
        "var x\nfn f() { _, k := WCAS(x, 0, 1); if !k { k := f() }; return k }\nthread P { r := f() }",
        "var x\nthread P { _, k := CAS(x, 0, 1) }",
    ],
    ids=["loop", "called", "called by called", "recursion", "strong"],
)
def test_in_loops_it_is_a_strong_one(text: str) -> None:
    assert choices(text) == 0
    assert fencepost.check(read_text(text)).answer.value == "PASS"


def test_a_thread_that_a_loop_starts_is_no_loop() -> None:
    text = (
        "var x\nfn f() { _, k := WCAS(x, 0, 1); return k }\nthread P { for i in 1..2 { t := spawn f(); r := join(t) } }"
    )
    assert choices(text) == 1
