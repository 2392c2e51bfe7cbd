"""RSMC in the core: the traces and the blocked runs of the reference, the traces of TruSt, and users' commit-before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import fencepost
from fencepost.enumerate import enumerate_executions
from fencepost.errors import InputError, UsageError
from fencepost.explore import executions, explore
from fencepost.frontends import read_file, read_text
from fencepost.generate.random_programs import POWER, SHAPES, random_program
from fencepost.models.commit_before import COMMIT_BEFORE, ours
from fencepost.models.registry import find
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.prepare.ready import ready
from fencepost.reference import rsmc
from fencepost.verdict import Answer
from fencepost.witness.replay import replay
from numbers_table import BENCHMARKS

FIG_5 = read_text("var x, y\nthread P { r := y; x := r; x := 2 }\nthread Q { x := 3; sync; y := 1 }")
RSMC = ExploreOptions(algorithm="rsmc")
FIXPOINT = 'let ii0 = addr | data | (po-loc & (fre ; rfe)) | rfi\nlet ic0 = 0\ninclude "ppo.cat"'


def test_the_runs_of_the_reference() -> None:
    for seed in range(40):
        p = random_program(seed, POWER, size=5)
        expected = rsmc.explore(p)
        verdict = explore(p, "power", CheckOptions(algorithm="rsmc"))
        assert (verdict.executions, verdict.blocked) == (len(expected.complete), len(expected.blocked)), f"seed {seed}"


@pytest.mark.parametrize("model", ["power", "armv8", "riscv"])
def test_the_traces_of_trust(model: str) -> None:
    for seed in range(60):
        p = random_program(seed, SHAPES[model], size=6)
        found = [x.canonical() for x in executions(p, model, RSMC)]
        assert len(found) == len(set(found)), f"seed {seed}"
        assert set(found) == {x.canonical() for x in executions(p, model)}, f"seed {seed}"


def test_a_model_with_fixpoints(tmp_path: Path) -> None:
    """POWER with the recursive definitions of its paper: what is kept from graph to graph is right in loops, too."""
    text = find("power").source.replace('include "power-ppo.cat"', FIXPOINT)
    assert FIXPOINT in text
    (tmp_path / "recursive.cat").write_text(text)
    recursive = find(tmp_path / "recursive.cat")
    for seed in range(40):
        p = random_program(seed, POWER, size=6)
        found = [x.canonical() for x in executions(p, recursive, replace(RSMC, commit_before="power"))]
        assert len(found) == len(set(found)), f"seed {seed}"
        assert set(found) == {x.canonical() for x in executions(p, "power")}, f"seed {seed}"


@pytest.mark.parametrize(("model", "seed"), [("power", 3588), ("riscv", 3893)], ids=["places", "traversed"])
def test_runs_that_went_wrong_once(model: str, seed: int) -> None:
    """Two stores are cut that were both the first of their location when they were committed; a store races with a load
    that Traverse committed."""
    p = random_program(seed, SHAPES[model], size=6)
    found = explore(p, model, CheckOptions(algorithm="rsmc"))
    assert (found.answer, found.executions) == (Answer.PASS, explore(p, model).executions)


@pytest.mark.parametrize(
    ("name", "flags", "traces", "blocked"),
    [
        ("lb+data", [], 4, 0),
        ("sb+10w", ["-DFENCE=1"], 3, 0),
        ("fib_bench-plain", ["-DK=2"], 180, 0),
        ("lastzero-plain", ["-DN=5"], 96, 0),
        ("ainc", ["-DN=4"], 24, 55),
    ],
)
def test_counts(name: str, flags: list[str], traces: int, blocked: int) -> None:
    program = read_file(BENCHMARKS / "programs" / f"{name}.fp", flags=flags)
    verdict = explore(program, "power", CheckOptions(algorithm="rsmc"))
    assert (verdict.answer, verdict.executions, verdict.blocked) == (Answer.PASS, traces, blocked)


def test_c_programs_start_and_join_threads() -> None:
    program = read_file(BENCHMARKS / "power" / "dekker.c", flags=["-DFENCED"])
    by_rsmc, by_trust = (explore(program, "power", CheckOptions(unroll=10, algorithm=a)) for a in ("rsmc", "trust"))
    assert (by_rsmc.answer, by_rsmc.executions) == (Answer.PASS, by_trust.executions)
    unfenced = explore(read_file(BENCHMARKS / "power" / "dekker.c"), "power", CheckOptions(unroll=10, algorithm="rsmc"))
    assert unfenced.answer is Answer.FAIL and unfenced.witness is not None


def test_the_deadlock_of_the_weakest_commit_before() -> None:
    """Fig. 5: whoever loses runs by a commit-before that is not deadlock free must not say PASS."""
    verdict = explore(FIG_5, "power", CheckOptions(algorithm="rsmc", commit_before="weakest"))
    assert verdict.answer is Answer.UNKNOWN and "not deadlock free" in verdict.reason
    verdict = explore(FIG_5, "power", CheckOptions(algorithm="rsmc"))
    assert (verdict.answer, verdict.executions) == (Answer.PASS, explore(FIG_5, "power").executions)


BEHIND_A_CAS = "var x, y\nthread P { r := CAS(x, 0, 3); y := 3 }\nthread Q { r := y; assert(r == 0) }"
LOAD_BUFFERING = "var x, y\nthread P { a := x; y := 1 }\nthread Q { b := y; x := 1 }"
CHOICE = "var x, y\nthread P { r := x; c := choose(0..1); y := c; assert(r == 0) }\nthread Q { a := y; x := a }"


@pytest.mark.parametrize("source", [BEHIND_A_CAS, CHOICE], ids=["compare-exchange", "choice"])
@pytest.mark.parametrize("model", ["power", "armv8", "riscv"])
def test_what_depends_on_nothing_waits_for_nothing(model: str, source: str) -> None:
    """A store after a compare-exchange is there however it comes out; a choice needs no load before it."""
    assert explore(read_text(source), model, CheckOptions(algorithm="rsmc")).answer is Answer.FAIL


@pytest.mark.parametrize("model", ["power", "armv8", "riscv"])
def test_compare_exchanges_and_exclusives_against_enumeration(model: str) -> None:
    shape = replace(SHAPES[model], cas=3, rmw=2, exclusives=3, chooses=1, locations=(1, 2))
    passed = 0
    for seed in range(40):
        p = random_program(seed, shape, size=5)
        verdict = explore(p, model, CheckOptions(algorithm="rsmc"))
        if verdict.answer is Answer.UNKNOWN:
            continue
        passed += 1
        found = [x.canonical() for x in executions(p, model, RSMC)]
        expected = {x.canonical() for x in enumerate_executions(ready(p, find(model), RSMC), find(model))}
        assert len(found) == len(set(found)) and set(found) == expected, f"seed {seed}"
    assert passed >= 36


LATE = """var x, y, z, f
thread P { a := x; y := a }
thread Q { b := y; u := LDX(f); s := STX(f, b); z := 1 }
thread R { c := z; v := LDX(f); t := STX(f, 1); x := 1 }"""
OUTCOME = """var x, y
thread P { a := x; y := a; y := 1 }
thread Q { b := y; c := CAS(x, b, 1); x := 1 + (c ^ c) }"""


def test_a_late_operand_of_a_conditional_store() -> None:
    """Whoever commits the load-reserve first meets two pairs that read one store before the operand's races."""
    p = read_text(LATE)
    found = [x.canonical() for x in executions(p, "armv8", RSMC)]
    assert len(found) == len(set(found))
    assert set(found) == {x.canonical() for x in enumerate_executions(ready(p, find("armv8"), RSMC), find("armv8"))}


def test_an_order_that_a_comparison_decides_is_no_pass() -> None:
    """Whether the store of x waits for the load of y depends on how the compare-exchange comes out."""
    verdict = explore(read_text(OUTCOME), "power", CheckOptions(algorithm="rsmc"))
    assert verdict.answer is Answer.UNKNOWN and "not monotonic" in verdict.reason


@pytest.mark.parametrize("model", ["power", "armv8", "riscv"])
def test_who_reads_a_write_that_a_comparison_decides_is_no_doubt(model: str) -> None:
    """The read of another thread is after the write because it reads it, like after any write. (A signal is such a
    write: parker of the paper's table has one.)"""
    p = read_text("var x, y\nthread P { b := y; c := CAS(x, b, 1) }\nthread Q { r := x; y := 2 }")
    verdict = explore(p, model, CheckOptions(algorithm="rsmc"))
    found = [x.canonical() for x in executions(p, model, RSMC)]
    assert verdict.answer is Answer.PASS and len(found) == len(set(found))
    assert set(found) == {x.canonical() for x in enumerate_executions(ready(p, find(model), RSMC), find(model))}


TOO_LATE = """var x, y, z
thread P { a := x; b := CAS(y, a, a); c := CAS(y, 0, b); d := CAS(y, 0, b) }
thread Q { x := 2; y := 0 }
thread R { e := CAS(y, 1, 1); f := CAS(x, e, e); g := CAS(z, 1, e) }"""


def test_an_event_that_comes_too_late_is_no_deadlock() -> None:
    """The write of P's first exchange turns up behind those that were to come after it; nobody waits for anything."""
    for model in ("power", "armv8", "riscv"):
        verdict = explore(read_text(TOO_LATE), model, CheckOptions(algorithm="rsmc"))
        assert verdict.answer is Answer.UNKNOWN and "not monotonic" in verdict.reason


@pytest.mark.parametrize("order", ["po", "[R] ; po", "po ; [W]"])
def test_a_commit_before_that_is_too_strong_is_no_pass(tmp_path: Path, order: str) -> None:
    (tmp_path / "strong.cat").write_text(f"let cb = {order}\n")
    options = CheckOptions(algorithm="rsmc", commit_before=str(tmp_path / "strong.cat"))
    program = read_text(LOAD_BUFFERING)
    verdict = explore(program, "power", options)
    assert verdict.answer is Answer.UNKNOWN and "not shown to be valid" in verdict.reason
    fenced = read_text(LOAD_BUFFERING.replace("; y", "; sync; y").replace("; x", "; sync; x"))
    assert explore(fenced, "power", options).executions == explore(fenced, "power").executions


@pytest.mark.parametrize("order", ["fr", "po & loc"])
def test_a_commit_before_that_leads_to_no_execution_is_told(tmp_path: Path, order: str) -> None:
    (tmp_path / "wrong.cat").write_text(f"let cb = {order} | addr | data | ctrl | rf\n")
    text = """var x, y
        thread P { local r; _ := CAS(x, 0, 1); wait(y.sc == r + 1); wait(x == 2) }
        thread Q { local r, s; if s == 0 { fence.sc }; a := LDX(x.sc); r := STX(x, s + 1); s := y; assert(r != 0) }"""
    options = CheckOptions(model="power", algorithm="rsmc", commit_before=str(tmp_path / "wrong.cat"), fix=False)
    found = fencepost.check(read_text(text), options=options)
    assert found.answer is Answer.FAIL or (found.answer is Answer.UNKNOWN and "commit-before" in found.reason)
    if found.answer is Answer.UNKNOWN:
        assert [r.message for r in found.reasons] == [found.reason], "the codes should say what the words say"


def test_more_events_than_the_narrowest_rows_hold() -> None:
    many = "\n".join("  x := 1" for _ in range(300))
    program = read_text(f"var x, y\nthread P {{\n{many}\n  y := 1\n}}\nthread Q {{ r := y }}")
    verdict = explore(program, "power", CheckOptions(algorithm="rsmc"))
    assert (verdict.answer, verdict.executions, verdict.blocked) == (Answer.PASS, 2, 0)


def test_a_model_and_a_commit_before_of_ones_own(tmp_path: Path) -> None:
    """In two files, and in one: the scheme runs any model with any commit-before."""
    mine, order = tmp_path / "mine.cat", tmp_path / "order.cat"
    text = """"mine"
let fences = sync | (lwsync \\ (W * R))
acyclic po-loc | com
acyclic fences | addr | data | rfe | fre | co
"""
    mine.write_text(text)
    order.write_text((COMMIT_BEFORE / "power.cat").read_text())
    program = read_file(BENCHMARKS / "programs" / "lb+data.fp")
    apart = explore(program, find(mine), CheckOptions(algorithm="rsmc", commit_before=str(order)))
    mine.write_text(text + "let cb = addr | data | ctrl | rf | po-loc | fences\n")
    together = explore(program, find(mine), CheckOptions(algorithm="rsmc"))
    assert apart.executions == together.executions == explore(program, find(mine)).executions > 0
    assert "commit-before" in str(apart.extra["why"])


def test_what_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty.cat"
    empty.write_text("let other = po\n")
    with pytest.raises(InputError, match="let cb"):
        explore(FIG_5, "power", CheckOptions(algorithm="rsmc", commit_before=str(empty)))
    with pytest.raises(UsageError, match="one of armv8, power, riscv, weakest"):
        explore(FIG_5, "armv7", CheckOptions(algorithm="rsmc"))
    with pytest.raises(UsageError, match="there are armv8"):
        explore(FIG_5, "power", CheckOptions(algorithm="rsmc", commit_before="nothing"))
    with pytest.raises(UsageError, match="trust, rsmc or rcmc"):
        CheckOptions(algorithm="dfs")
    with pytest.raises(UsageError, match="for --algorithm rsmc"):
        CheckOptions(commit_before="power")
    with pytest.raises(UsageError, match="cannot be saved"):
        CheckOptions(algorithm="rsmc", save="x")
    assert ours() == ("armv8", "power", "riscv", "weakest")


def test_a_witness_is_told_once_no_event_is_missing_before_others() -> None:
    """At a failing assertion RSMC may have committed a fence of the other thread and not yet a write before it."""
    program = read_file(BENCHMARKS / "power" / "stack.c", flags=["-DUNSAFE"])
    verdict = explore(program, "power", CheckOptions(algorithm="rsmc"))
    assert verdict.witness is not None
    assert replay(verdict.witness.program, verdict.witness.execution)


_WAITS = (
    "k := FADD(n, 1)", "k := n", "k := s", "wait(s == k)", "wait(s != k)", "wait(n >= k)", "BCAS(s, k, 2)", "s := 1",
    "s := k", "n := k + 1", "r := s", "r := n", "wait(s == 1); n := k",
)  # fmt: skip


def _waiting_for_what_was_read(seed: int) -> str:
    random = Random(seed)
    bodies = [random.choices(_WAITS, k=random.choice([1, 2, 2, 3])) for _ in range(random.choice([2, 2, 3]))]
    threads = "".join(f"thread P{t} {{ local k, r; {'; '.join(b)} }}\n" for t, b in enumerate(bodies))
    seen = ", ".join(f"P{t}:{r}" for t in range(len(bodies)) for r in "kr")
    return f"var s, n\n{threads}observe {seen}, s, n\n"


@pytest.mark.parametrize("model", ["power", "armv8", "riscv"])
def test_who_waits_for_a_value_that_comes_out_late(model: str) -> None:
    """What a wait compares with may be committed after what it read."""
    decided = 0
    for seed in range(40):
        text = _waiting_for_what_was_read(seed)
        program = read_text(text)
        wanted = fencepost.outcomes(program, model=model)
        found = fencepost.outcomes(program, model=model, algorithm="rsmc")
        assert set(found.states) <= set(wanted.states), f"{seed}\n{text}"
        if not found.reason:
            decided += 1
            assert (found.states, found.executions) == (wanted.states, wanted.executions), f"{seed}\n{text}"
    assert decided > 15
    text = (
        "var s, n\nthread P { k := FADD(n, 1); wait(s == k); r := s; assert(r != 1) }\n"
        "thread Q { k := FADD(n, 1); wait(s == k); s := k + 1 }\n"
    )
    assert fencepost.check(read_text(text), model=model, algorithm="rsmc").answer is Answer.FAIL


@pytest.mark.parametrize("model", ["power", "armv8"])
def test_a_wait_is_not_served_before_it_is_known_what_for(model: str) -> None:
    """Both threads read and then wait for what they read, or more: one execution ends."""
    text = """var x, y, z
        thread P { local r; r := z; x := 1; wait(x == r) }
        thread Q { local r; z := 1; wait(x == r + 1) }"""
    for algorithm in ("trust", "rsmc"):
        options = CheckOptions(model=model, algorithm=algorithm, keep_going=True, fix=False)
        assert explore(read_text(text), model, options).executions == 1
