"""Loops that look many times before they do something else: one look shows what many show."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import fencepost
from fencepost.explore import outcomes
from fencepost.frontends.pseudo import read
from fencepost.options import ExploreOptions
from fencepost.program.instructions import Compute
from fencepost.program.operands import Const
from fencepost.program.passes.flat import Flat, Flattener
from fencepost.program.passes.patience import shorten_patience
from fencepost.program.program import Function, Program

_SEMAPHORE = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_long count;
int data;
static long look(void) { return atomic_load_explicit(&count, memory_order_relaxed); }
static int wait(void) {
  int spin = 1024;
  while (--spin >= 0) {
    if (look() > 0) {
      atomic_fetch_sub_explicit(&count, 1, memory_order_ORDER);
      return 1;
    }
  }
  return 0;
}
void *give(void *unused) {
  data = 1;
  atomic_fetch_add_explicit(&count, 1, memory_order_release);
  return 0;
}
int main(void) {
  pthread_t p;
  pthread_create(&p, 0, give, 0);
  if (wait()) assert(data == 1);
  pthread_join(p, 0);
  return 0;
}
"""


@pytest.mark.parametrize(("order", "answer"), [("acquire", "PASS"), ("relaxed", "FAIL")])
def test_a_semaphore_that_looks_before_it_sleeps(tmp_path: Path, order: str, answer: str) -> None:
    file = tmp_path / "semaphore.c"
    file.write_text(_SEMAPHORE.replace("ORDER", order), encoding="utf-8")
    assert fencepost.check(file, fix=False).answer.value == answer
    if answer == "PASS":
        assert fencepost.check(file).executions == 2
        assert fencepost.check(file, spin_detection=False).executions == 1025


_TRIES = """
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
atomic_int count;
int most = 10000;
sem_t sleepers;
int data;
static int take(int *old) {
  return atomic_compare_exchange_strong_explicit(&count, old, *old - 1, memory_order_ORDER, memory_order_relaxed);
}
static void wait(void) {
  int old, spin = START;
  while (TEST) {
    old = atomic_load_explicit(&count, memory_order_relaxed);
    if (old > 0 && take(&old)) return;
    atomic_signal_fence(memory_order_acquire);
  }
  if (atomic_fetch_sub_explicit(&count, 1, memory_order_acquire) <= 0) sem_wait(&sleepers);
}
static void signal(void) {
  if (atomic_fetch_add_explicit(&count, 1, memory_order_release) < 0) sem_post(&sleepers);
}
void *add(void *unused) {
  wait();
  data++;
  signal();
  return 0;
}
int main(void) {
  pthread_t p;
  sem_init(&sleepers, 0, 0);
  count = 1;
  pthread_create(&p, 0, add, 0);
  add(0);
  pthread_join(p, 0);
  assert(data == 2);
  return 0;
}
"""


@pytest.mark.parametrize(("order", "answer"), [("acquire", "PASS"), ("relaxed", "FAIL")])
@pytest.mark.parametrize(("start", "test"), [("10000", "spin--"), ("10000", "--spin >= 0"), ("most", "--spin >= 0")])
def test_a_semaphore_that_tries_before_it_sleeps(
    tmp_path: Path, order: str, answer: str, start: str, test: str
) -> None:
    file = tmp_path / "semaphore.c"
    text = _TRIES.replace("ORDER", order).replace("START", start).replace("TEST", test)
    file.write_text(text, encoding="utf-8")
    found = fencepost.check(file, fix=False)
    assert found.answer.value == answer
    assert found.executions < 40


def _begins(program: Program) -> list[int]:
    """The constants that registers are set to."""
    moved = [i for f in program.functions for i in f.code if isinstance(i, Compute) and i.op.value == "mov"]
    return [i.args[0].value for i in moved if isinstance(i.args[0], Const)]


_LOOP = "n := 20; while n > 0 { n := n - 1; %s }; r := y"


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (_LOOP % "k := x; if k { break }", True),
        ("n := 0; while n < 20 { k := x; if k { break }; n := n + 1 }; r := y", True),
        ("n := 20; while 1 { m := n - 1; q := m; p := q < 0; n := q; if p { break }; k := x; if k { break } }", True),
        ("n := 20; while 1 { m := n - 1; n := m; if m < 0 { break }; k := x; if k { break } }; r := m", False),
        ("n := 0; while n < 7 { k := x; if k { break }; n := n + 1 }; r := y", False),  # few
        (_LOOP % "k := x", False),  # nothing ends it
        (_LOOP % "k := x; s := y; if k { break }", False),  # two reads are not seen again
        (_LOOP % "k := x; fence.acq; if k { break }", False),
        (_LOOP % "x := 1; k := x; if k { break }", False),
        (_LOOP % "k := x; if k == n { break }", False),
        (_LOOP % "k := x; s := s + 1; if k { break }" + "; r := s", False),
        (_LOOP % "k := x; if k { break }" + "; r := n", False),  # the counter shows
        (
            "n := 20; m := 3; while m > 0 { m := m - 1; while n > 0 { n := n - 1; k := x; if k { break } }; y := 1 }",
            False,
        ),
        (_LOOP % "k := x; if k { break }; if k == 2 { n := 0 }", False),
    ],
)
def test_what_is_shortened(text: str, short: bool) -> None:
    program = read(f"var x, y\nthread P {{ {text} }}\nthread Q {{ x := 1; y := 1 }}\n", "a.fp")
    assert (_begins(shorten_patience(program)) != _begins(program)) is short


_COUNTED = "n := 20; while n { n := n - 1; %s }; r := y"
_TRY = "k := x; if k { _, done := CAS(x.acq, k, 0); if done { break } }"


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (_COUNTED % _TRY, True),
        ("n := 20; while n { TRY; n := n - 1 }; r := y".replace("TRY", _TRY), True),
        ("n := 7; while n { TRY; n := n - 1 }; r := y".replace("TRY", _TRY), False),  # few
        ("n := y; while n { n := n - 1; TRY }".replace("TRY", _TRY), False),  # it may begin below 0
        (_COUNTED % _TRY + "; r := n", False),  # the counter shows
        (_COUNTED % "k := x; if k { _, done := WCAS(x, k, 0); if done { break } }", False),  # fails for no reason
        (_COUNTED % "k := x; if k { _, done := CAS(x, k, 0) }", False),  # goes on though it has written
        (_COUNTED % "k := x; if k { d := XCHG(x, 0); if d { break } }", False),  # writes in vain
        (_COUNTED % "k := x; s := y; if k { _, done := CAS(x, k, 0); if done { break } }", False),  # two reads
        (_COUNTED % "k := x; if k { _, done := CAS(x, k, 0); if done { break } }; s := y", False),
        (_COUNTED % "k := x; if k { _, done := CAS(x, k, 0); if done { break }; y := 1 }", False),
        (_COUNTED % "k := x; s := s + 1; if k { _, done := CAS(x, k, 0); if done { break } }" + "; r := s", False),
    ],
)
def test_where_a_round_that_only_looks_ends_the_loop(text: str, short: bool) -> None:
    program = read(f"var x, y\nthread P {{ {text} }}\nthread Q {{ x := 1; y := 1 }}\n", "a.fp")
    changed = shorten_patience(program)
    assert (changed is not program) is short
    assert set(_begins(program)) <= set(_begins(changed))


@pytest.mark.parametrize(("counts", "behind", "states"), [
    ("TRY; n := n - 1; if n == 0 { break }", "r := 0", 1),
    ("TRY; n := n - 1; if n == 0 { break }", "y := k", 3),  # of a round that tried, too
    ("n := n - 1; TRY; if n == 0 { break }", "y := k", 3),
])  # fmt: skip
def test_a_loop_that_looks_before_it_counts_ends_as_it_did(counts: str, behind: str, states: int) -> None:
    loop = "n := 9; while 1 { " + counts.replace("TRY", _TRY) + " }; " + behind
    program = read(f"var x, y\nthread P {{ {loop} }}\nthread Q {{ x := 1; x := 2; x := 0 }}\nobserve x, y\n", "a.fp")
    short, long = (outcomes(program, "sc", ExploreOptions(model="sc", spin_detection=s)) for s in (True, False))
    assert set(short.states) == set(long.states)
    assert (len(short.states), short.blocked) == (states, 0)
    assert short.executions < long.executions


_ROUNDS = (
    "k := $a.acq; if k == $v { break }",
    "k := $a.rlx; if k { break }",
    "k := $a.sc; if k == 1 { break }; t := k",
    "if $v == 2 { k := $a.rlx } else { k := $b.acq }; if k == 1 { break }",
    "q := $a.rlx; if q { m, done := CAS($a.acq, q, 0); if done { r := q; break } }",
    "q := $a.acq; if q { m, done := CAS($b.rlx, $v, 0); if done { r := m; break } }",
    "q := $a.rlx; if q { m, done := CAS($a.sc, q, 3); if done { break }; m := 7 }",
)
_OTHERS = (
    "$a := $v",
    "$a.rlx := 1",
    "$a.rel := 2",
    "r := FADD($b, 1)",
    "$a.rlx := 1; $b.rlx := 1",
    "r := $a.rlx; $b.rel := r",
    "r := FADD($a, 1); r := FADD($a, 1)",
    "r, done := CAS($a, 1, 2); $b.rel := 1",
)


def _program(seed: int) -> str:
    random = Random(seed)

    def statement(choices: tuple[str, ...]) -> str:
        a, b = random.sample("xy", 2)
        return random.choice(choices).replace("$a", a).replace("$b", b).replace("$v", str(random.randint(1, 2)))

    loop = random.choice(
        ("n := 9; while n > 0 {{ n := n - 1; {} }}", "n := 0; while n < 9 {{ {}; n := n + 1 }}",
         "n := 9; while n {{ n := n - 1; {} }}", "n := 9; while n {{ {}; n := n - 1 }}",
         "n := 9; while 1 {{ {}; n := n - 1; if n == 0 {{ break }} }}",
         "n := 0; while 1 {{ n := n + 1; {}; if n >= 9 {{ break }} }}; x.rlx := q",
         "n := 9; while 1 {{ {}; n := n - 1; if n == 0 {{ break }} }}; x.rlx := q")
    )  # fmt: skip
    first = f"q := 0; {statement(_OTHERS)}; {loop.format(statement(_ROUNDS))}; s := {random.choice('xy')}.rlx"
    bodies = [first, statement(_OTHERS), statement(_OTHERS)]
    threads = "".join(f"thread P{n} {{ {b} }}\n" for n, b in enumerate(bodies))
    seen = [f"P{n}:{r}" for n, b in enumerate(bodies) for r in "krst" if f"{r} :=" in b]
    return f"var x, y\n{threads}observe {', '.join([*seen, 'x', 'y'])}\n"


def _same(seed: int, model: str) -> bool:
    text = _program(seed)
    program = read(text, f"patience-{seed}.fp")
    limits = {"model": model, "max_executions": 50_000}
    short, long = (outcomes(program, model, ExploreOptions(spin_detection=s, **limits)) for s in (True, False))
    assert set(short.states) == set(long.states), f"seed {seed}, {model}\n{text}"
    assert short.executions <= long.executions
    return short.executions < long.executions


@pytest.mark.parametrize("model", ["sc", "tso", "ra", "rc11"])
def test_one_look_shows_what_many_show(model: str) -> None:
    assert sum(_same(seed, model) for seed in range(40)) > 8


@pytest.mark.slow
@pytest.mark.parametrize("model", ["sc", "tso", "pso", "ra", "rc11", "rc11-cpp20"])
def test_and_so_it_does_in_many_programs(model: str) -> None:
    assert sum(_same(seed, model) for seed in range(1_000, 1_600)) > 150


def test_calls_are_put_in_place_only_for_who_may_try(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes long, and a search for a repair prepares a program a hundred times."""
    seen: list[str] = []

    def loops_of(self: Flattener, function: Function) -> Flat:
        seen.append(function.name)
        return Flat(function, tuple(range(len(function.code))))

    monkeypatch.setattr(Flattener, "loops_of", loops_of)
    shorten_patience(
        read(
            "var x, y\nfn look() { return x }\nfn try() { return CAS(x, 0, 1) }\nfn deep() { return try() }\n"
            "fn waits() { while look() == 0 { y := 1 } }\nfn tries() { while deep() == 0 { y := 1 } }\n"
            "thread P { waits() }\nthread Q { tries() }\n",
            "looks.fp",
        )
    )
    assert seen == ["tries"]
