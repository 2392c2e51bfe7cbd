"""Counters that nobody looks at, and loops that only count, are left out; nothing else is."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import fencepost
from fencepost.explore import outcomes
from fencepost.explore.begin import begin
from fencepost.frontends.pseudo import read
from fencepost.models.registry import find
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.program.instructions import Branch, Compute
from fencepost.program.passes.idle import leave_out_idle
from fencepost.program.program import Program

_LOCK = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
typedef struct { int pad; atomic_int word; } lock_t;
lock_t lock;
int data;
static int is_free(lock_t *l) { return atomic_load_explicit(&l->word, memory_order_relaxed) == 0; }
static bool take(lock_t *l) { int e = 0; return atomic_compare_exchange_strong(&l->word, &e, 1); }
void *user(void *unused) {
  LOOP
  data++;
  atomic_store_explicit(&lock.word, 0, memory_order_release);
  return 0;
}
int main(void) {
  pthread_t p[N];
  for (int i = 0; i < N; i++) pthread_create(&p[i], 0, user, 0);
  for (int i = 0; i < N; i++) pthread_join(p[i], 0);
  return 0;
}
"""
_DELAY = 'for (unsigned i = 0; i < k; i++) __asm__ volatile("pause");'


@pytest.mark.parametrize("loop", [
    "int spins = 0; while (!take(&lock)) spins++;",
    "unsigned spins = 0; do spins++; while (!take(&lock));",
    "int spins = 0; while (!take(&lock)) if (++spins > 100) spins = 0;",
    f"unsigned k = 1; while (!take(&lock)) {{ {_DELAY} if (k < 64) k *= 2; }}",
    "int n = 0; again: if (!take(&lock)) { n++; goto again; }",
])  # fmt: skip
def test_a_lock_that_counts_is_a_lock(tmp_path: Path, loop: str) -> None:
    file = tmp_path / "lock.c"
    file.write_text(_LOCK.replace("LOOP", loop), encoding="utf-8")
    verdict = fencepost.check(file, flags=["-DN=5"], time_limit=60)
    assert (verdict.answer.value, verdict.executions, verdict.blocked) == ("PASS", 1, 0)
    grows = "int" in loop and "100" not in loop and "unsigned" not in loop
    assert any("overflows" in w for w in verdict.warnings) is grows


@pytest.mark.parametrize(("body", "branches", "sums"), [
    ("n := 0; while !x { n := n + 1 }", 1, 0),
    ("n := 0; while !x { n := n + 1 }; r := n; y := r", 1, 1),
    ("n := 0; while !x { n := n + 1; if n > 9 { n := 0 } }", 1, 0),
    ("n := 0; while !x { n := n + 1; if n > 9 { n := 0; y := 1 } }", 2, 1),
    ("n := 0; while !x { i := 0; while i < 5 { i := i + 1 } }", 1, 0),
    ("while !x { i := 0; while i >= 0 { i := i + 0 } }", 2, 1),  # it never ends
    ("while !x { i := 5; while i { i := i - 2 } }", 2, 1),  # nor before many steps
    ("k := x; while !x { i := 0; while i < k { i := i + 1 } }", 2, 1),  # as long as another thread says
    ("k := x; if k { s := 1; while 1 { } }; y := 1", 1, 0),  # it may never end
    ("while !x { r := y; if r { s := 1 } else { s := 2 } }", 1, 0),
    ("while !x { r := y; if r { y := 1 } }", 2, 0),
])  # fmt: skip
def test_what_is_left_out(body: str, branches: int, sums: int) -> None:
    program = read(f"var x, y\nthread P {{ {body} }}\nthread Q {{ x := 1 }}\n", "a.fp")
    code = leave_out_idle(program).functions[0].code
    assert sum(isinstance(i, Branch) for i in code) == branches
    assert sum(isinstance(i, Compute) and i.op.value in ("add", "sub") for i in code) == sums


def test_an_overflow_that_comes_is_told(tmp_path: Path) -> None:
    file = tmp_path / "lock.c"
    loop = "int n = 2147483600; while (!take(&lock)) n++;"
    file.write_text(_LOCK.replace("LOOP", loop), encoding="utf-8")
    assert fencepost.check(file, flags=["-DN=2"], time_limit=20).answer.value != "PASS"
    loop = "int n = 2147483600; for (int i = 0; i < 50; i++) n++; while (!take(&lock)) ;"
    file.write_text(_LOCK.replace("LOOP", loop), encoding="utf-8")
    verdict = fencepost.check(file, flags=["-DN=2"], time_limit=20)
    assert [e.kind.value for e in verdict.errors] == ["signed-integer-overflow"]


_ALONE = """
#include <pthread.h>
#include <stdatomic.h>
atomic_int lock, x;
struct { int a[4], b[4]; } two;
int data;
static int take(void) { int e = 0; return atomic_compare_exchange_strong(&lock, &e, 1); }
void *user(void *unused) {
  BODY
  data++;
  atomic_store(&lock, 0);
  return 0;
}
int main(void) {
  pthread_t p;
  pthread_create(&p, 0, user, 0);
  atomic_store(&x, 1);
  user(0);
  pthread_join(p, 0);
  return 0;
}
"""


@pytest.mark.parametrize(("body", "kind"), [
    ("unsigned n = 0, k = 1; while (!take()) { k = 1u << n; n++; }", "shift"),
    ("unsigned n = 0, k = 1; while (!take()) { for (int j = 0; j < 6000; j++) ; k = 1u << n; n += 9; }", "shift"),
    ("int n = 0; while (!take()) n++; for (int i = 0; i < 6; i++) two.a[i]++;", "array-bounds"),
    ("int n = 0, m = 0; while (!take()) { m++; n = n ^ (n + 1); }", "signed-integer-overflow"),
    ("if (atomic_load(&x)) for (;;) ; while (!take()) ;", None),
])  # fmt: skip
def test_what_goes_wrong_soon_is_told(tmp_path: Path, body: str, kind: str | None) -> None:
    file = tmp_path / "alone.c"
    file.write_text(_ALONE.replace("BODY", body), encoding="utf-8")
    verdict = fencepost.check(file, time_limit=30, fix=False)
    assert [e.kind.value for e in verdict.errors[:1]] == ([kind] if kind else [])
    assert verdict.answer.value == ("FAIL" if kind else "UNKNOWN")


def test_branches_stay_where_dependencies_order() -> None:
    text = "var x, y\nthread P { while !x { r := y; if r { s := 1 } } }\nthread Q { x := 1 }\n"
    kept = {}
    for model in ("rc11", "armv8"):
        prepared, _ = begin(read(text, "a.fp"), find(model), CheckOptions(model=model))
        assert prepared is not None
        kept[model] = sum(isinstance(i, Branch) for f in prepared.program.functions for i in f.code)
    assert kept["rc11"] < kept["armv8"]


_PARTS = (
    "c := c + 1", "c := c * 2", "if c > 1 { c := 0 }", "i := 0; while i < 2 { i := i + 1 }", "d := c + i",
    "i := 0; while i < c { i := i + 1; if i > 1 { break } }", "if r { d := 1 } else { c := 1 }", "$a := $v",
    "r := $a", "r := $a.acq", "r := FADD($a, 1)", "if r == $v { $b := 1 }", "$b.rel := $v", "if c { $a := 2 }",
    "if r { break }", "if $a == $v { break }", "y := i",
)  # fmt: skip


def _program(seed: int) -> str:
    random = Random(seed)

    def statement() -> str:
        a, b = random.sample("xy", 2)
        return random.choice(_PARTS).replace("$a", a).replace("$b", b).replace("$v", str(random.randint(1, 2)))

    def part() -> str:
        inside = "; ".join(statement() for _ in range(random.randint(2, 6)))
        return f"for k in 1..2 {{ {inside} }}"

    threads = "".join(f"thread P{n} {{ c := 0; d := 0; i := 0; r := 0; {part()} }}\n" for n in range(2))
    return f"var x, y\n{threads}observe x, y, {random.choice(['P0:r', 'P1:c', 'P0:d'])}\n"


def _same(seed: int, model: str) -> bool:
    text = _program(seed)
    whole = read(text, f"idle-{seed}.fp")
    less: Program = leave_out_idle(whole)
    options = ExploreOptions(model=model, spin_detection=False, max_executions=50_000)
    one, other = (outcomes(p, model, options) for p in (whole, less))
    assert one.states == other.states, f"seed {seed}, {model}\n{text}"
    return less is not whole


@pytest.mark.parametrize("model", ["sc", "tso", "ra", "rc11", "wrc11"])
def test_nothing_is_different(model: str) -> None:
    assert sum(_same(seed, model) for seed in range(60)) > 15


@pytest.mark.slow
@pytest.mark.parametrize("model", ["sc", "tso", "pso", "ra", "rc11", "wrc11"])
def test_nothing_is_different_in_many(model: str) -> None:
    assert sum(_same(seed, model) for seed in range(1000, 3000)) > 600
