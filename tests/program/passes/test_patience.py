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
from fencepost.program.passes.patience import shorten_patience
from fencepost.program.program import Program

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


_ROUNDS = (
    "k := $a.acq; if k == $v { break }",
    "k := $a.rlx; if k { break }",
    "k := $a.sc; if k == 1 { break }; t := k",
    "if $v == 2 { k := $a.rlx } else { k := $b.acq }; if k == 1 { break }",
)
_OTHERS = (
    "$a := $v",
    "$a.rlx := 1",
    "$a.rel := 2",
    "r := FADD($b, 1)",
    "$a.rlx := 1; $b.rlx := 1",
    "r := $a.rlx; $b.rel := r",
)


def _program(seed: int) -> str:
    random = Random(seed)

    def statement(choices: tuple[str, ...]) -> str:
        a, b = random.sample("xy", 2)
        return random.choice(choices).replace("$a", a).replace("$b", b).replace("$v", str(random.randint(1, 2)))

    loop = random.choice(("n := 9; while n > 0 {{ n := n - 1; {} }}", "n := 0; while n < 9 {{ {}; n := n + 1 }}"))
    first = f"{statement(_OTHERS)}; {loop.format(statement(_ROUNDS))}; s := {random.choice('xy')}.rlx"
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
    assert sum(_same(seed, model) for seed in range(20)) > 5


@pytest.mark.slow
@pytest.mark.parametrize("model", ["sc", "tso", "pso", "ra", "rc11", "rc11-cpp20"])
def test_and_so_it_does_in_many_programs(model: str) -> None:
    assert sum(_same(seed, model) for seed in range(1_000, 1_600)) > 150
