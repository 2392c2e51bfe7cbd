"""The one table of passes: every verb means the same by a program, and preparing twice is preparing once."""

from __future__ import annotations

import pytest

import fencepost
from fencepost.frontends import read_text
from fencepost.program.pipeline import PIPELINE, Looked, Pass, Purpose, Settings, passes, prepare
from fencepost.verdict import Answer

ONE_WEAK = 'var x\nthread P { _, k := WCAS(x, 0, 1); assert(k, "done") }'
PROGRAMS = {
    "weak": ONE_WEAK,
    "weak in a function": 'var x\nfn f() { _, k := WCAS(x, 0, 1); return k }\nthread P { k := f(); assert(k, "done") }',
    "weak twice": 'var x\nthread P { _, k := WCAS(x, 0, 1); if !k { _, k := WCAS(x, 0, 1) }; assert(k, "done") }',
    "after a store": 'var x, y\nthread P { y := 1; _, k := WCAS(x, 0, 1); r := y; assert(k * r, "done") }',
}
_FIRST = ["volatile", "wide accesses", "synchronisation", "nondet", "weak exchanges"]
_WHOLE = [*_FIRST, "reservations", "helpers", "idle", "patience", "spins", "unrolling", "compilation"]
STEPS = {
    Purpose.EXPLORE: _WHOLE,
    Purpose.ENUMERATE: _WHOLE,
    Purpose.ROBUSTNESS: [*_FIRST, "compilation"],
    Purpose.BOUNDED: [*_FIRST, "spins", "compilation"],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_weak_exchange_means_the_same_to_every_verb(name: str) -> None:
    def answers(spurious: bool) -> tuple[set[Answer], Answer]:
        program = read_text(PROGRAMS[name], "t.fp")
        verdicts = [fencepost.check(program, model=m, spurious_failures=spurious) for m in ("sc", "rc11", "power")]
        verdicts += [fencepost.robust(program, against=m, spurious_failures=spurious) for m in ("sc", "ra", "tso")]
        within = fencepost.bounded(program, contexts="2", spurious_failures=spurious)
        return {v.answer for v in verdicts}, within.answer

    assert answers(spurious=True) == ({Answer.FAIL}, Answer.FAIL)
    assert answers(spurious=False) == ({Answer.PASS}, Answer.BOUNDED)


@pytest.mark.parametrize("analysis", Purpose)
def test_the_rows_of_each_analysis(analysis: Purpose) -> None:
    assert [p.name for p in passes(analysis, Settings(target="rc11"))] == STEPS[analysis]


def test_settings_switch_rows_off() -> None:
    plain = Settings(target="rc11", spurious_failures=False, spin_detection=False)
    assert [p.name for p in passes(Purpose.EXPLORE, plain)] == [
        "volatile",
        "wide accesses",
        "synchronisation",
        "nondet",
        "unrolling",
        "compilation",
    ]
    waits = Settings(target="ra", waits=True)
    assert "waits" in [p.name for p in passes(Purpose.ROBUSTNESS, waits)]


@pytest.mark.parametrize("target", ["sc", "rc11", "power", "armv8", "tso"])
@pytest.mark.parametrize("row", [p for p in PIPELINE if p.name not in ("spins", "unrolling")], ids=lambda p: p.name)
def test_each_pass_is_done_once(row: Pass, target: str) -> None:
    settings = Settings(target=target, unroll=2, waits=True)
    text = "var x, y\nthread P { _, k := WCAS(x, 0, 1); fence.sc; while y == 0 { skip }; while y < 9 { y := y + 1 } }"
    program = read_text(text, "t.fp")
    once = row.run(program, settings)
    assert row.run(once, settings) == once


@pytest.mark.parametrize("analysis", Purpose)
def test_preparing_twice_is_preparing_once(analysis: Purpose) -> None:
    settings = Settings(target="armv8", spin_detection=False)
    once = prepare(read_text(ONE_WEAK, "t.fp"), analysis, settings)
    assert prepare(once, analysis, settings) == once


def test_counting_rounds_twice_changes_no_outcome() -> None:
    program = read_text("var x\nthread P { r := 0; while r < 3 { r := r + 1; x := r } }\nobserve x", "t.fp")
    settings = Settings(target="sc", unroll=5)
    once = prepare(program, Purpose.EXPLORE, settings)
    twice = prepare(once, Purpose.EXPLORE, settings)
    assert fencepost.outcomes(once, model="sc").states == fencepost.outcomes(twice, model="sc").states


GLANCED = {
    **PROGRAMS,
    "nothing": "var x\nthread P { x := 1 }",
    "updates": "var x\nthread P { r := FADD(x, 1); XCHG(x, 2) }",
    "waiting": "var x\nthread P { while x == 0 { skip } }\nthread Q { x := 1 }",
    "counting": "var x\nthread P { r := 0; while r < 3 { r := r + 1; x := r } }\nobserve x",
    "a lock": "var x\nmutex m\nthread P { lock(m); x := 1; unlock(m) }",
    "a choice": "var x\nthread P { r := choose(0..2); x := r }",
}


@pytest.mark.parametrize("name", GLANCED)
@pytest.mark.parametrize("row", PIPELINE, ids=lambda p: p.name)
def test_a_pass_that_a_glance_leaves_out_would_change_nothing(row: Pass, name: str) -> None:
    program = read_text(GLANCED[name], "t.fp")
    for settings in (Settings(target="rc11", undo=True), Settings(target="armv8", spurious_wakeups=True, unroll=2)):
        if not row.works(Looked(program), settings):
            assert row.run(program, settings) is program
