"""A weak compare-exchange fails for no reason where that shows: everywhere but in loops that only try again."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost
from fencepost.frontends import read_text
from fencepost.models.registry import find, names
from fencepost.options import ExploreOptions
from fencepost.program.instructions import Choose
from fencepost.program.passes.weak_cas import let_weak_cas_fail
from fencepost.program.reader import read_program
from fencepost.report.text import render
from fencepost.suite.engine import enumerated

TWO = "var x\nthread P { _, k := WCAS(x.acq_rel, 0, 1) }\nthread Q { o, k := WCAS(x, 0, 2) }\nobserve P:k, Q:k, Q:o, x"


def choices(text: str) -> int:
    return sum(isinstance(i, Choose) for f in let_weak_cas_fail(read_text(text)).functions for i in f.code)


@pytest.mark.parametrize("model", [m for m in names() if find(m).orders_writes])
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
        "var x\nthread P { _, k := CAS(x, 0, 1) }",
    ],
    ids=["loop", "called", "called by called", "strong"],
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
        ("z := 0; k := 0; while !k { _, k := WCAS(x, z, 1); z := 0 }", 0),
        ("if y { z := 0 } else { z := 0 }; k := 0; while !k { _, k := WCAS(x, z, 1); z := 0 }", 0),
        ("z := 1; k := 0; while !k { _, k := WCAS(x, z, 1); z := 0 }", 1),
        ("z := y; k := 0; while !k { _, k := WCAS(x, z, 1); z := 0 }", 1),
        ("k := 0; while !k { _, k := WCAS(x, z, 1); z := 0 }", 1),
        ("if y { z := 0 } else { z := 2 }; k := 0; while !k { _, k := WCAS(x, z, 1); z := 0 }", 1),
        ("z := 0; k := 0; while !k { _, k := WCAS(x, z, 1); if y { z := 2 } else { z := 0 } }", 1),
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


@pytest.mark.parametrize("model", ["sc", "tso", "rc11"])
def test_a_number_that_is_set_again_makes_no_difference(model: str) -> None:
    """The same outcomes as where failures for no reason are explored, since somebody counts the tries."""
    lock = "z := 0; k := 0; n := 0; while !k {{ _, k := WCAS(x, z, 1); z := 0{count} }}; r := y; y := r + 1; x := 0"
    both = "var x, y\nthread P {{ {lock} }}\nthread Q {{ {lock} }}\nobserve P:r, Q:r, y{seen}\n"

    def seen(count: str, more: str, unroll: int | None = None) -> set[tuple[int, ...]]:
        program = read_text(both.format(lock=lock.format(count=count), seen=more))
        found = fencepost.outcomes(program, model=model, unroll=unroll)
        assert found.executions > 1
        return {tuple(v for _, v in state)[:3] for state in found.states}

    assert choices(both.format(lock=lock.format(count=""), seen="")) == 0
    assert seen("", "") == seen("; n := n + 1", ", P:n, Q:n", unroll=6)


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


#: Loops that call for their exchange, and do more than try again where it failed: a strong one would hide it.
CALLED = "var x, y\nfn try() { _, k := WCAS(x, 0, 1); return k }\n"
DOES_MORE = {
    "counts": CALLED + "thread P { n := 0; while !try() { n := n + 1 }; assert(n == 0) }",
    "gives up": CALLED + "thread P { k := 0; for i in 1..2 { if !k { k := try() } }; assert(k) }",
    "writes": CALLED + "thread P { while !try() { y := 1 }; r := y; assert(r == 0) }",
    "writes, called": CALLED + "fn note() { y := 1 }\nthread P { while !try() { note() }; r := y; assert(r == 0) }",
    "called by called": CALLED + "fn again() { return try() }\n"
    "thread P { n := 0; while !again() { n := n + 1 }; assert(n == 0) }",
    "its own loop": "var x, y\nfn take() { k := 0; while !k { _, k := WCAS(x, 0, 1); if !k { y := 1 } } }\n"
    "thread P { for i in 1..1 { take() }; r := y; assert(r == 0) }",
    "both ways": CALLED + "thread P { while !try() { skip }; x := 0; k := try(); assert(k) }",
    "calls itself": "var x\nfn f(n) { _, k := WCAS(x, 0, 1); if !k { n := f(n + 1) }; return n }\n"
    "thread P { r := f(0); assert(r == 0) }",
    "two exchanges": "var x, y\nfn try() { _, k := WCAS(x, 0, 1); if !k { _, k := WCAS(y, 0, 1) }; return k }\n"
    "thread P { while !try() { skip }; r := y; assert(r == 0) }",
    "checks": CALLED + "thread P { while !try() { assert(0) } }",
    "divides": CALLED + "thread P { r := y; while !try() { s := 1 / r } }",
    "races": CALLED + "thread P { while !try() { r := y.na } }\nthread Q { y.na := 1 }",
    "waits": CALLED + "thread P { while !try() { wait(y == 1) } }",
}  # fmt: skip


@pytest.mark.parametrize("model", ["sc", "tso", "rc11", "power", "armv8"])
@pytest.mark.parametrize("text", DOES_MORE.values(), ids=DOES_MORE.keys())
def test_a_loop_that_calls_and_does_more_shows_failures(text: str, model: str) -> None:
    if model != "rc11" and ".na" in text:
        pytest.skip("no races there")
    assert fencepost.check(read_text(text), model=model).answer.value == "FAIL"
    assert fencepost.check(read_text(text), model=model, spurious_failures=False).answer.value == "PASS"


@pytest.mark.parametrize("text", DOES_MORE.values(), ids=DOES_MORE.keys())
def test_other_verbs_never_pass_it(text: str) -> None:
    if "assert" in text and "wait" not in text:
        assert fencepost.robust(read_text(text), against="ra").answer.value == "FAIL"
        assert fencepost.bounded(read_text(text), contexts=2).answer.value in ("FAIL", "UNKNOWN")


def test_a_way_through_a_switch_is_followed() -> None:
    """Behind it the exchange may fail, and then the loop writes."""
    program = read_program(
        """program "t" arch=fp
global x size=8 align=8
global y size=8 align=8
function P() registers(%r, %k) {
 L0:
  %r = load &y
  switch %r, (0, 1), (L2, L4), L6
 L2:
  _, %k = cas &x, 0, 1 weak=true
  branch %k, L7, L4
 L4:
  store &y, 1
  jump L0
 L6:
  jump L0
 L7:
  return _
}
thread P = P()
""", "t.fpir")  # fmt: skip
    assert any(isinstance(i, Choose) for f in let_weak_cas_fail(program).functions for i in f.code)


CXX = """#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> x{0};
void inc() { int e = x.load(); while (!x.compare_exchange_weak(e, e + 1)) {} }
int main() { std::thread t(inc); inc(); t.join(); int e = 2; %s }
"""


@pytest.mark.parametrize(
    ("end", "answer"), [("assert(x == 2);", "PASS"), ("assert(x.compare_exchange_weak(e, 3));", "FAIL")]
)
def test_a_loop_of_cxx_tries_through_the_library(end: str, answer: str, tmp_path: Path) -> None:
    """The library's function is one for all: in the loop its exchange is strong, and elsewhere it is not."""
    (tmp_path / "t.cpp").write_text(CXX % end)
    assert fencepost.check(tmp_path / "t.cpp").answer.value == answer


WRITES_BACK = """var x, e
thread P {{ k := 0; while !k {{ o := e.na; s, k := WCAS(x, o, 1); if !k {{ e.na := s }} }} }}
thread Q {{ {other} }}
"""


def test_a_round_that_writes_back_what_it_found_fails_once() -> None:
    """As a compare-exchange of C does whose expected value lies in memory."""
    program = read_text(WRITES_BACK.format(other="y := x"), "t.fp")
    assert choices(WRITES_BACK.format(other="y := x")) == 1
    verdict = fencepost.check(program)
    assert (verdict.answer.value, verdict.executions) == ("PASS", 4)


def test_that_once_is_enough_to_race() -> None:
    verdict = fencepost.check(read_text(WRITES_BACK.format(other="y := e.na"), "t.fp"))
    assert verdict.answer.value == "FAIL" and verdict.errors[0].kind.value == "race"
    strong = fencepost.check(read_text(WRITES_BACK.format(other="y := e.na"), "t.fp"), spurious_failures=False)
    assert strong.answer.value == "PASS"


def test_what_writes_another_value_is_no_such_round() -> None:
    text = WRITES_BACK.format(other="y := x").replace("e.na := s", "e.na := s + 1")
    assert fencepost.check(read_text(text, "t.fp")).answer.value in ("BOUNDED", "UNKNOWN")


WAITS_AGAIN = """var x, y
thread P {{ k := 0; while !k {{ _, k := WCAS(x, 0, 1); if !k {{ r := {where}; while r {{ r := {where} }} }} }} }}
thread Q {{ {other} }}
"""


def test_a_round_that_waits_before_it_tries_again_fails_once() -> None:
    """As a spin lock does that looks before it leaps; also where the exchange is in a function."""
    other = "k := 0; while !k { _, k := WCAS(x, 0, 1); if !k { r := x; while r { r := x } } }; x := 0"
    text = WAITS_AGAIN.format(where="x", other=other).replace("} }\nthread Q", "}; x := 0 }\nthread Q")
    assert choices(text) == 2
    assert fencepost.check(read_text(text, "t.fp")).answer.value == "PASS"
    called = text.replace("_, k := WCAS(x, 0, 1)", "k := try()").replace(
        "var x, y", "var x, y\nfn try() { _, k := WCAS(x, 0, 1); return k }"
    )
    found = fencepost.check(read_text(called, "t.fp"))
    assert found.answer.value == "PASS" and found.executions == fencepost.check(read_text(text, "t.fp")).executions


@pytest.mark.parametrize("model", ["sc", "tso", "rc11", "power", "armv8"])
def test_once_is_enough_to_wait_for_ever(model: str) -> None:
    """Only who failed for no reason looks at y."""
    text = WAITS_AGAIN.format(where="y", other="y := 1")
    assert fencepost.check(read_text(text, "t.fp"), model=model).answer.value == "FAIL"
    assert fencepost.check(read_text(text, "t.fp"), model=model, spurious_failures=False).answer.value == "PASS"


def test_a_wait_that_leaves_something_behind_counts() -> None:
    text = WAITS_AGAIN.format(where="x", other="skip").replace("while r { r := x }", "while r { r := x }; n := n + 1")
    text = text.replace("k := 0;", "k := 0; n := 0;").replace("} }\nthread Q", "}; assert(n < 2) }\nthread Q")
    assert fencepost.check(read_text(text, "t.fp")).answer.value == "FAIL"


STORES_FIRST = """var x, e
thread P {{ k := 0; while !k {{ {first}; _, k := WCAS(x, 0, 1) }} }}
thread Q {{ {other} }}
"""


@pytest.mark.parametrize(
    ("first", "other", "answer"),
    [
        ("e.na := 5", "r := x.acq; if r { s := e.na; assert(s == 5) }", "FAIL"),  # the exchange is relaxed: a race
        ("e.na := 5", "skip", "PASS"),
        ("r := x; e.na := r", "skip", "BOUNDED"),  # what it read may be another next time
        ("e := 5", "skip", "BOUNDED"),  # others may see the middle
    ],
)
def test_a_round_that_stores_the_same_again_fails_once(first: str, other: str, answer: str) -> None:
    text = STORES_FIRST.format(first=first, other=other)
    assert fencepost.check(read_text(text, "t.fp")).answer.value == answer


def test_without_races_somebody_sees_the_stores_between() -> None:
    assert fencepost.check(
        read_text(STORES_FIRST.format(first="e.na := 5", other="skip")), model="tso"
    ).answer.value == ("BOUNDED")


@pytest.mark.parametrize("rounds", [1, 2, 3, 5])
@pytest.mark.parametrize(("begin", "test", "step"), [("0", "n < {}", "n + 1"), ("{}", "n > 0", "n - 1")])
def test_a_loop_that_counts_its_rounds_is_explored_to_its_end(rounds: int, begin: str, test: str, step: str) -> None:
    """It does what it would do without a loop, where no failure is counted."""
    once = "if !k { _, k := WCAS(x, 0, 1) }"
    loop = f"n := {begin.format(rounds)}; while {test.format(rounds)} {{ {once}; n := {step} }}"
    tail = "; y := k }\nthread Q { r := XCHG(x, 0) }\nobserve x, y, Q:r"
    by_rounds = fencepost.outcomes(read_text(f"var x, y\nthread P {{ k := 0; {loop}{tail}", "t.fp"), model="rc11")
    alone = "; ".join([once] * rounds)
    in_line = fencepost.outcomes(read_text(f"var x, y\nthread P {{ k := 0; {alone}{tail}", "t.fp"), model="rc11")
    assert by_rounds.reason == in_line.reason == ""
    assert by_rounds.states.keys() == in_line.states.keys()
    assert by_rounds.executions == in_line.executions


def test_two_loops_that_count_share_what_they_may_fail() -> None:
    loop = "n := 0; while n < 3 { _, k := WCAS(x, 0, 0); n := n + 1 }"
    assert fencepost.check(read_text(f"var x\nthread P {{ {loop}; {loop} }}")).answer.value == "PASS"
    many = "n := 0; while n < 9 { _, k := WCAS(x, 0, 0); n := n + 1 }"
    assert fencepost.check(read_text(f"var x\nthread P {{ {many} }}")).answer.value == "BOUNDED"
