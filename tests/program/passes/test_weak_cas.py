"""A weak compare-exchange fails for no reason where that shows: everywhere but in loops that only try again."""

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


TRY = "_, k := WCAS(x, 0, 1)"


@pytest.mark.parametrize(
    ("body", "free"),
    [
        (f"k := 0; while !k {{ {TRY} }}", 0),
        (f"k := 0; while k == 0 {{ r := x; {TRY} }}", 0),
        (f"k := 0; while k == 0 {{ r := y; if r {{ {TRY} }} }}", 0),
        (f"k := 0; while !k {{ fence.sc; {TRY} }}", 0),
        ("o := x; k := 0; while !k { o, k := WCAS(x, o, 1) }", 0),
        (f"k := 0; n := 0; while !k {{ {TRY}; n := n + 1 }}", 1),
        (f"k := 0; while !k {{ {TRY}; y := 1 }}", 1),
        (f"k := 0; while !k {{ y := 1; {TRY} }}", 1),
        (f"k := 0; while !k {{ {TRY}; if !k {{ y := 1 }} }}", 1),
        (f"for i in 1..2 {{ {TRY} }}", 1),
        (f"k := 0; j := 0; while !j {{ {TRY}; j := 1 }}", 1),
        ("o := 0; k := 0; while !k { p, k := WCAS(x, 0, 1); o := p + 1 }; y := o", 1),
    ],
)  # fmt: skip
def test_only_loops_that_just_try_again_are_left_alone(body: str, free: int) -> None:
    assert choices(f"var x, y\nthread P {{ {body} }}\nthread Q {{ x := 0; y := 1 }}") == free


def test_a_last_try_may_fail() -> None:
    """Two tries on one's own: by the standard both may fail."""
    text = 'var x\nthread P { k := 0; for i in 1..2 { if !k { _, k := WCAS(x, 0, 1) } }; assert(k, "done") }'
    for model in ("sc", "rc11", "power"):
        assert fencepost.check(read_text(text), model=model).answer.value == "FAIL"
    assert fencepost.check(read_text(text), spurious_failures=False).answer.value == "PASS"


@pytest.mark.parametrize("wrong", range(4))
def test_failures_that_are_counted_are_bounded(wrong: int) -> None:
    """Each number of failures up to the bound is explored, and more are a bound of the verdict."""
    body = "k := 0; n := 0; while !k { _, k := WCAS(x, 0, 1); if !k { n := n + 1 } }"
    text = f'var x\nthread P {{ {body}; assert(n != {wrong}, "n") }}'
    verdict = fencepost.check(read_text(text, "t.fp"))
    assert verdict.answer.value == ("FAIL" if wrong <= 2 else "BOUNDED")
    assert (
        wrong <= 2 or verdict.reason == "PASS within 2 failures for no reason of the weak compare-exchange at t.fp:2:47"
    )


def test_what_is_observed_counts() -> None:
    """A register that the loop itself forgets, but that is looked at in the end, makes a difference."""
    text = "var x\nthread P { r := 0; k := 0; while !k { r := x; if r == 0 { _, k := WCAS(x, 0, 1) } } }\nobserve P:r"
    program, options = read_text(text), ExploreOptions(model="sc")
    assert fencepost.outcomes(program, model="sc").states == enumerated(program, find("sc"), options).states
