"""Programs whose executions an exploration lost once: each must be found."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import api
from fencepost.frontends import read_file, read_text
from fencepost.models.registry import find
from fencepost.options import ExploreOptions
from fencepost.program.reader import read_program
from fencepost.suite.engine import enumerated
from fencepost.verdict import Answer

ROOT = Path(__file__).parents[2]
LATE_OPERAND = "var x, y\nthread P {{ r := x; FADD(y, r); y := 2{claim} }}\nthread Q {{ s := y; x := s }}\n"

#: The model under which executions were lost, and the threads.
LOST = {
    "a store whose value hangs on a load, before one that hangs on nothing": (
        "armv7",
        "var x, y, z\nthread P { q := z }\nthread Q { x := 2; dmb.sy; y := 1 }\n"
        "thread R { r := y; x := r; x := 3 }\nthread S { s := x; z := s }\n",
    ),
    "an update that a store of its thread overtakes, beside one that a load decides": (
        "armv7",
        "var x, y, z, v, g, h, u\nthread A { x := 7 }\nthread B { r := z; s := v }\n"
        "thread P { q := FADD(x, 1); g := 1; x := 5 }\n"
        "thread Q { p := y; q := XCHG(x, p); h := 1; u := 1 + (q ^ q) }\n"
        "thread S { r := g; s := h; z := r & s }\nthread T { r := x; s := u; v := 1 + ((r ^ r) + (s ^ s)) }\n",
    ),
    "an update that such a store takes along, beside one that stays and has a late operand": (
        "armv7",
        "var x, z, z0, z00, j, h, u\nthread Q { p := z }\n"
        "thread A { r := FADD(x, 1); p0 := z0; j := p0; e := x; b := z00; x := 2 + b }\n"
        "thread N { x := 9; dmb.sy; z0 := 1 }\nthread G { k := x; h := k }\n"
        "thread B { q := u; s := XCHG(x, q); z00 := 1 + s; hh := h; jj := j; z := hh + s + jj }\n",
    ),
    "an update that such a store has read of": (
        "imm",
        "var x, y, z, c\nthread P { q := z }\nthread Q { x := 2 }\nthread R { FADD(c, 1) }\n"
        "thread S { r := c; x := r; x := 3 }\nthread T { p := y; t := XCHG(c, p); u := x; z := u + (t ^ t) }\n",
    ),
    "a release exchange after a load that a later one stands for": (
        "imm",
        "var x, y, f\nthread P { r := x; a := CAS(f.rel, r, r); fence.rel; y := 1 }\n"
        "thread Q { r := y; s := XCHG(f.sc, (r ^ r) + 1); t, k := CAS(y, 1, 1); [&x + (k ^ k)] := (s ^ s) + 1 }\n",
    ),
    "compare-exchanges of four threads in one place": (
        "armv7",
        "var x\nthread P { x := 1 }\nthread Q { x := 1; r := CAS(x, 0, 0) }\n"
        "thread R { r := CAS(x, 0, 1); s := CAS(x, r, 1); x := s }\n"
        "thread S { _, k := CAS(x, 0, 1); s := XCHG(x, k) }\n",
    ),
    "an exchange past an sc store": (
        "imm",
        "var x, y, f, g\nthread P { r := x; [&y + (r ^ r)].sc := 1; s := g.sc }\n"
        "thread Q { r := y; s := XCHG(y, 2); x := s }\nthread R { f := 2; y := 1 }\n",
    ),
    "an sc exchange over a release store": (
        "imm",
        "var x, y, z, f\nthread P { r := x; y.sc := r; s := [&f + (r ^ r)] }\n"
        "thread Q { r := y; f.rel := 1; s := XCHG(f.sc, (r ^ r) + 1); [&z + (s ^ s)] := s }\n"
        "thread R { r := z; x := r }\nthread S { x := 2; x.rel := 1 }\n",
    ),
    "an update that stores what it read": (
        "imm",
        "var x, y\nthread P { r := x; s := FADD(y, r); y := s }\n"
        "thread Q { r := y; y := 2; [&y + (r ^ r)] := r; s := [&y + (r ^ r)]; x := 1 }\n",
    ),
    "a load of what a compare-exchange may have written": (  # found twice
        "imm",
        "var x, y\nthread P { r := y.acq; y := r }\nthread Q { x := 1 }\n"
        "thread R { r := x; s := CAS(x.rel, 0, 1); t := x.sc; u := CAS(y, r, 1) }\n",
    ),
    "a compare-exchange that fails before one that succeeds": (
        "imm",
        "var x, y, f\nthread P { f := 1; s := XCHG(f, 1); y := 1 }\n"
        "thread Q { r := y; a := CAS(f, 1, r); c := CAS(f, 1, r) }\n",
    ),
    "an acquiring compare-exchange": (
        "imm",
        "var x, y\nthread P { r := x; [&y + (r ^ r)] := 1 }\n"
        "thread Q { r := y; s := FADD(x, r); t := CAS(y.acq, s, r, acq); x := 2 }\nthread R { y.rel := 2 }\n",
    ),
    "the operand of an update comes late": (
        "imm",
        "var x, y\nthread P { r := x; FADD(y, r); y := 2 }\nthread Q { r := y; [&x + (r ^ r)] := r }\n",
    ),
    "a compare-exchange after an sc load": (
        "imm",
        "var x, y, f\nthread P { r := x; f := (r ^ r) + 1; f := 2; y := 1; s := [&y + (r ^ r)] }\n"
        "thread Q { r := y.sc; s := CAS(f, 0, 1); x := (s ^ s) + 1 }\n",
    ),
    "release stores that are forwarded": (
        "riscv",
        "var x, y, f, g\nthread P { r := x; f.rel := r; f.rel := (r ^ r) + 1; s := f; f.rel := 1; t := f.acq; "
        "fence.r.r; [&y + (t ^ t)] := r; u := g }\n"
        "thread Q { r := y; s := XCHG(f.acq, (r ^ r) + 1); x := (s ^ s) + 1 }\n",
    ),
    "a forwarded acquire load": (
        "imm",
        "var x, y, z, f\nthread P { r := x; y := r }\n"
        "thread Q { r := y; f := 1; f := r; s := f.sc; z := 1; t := z }\n"
        "thread R { r := z; x.rel := r; s := z }\nthread S { y := 2 }\n",
    ),
    "two updates of one write": (
        "imm",
        "var x, y, f, g\nthread P { r := x; s := CAS(f, r, 1); t := XCHG(f, (s ^ s) + 1); y := 1; "
        "u := [&g + (t ^ t)] }\n"
        "thread Q { r := y; s := FADD(f.acq_rel, (r ^ r) + 1); [&x + (s ^ s)] := 2 }\n",
    ),
    "an exchange between stores": (
        "armv7",
        "var x, y\nthread P { r := x; [&y + (r ^ r)] := 1 }\n"
        "thread Q { r := y; x := r; s := XCHG(x, 1); x := r }\nthread R { x := 2; x := 1 }\n",
    ),
    "a compare-exchange whose success is read first": (
        "armv8",
        "var x, y\nthread P { r := x; y := r }\nthread Q { a := CAS(y, 1, 0); s := y; x := 1 + (s ^ s) }\n",
    ),
    "a store behind a compare-exchange that waits for what it compares with": (
        "armv8",
        "var x, y\nthread P { r := y }\nthread Q { q := XCHG(x, 1) }\n"
        "thread R { s := XCHG(y, 1); t := CAS(x, s, 1); x := 2 }\n",
    ),
    "the same under another model": (
        "riscv",
        "var x, y\nthread P { r := y }\nthread Q { q := XCHG(x, 1) }\n"
        "thread R { s := XCHG(y, 1); t := CAS(x, s, 1); x := 2 }\n",
    ),
    "an atomic block of which a part is garbage": (
        "imm",
        "var x\nthread P { p := XCHG(x, 1) }\nthread Q { atomic { q := XCHG(x, 1); r := x }; s := XCHG(x, 1) }\n"
        "thread R { t := XCHG(x, 1) }\n",
    ),
    "a compare-exchange that need not write": (
        "riscv",
        "var x, y\nthread P { r := x; y := r }\n"
        "thread Q { r := y; s, t := CAS(x.rel, r, (r ^ r) + 1); [&x + (s ^ s)] := 1 }\n",
    ),
}


@pytest.mark.parametrize("name", LOST)
def test_every_execution_is_found(name: str) -> None:
    model, threads = LOST[name]
    program = read_text(threads)
    found = api.outcomes(program, model=model)
    listed = enumerated(program, find(model), ExploreOptions(model=model))
    assert found.engine == "explore"
    assert (found.states, found.executions, found.reason) == (listed.states, listed.executions, "")


@pytest.mark.parametrize("model", ["imm", "armv7"])
def test_a_claim_that_fails_in_one_of_them_is_no_pass(model: str) -> None:
    program = read_text(LATE_OPERAND.format(claim="; assert(r != 2)"))
    assert api.check(program, model=model).answer is Answer.FAIL


@pytest.mark.parametrize("model", ["power", "armv8", "riscv", "armv7", "imm"])
def test_a_lock_that_enumeration_cannot_judge(model: str) -> None:
    """Four threads take a ticket lock in turn: one execution for each order, whatever the model."""
    taker = "thread T{} {{ t := FADD(next, 1); wait(owner.acq == t); d := d + 1; owner.rel := t + 1 }}\n"
    program = read_text("var next, owner, d\n" + "".join(taker.format(i) for i in range(4)))
    verdict = api.check(program, model=model)
    assert (verdict.answer, verdict.executions) == (Answer.PASS, 24)


def test_a_loop_of_compare_exchanges_ends() -> None:
    """A thread that did not see its own compare-exchange would go round for ever: no execution has that."""
    program = read_file(ROOT / "benchmarks/algorithms/containers/michael_scott.c")
    verdict = api.check(program, model="imm", time_limit=60)
    assert (verdict.answer, verdict.executions) == (Answer.PASS, 13)


@pytest.mark.parametrize("model", ["power", "armv8", "riscv", "armv7", "imm"])
def test_many_accesses_under_a_lock(model: str) -> None:
    """What the lock orders is tried in no other order."""
    cells = "; ".join(f"a{k} := a{k} + 1" for k in range(30))
    taker = f"thread T{{}} {{{{ t := FADD(next, 1); wait(owner.acq == t); {cells}; owner.rel := t + 1 }}}}\n"
    names = ", ".join(f"a{k}" for k in range(30))
    verdict = api.check(read_text(f"var next, owner, {names}\n" + taker.format(0) + taker.format(1)), model=model)
    assert (verdict.answer, verdict.executions) == (Answer.PASS, 2)


def test_a_store_within_an_exclusive_pair_is_enumerated_under_armv7() -> None:
    """Another thread may see the update, whose thread has not stored yet what is in the midst of the pair."""
    program = read_program(
        """program "divided" arch=aarch64
global x size=8 align=8

function f() registers(%r) {
  %r = load &x
  return _
}

function g() registers(%r, %k, %s) {
  %r = load &x exclusive=true
  store &x, %r
  %k = store_conditional &x, 0
  %s = rmw &x, 1 op=or
  return _
}

thread P = f()
thread Q = g()
observe r = register P r width=64 signed
""",
        "divided.fpir",
    )
    found = api.outcomes(program, model="armv7")
    assert (found.engine, found.executions, found.reason) == ("enumerate", 7, "")
