"""Loops that wait in odd shapes: rounds that are left out take no outcome with them."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

import fencepost
from fencepost.explore import explore, outcomes
from fencepost.frontends.pseudo import read
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.verdict import Answer

#: $v is a value, $a and $b are locations.
LOOPS = (
    "k := 0; while k != $v { k := $a }",
    "k := $a; while k != $v { k := $a; s := $b }",
    "k := $a; while k == 0 { k := $a; if k == 0 { k := $b } }",
    "k := 0; e := 0; while !k { e, k := CAS($a, e, $v); e := 0 }",
    "k := 0; e := $a; while !k { e, k := CAS($a, e, e + 1) }",
    "k := 0; while !k { _, k := CAS($a, 0, $v); if !k { _, k := CAS($b, 0, $v) } }",
    "k := 0; while !k { e := $a; if e == 0 { _, k := CAS($a, e, $v) } }",
    "while 1 { k := $a; if k == $v { break }; s := $b; if s == 1 { break } }",
    "k := 1; while k { k := FADD($a, 1); if k { FADD($a, -1) } }",
    "k := 0; while k == 0 { while k == 0 { k := $a; s := $b; if s { break } }; if s { k := 1 } }",
)
#: Loops in which a shorter way may lead to the same state: peeled, rotated, with several exits, with other orders.
SHORTCUTS = (
    "k := $a; if k != $v { k := $a; while k != $v { k := $a } }",
    "k := $a.acq; while k == 0 { k := $a.rlx }",
    "k := $a.rlx; while k == 0 { k := $a.acq }",
    "k := $a.sc; if k == 0 { k := $a.sc; if k == 0 { k := $a.sc } }",
    "while 1 { k := $a; if k == 0 { _, k := CAS($a, 0, $v); if k { break } } }",
    "e := $a; k := 0; while !k { e, k := CAS($a, e, e + $v); s := $b }",
    "e := $a; s := $b; k := 0; while !k { e, k := CAS($a, e, s) }",
    "k := 1; while k { k := XCHG($a, 1) }",
    "k := $a; while k == 0 { s := $b; k := $a }",
    "for n in 1..3 { k := $a; if k == $v { break } }",
    "k := 0; while k != $v { wait($b != 0); k := $a }",
    "k := $a; while k < 2 { if k == 1 { s := $b; if s { break } }; k := $a }",
    "k := $a; while k == 0 { fence.acq; k := $a }; s := $b",
    "e := 0; k := 0; while !k { e, k := CAS($a, e, 1); if !k { if e == 2 { break } } }",
    "$b := 1; k := $a; while k == 0 { k := $a; s := $b }; $b := 2",
    "k := 1; while k { s := 1; while s { s := $a }; k := XCHG($a, 1) }",
    "_, k := CAS($a, 0, $v); if !k { while !k { _, k := CAS($a, 0, $v) } }",
    "_, k := CAS($a, 0, $v); if !k { _, k := CAS($a, 0, 1); if !k { s := 1 } }",
    "k := 1; while k { k := $a; if !k { k := XCHG($a, $v) } }",
    "k := 1; while k { k := $a.acq; if !k { k := XCHG($a.acq, 1) } }; $b := 1",
)
ASSERTS = ("r := $a; assert(r != $v)", "r := $a; s := $b; assert(r <= s)")
OTHERS = ("$a := $v", "r := $a", "$a := $v; $b := 1", "$a := 0", "r := FADD($b, $v)", "_, r := CAS($a, $v, 0)")


def odd_program(
    seed: int, *, memory: bool = True, loops: tuple[str, ...] = LOOPS, others: tuple[str, ...] = OTHERS
) -> str:
    random = Random(seed)

    def statement(choices: tuple[str, ...]) -> str:
        a, b = random.sample("xy", 2)
        return random.choice(choices).replace("$a", a).replace("$b", b).replace("$v", str(random.randint(1, 2)))

    bodies = [[statement(loops)], [statement(loops) if random.random() < 0.4 else statement(others)]]
    bodies += [[statement(others) for _ in range(random.randint(1, 2))]]
    for body in bodies[:2]:
        if random.random() < 0.5:
            body.insert(random.randrange(2), statement(others))
    random.shuffle(bodies)
    threads = "".join(f"thread P{n} {{ {'; '.join(b)} }}\n" for n, b in enumerate(bodies))
    registers = [f"P{n}:{r}" for n, b in enumerate(bodies) for r in "krse" if f"{r} :=" in " ; ".join(b)]
    return f"var x, y\n{threads}observe {', '.join([*registers, *(('x', 'y') if memory else ())])}\n"


def _keeps_outcomes(seed: int, model: str) -> None:
    """Everything that is there within three rounds of each loop, with no round left out, is there with all of them."""
    text = odd_program(seed, memory=model != "wrc11")  # which does not say what memory holds in the end
    program = read(text, f"odd-{seed}.fp")
    every = outcomes(program, model, ExploreOptions(model=model, spin_detection=False, unroll=3, max_executions=20_000))
    found = outcomes(program, model, ExploreOptions(model=model, max_executions=20_000, time_limit=2))
    if found.executions + found.blocked < 20_000 and not found.reason:
        assert set(every.states) <= set(found.states), f"seed {seed}, {model}\n{text}"


@pytest.mark.parametrize("model", ["sc", "tso", "rc11", "wrc11"])
def test_rounds_that_are_left_out_take_no_outcome_with_them(model: str) -> None:
    for seed in (*range(25), 1020, 1067, 1114):
        _keeps_outcomes(seed, model)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["sc", "tso", "pso", "ra", "rc11", "wrc11"])
def test_nor_do_they_in_many_programs(model: str) -> None:
    for seed in range(1_000, 3_000):
        _keeps_outcomes(seed, model)


def _same_with_shortcuts(seed: int, model: str) -> bool:
    """The same final states and the same errors, with and without shortcuts. Whether that could be compared."""
    text = odd_program(seed, memory=model != "wrc11", loops=LOOPS + SHORTCUTS, others=OTHERS + ASSERTS)
    program = read(text, f"shortcut-{seed}.fp")
    limits: dict[str, Any] = {"model": model, "max_executions": 4_000, "time_limit": 1}
    short, long = (outcomes(program, model, ExploreOptions(shortcuts=s, **limits)) for s in (True, False))
    if short.reason or long.reason:
        return False
    assert set(short.states) == set(long.states), f"seed {seed}, {model}\n{text}"
    assert short.executions <= long.executions and short.blocked <= long.blocked, f"seed {seed}, {model}\n{text}"
    found = [
        {(e.kind, e.at) for e in explore(program, model, CheckOptions(shortcuts=s, keep_going=True, **limits)).errors}
        for s in (True, False)
    ]
    assert found[0] == found[1], f"seed {seed}, {model}\n{text}"
    return True


@pytest.mark.parametrize("model", ["sc", "tso", "rc11", "wrc11"])
def test_shortcuts_change_neither_outcomes_nor_errors(model: str) -> None:
    assert sum(_same_with_shortcuts(seed, model) for seed in range(40)) > 20


@pytest.mark.slow
@pytest.mark.parametrize("model", ["sc", "tso", "pso", "ra", "rc11", "rc11-cpp20", "wrc11"])
def test_nor_do_they_in_thousands_of_programs(model: str) -> None:
    assert sum(_same_with_shortcuts(seed, model) for seed in range(5_000, 8_000)) > 2_000


@pytest.mark.parametrize("model", ["sc", "tso", "ra", "rc11"])
@pytest.mark.parametrize("round_", ["y := 1", "s := x; y := s", "XCHG(y, 1)", "CAS(y, 0, 1)"])
def test_a_round_that_writes_what_ends_the_loop_is_no_wait(round_: str, model: str) -> None:
    """The thread knows nothing new when it comes back, but memory is not what it was."""
    text = f"var x = 1, y\nthread P {{ while y == 0 {{ {round_} }}; z := 1 }}\nobserve y\n"
    found = outcomes(read(text, "writes.fp"), model)
    assert (dict(found.states), found.reason) == ({(("y", 1),): 1}, "")


def test_what_a_round_leaves_in_an_observed_register_is_seen() -> None:
    """The last round may find x first; what the one before it read of y is still there in the end."""
    loop = "while 1 { k := x; if k == 2 { break }; s := y; if s == 1 { break } }"
    found = outcomes(
        read(f"var x, y\nthread P {{ {loop} }}\nthread Q {{ y := 2; x := 2 }}\nobserve P:s\n", "a.fp"), "sc"
    )
    assert {value for ((_, value),) in found.states} == {0, 2}


_CAS_LOCK = """
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
int data;
void *user(void *unused) {
  int r = 0;
  while (!atomic_compare_exchange_strong(&x, &r, 1)) r = 0;
  data++;
  x = 0;
  return 0;
}
int main(void) {
  pthread_t p[N];
  for (int i = 0; i < N; i++) pthread_create(&p[i], 0, user, 0);
  for (int i = 0; i < N; i++) pthread_join(p[i], 0);
  return 0;
}
"""


@pytest.mark.parametrize(("threads", "executions"), [(2, 2), (3, 6), (4, 24), (5, 120)])
def test_a_lock_that_forgets_what_it_saw_has_one_execution_per_order(
    tmp_path: Path, threads: int, executions: int
) -> None:
    path = tmp_path / "lock.c"
    path.write_text(_CAS_LOCK)
    verdict = fencepost.check(path, model="rc11", flags=[f"-DN={threads}"], symmetry=False)
    assert (verdict.answer, verdict.executions) == (Answer.PASS, executions)
