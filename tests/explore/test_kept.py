"""Rounds that store what their thread had found there: a copy of an index that a thread keeps for itself."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import fencepost
from fencepost.explore import explore, outcomes
from fencepost.frontends.pseudo import read
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.verdict import Answer, ErrorKind

_HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define GET(x, o) atomic_load_explicit(&x, memory_order_##o)
#define PUT(x, v, o) atomic_store_explicit(&x, v, memory_order_##o)
atomic_int head, tail, stop, flag;
int head_copy, tail_copy, slots[3];
"""
_MAIN = """
int main(void) {
  pthread_t p, q;
  pthread_create(&p, 0, one, 0);
  pthread_create(&q, 0, two, 0);
  ATONCE
  pthread_join(p, 0);
  pthread_join(q, 0);
  return head_copy + tail_copy > 9;
}
"""
_QUEUE = """
void push(int v) {
  int i = GET(tail, relaxed), next = i + 1 == 3 ? 0 : i + 1;
  while (next == head_copy) head_copy = GET(head, acquire);
  slots[i] = v;
  PUT(tail, next, TAIL);
}
int *front(void) {
  int i = GET(head, relaxed);
  if (i == tail_copy) {
    tail_copy = GET(tail, acquire);
    if (tail_copy == i) return 0;
  }
  return &slots[i];
}
void pop(void) {
  int i = GET(head, relaxed);
  PUT(head, i + 1 == 3 ? 0 : i + 1, HEAD);
}
void *one(void *unused) {
  for (int i = 1; i <= 4; i++) push(i);
  return 0;
}
void *two(void *unused) {
  for (int i = 1; i <= 4; i++) {
    while (!front()) {}
    assert(*front() == i);
    pop();
  }
  return 0;
}
"""
_SEEN = """
void *one(void *unused) {
  while (head_copy == 0 && !GET(stop, relaxed)) head_copy = GET(head, acquire);
  PUT(flag, 1, relaxed);
  return 0;
}
void *two(void *unused) { return GET(flag, relaxed) && head_copy ? unused : 0; }
"""
_NOBODY = """
void *one(void *unused) {
  while (head_copy == 0) head_copy = GET(head, acquire);
  return 0;
}
void *two(void *unused) { return 0; }
"""


def _check(folder: Path, text: str, model: str = "rc11", at_once: str = "", **options: object) -> fencepost.Verdict:
    file = folder / "copy.c"
    file.write_text(_HEAD + text + _MAIN.replace("ATONCE", at_once), encoding="utf-8")
    return fencepost.check(file, model=model, fix=False, **options)


def _queue(tail: str = "release", head: str = "release") -> str:
    return _QUEUE.replace("TAIL", tail).replace("HEAD", head)


@pytest.mark.parametrize("model", ["sc", "tso", "pso", "ra", "rc11"])
def test_a_queue_that_waits_with_copies_of_its_indices_is_decided(tmp_path: Path, model: str) -> None:
    verdict = _check(tmp_path, _queue(), model)
    assert (verdict.answer, verdict.executions) == (Answer.PASS, 12)


@pytest.mark.parametrize("orders", [("relaxed", "release"), ("release", "relaxed")])
def test_and_its_bugs_are_found(tmp_path: Path, orders: tuple[str, str]) -> None:
    verdict = _check(tmp_path, _queue(*orders))
    assert verdict.errors[0].kind is ErrorKind.RACE


def test_a_copy_that_another_thread_reads_is_no_copy_for_oneself(tmp_path: Path) -> None:
    """Only a round in vain writes the copy, and only what the thread does behind the loop lets the other read it."""
    verdict = _check(tmp_path, _SEEN, at_once="PUT(stop, 1, relaxed);")
    assert verdict.errors[0].kind is ErrorKind.RACE


def test_who_waits_for_nobody_goes_round_for_ever(tmp_path: Path) -> None:
    assert _check(tmp_path, _NOBODY).errors[0].kind is ErrorKind.LIVENESS


def test_what_main_does_while_others_run_counts(tmp_path: Path) -> None:
    alone = _SEEN.replace("return GET(flag, relaxed) && head_copy ? unused : 0;", "return 0;")
    verdict = _check(tmp_path, alone, at_once="PUT(stop, 1, relaxed); if (GET(flag, relaxed)) slots[0] = head_copy;")
    assert verdict.errors[0].kind is ErrorKind.RACE


#: $a and $b are locations that all know, c is one that some threads know.
_LOOPS = (
    "while 1 { k := c.na; if k == $v { break }; r := $a.acq; c.na := r }",
    "k := c.na; while k == 0 { r := $a.acq; c.na := r; k := c.na; s := $b.rlx; if s { break } }",
    "while 1 { s := $b.rlx; if s { break }; k := c.na; r := $a.rlx; c.na := r; if r == 2 { break } }",
    "while 1 { k := c.rlx; if k { break }; r := $a.rlx; if r == 0 { c.rlx := k } else { break } }",
)
_OTHERS = ("$a := $v", "$b.rlx := 1", "r := $a.rlx; $b.rel := r", "$a.rel := 2", "$a.rel := 1", "$b := 2")
_USES = ("$a.rlx := 1; r := c.na", "s := $b.rlx; if s { c.na := 1 }", "r := c.rlx", "s := $b.rlx; if s { r := c.na }")


def _program(seed: int) -> str:
    random = Random(seed)

    def statement(choices: tuple[str, ...]) -> str:
        a, b = random.sample("xy", 2)
        return random.choice(choices).replace("$a", a).replace("$b", b).replace("$v", str(random.randint(1, 2)))

    bodies = [f"{statement(_LOOPS)}; {statement(_OTHERS)}", statement(_OTHERS), statement(_OTHERS)]
    if random.random() < 0.3:
        bodies[1] = f"{statement(_USES)}; {bodies[1]}"
    random.shuffle(bodies)
    threads = "".join(f"thread P{n} {{ {b} }}\n" for n, b in enumerate(bodies))
    seen = [f"P{n}:{r}" for n, b in enumerate(bodies) for r in "krs" if f"{r} :=" in b]
    return f"var x, y, c\n{threads}observe {', '.join(seen) or 'x'}\n"


def _loses_nothing(seed: int, model: str) -> bool:
    """What is there within three rounds of each loop, none left out, is there with the rule; whether it said so."""
    text = _program(seed)
    program = read(text, f"kept-{seed}.fp")
    bounds = ExploreOptions(model=model, spin_detection=False, unroll=3, max_executions=20_000)
    every = outcomes(program, model, bounds)
    found = outcomes(program, model, ExploreOptions(model=model, max_executions=20_000, time_limit=2, max_events=200))
    if found.reason or found.executions + found.blocked >= 20_000:
        return False
    assert set(every.states) <= set(found.states), f"seed {seed}, {model}\n{text}"
    wrong = explore(program, model, CheckOptions(model=model, spin_detection=False, unroll=3, max_executions=20_000))
    told = explore(program, model, CheckOptions(model=model, max_executions=20_000, time_limit=2, max_events=200))
    if any(e.kind in (ErrorKind.RACE, ErrorKind.ASSERTION) for e in wrong.errors):
        assert told.answer is not Answer.PASS, f"seed {seed}, {model}\n{text}"
    return told.answer in (Answer.PASS, Answer.FAIL)


@pytest.mark.parametrize("model", ["sc", "tso", "rc11"])
def test_rounds_that_keep_what_was_there_take_nothing_with_them(model: str) -> None:
    assert sum(_loses_nothing(seed, model) for seed in range(40)) > 15


@pytest.mark.slow
@pytest.mark.parametrize("model", ["sc", "tso", "pso", "ra", "rc11", "rc11-cpp20"])
def test_nor_do_they_in_many_programs(model: str) -> None:
    assert sum(_loses_nothing(seed, model) for seed in range(1_000, 2_000)) > 300


@pytest.mark.parametrize("model", ["sc", "tso", "pso", "ra", "rc11", "armv8"])
def test_what_is_stored_between_two_loops_is_not_forgotten(model: str) -> None:
    """The first loop leaves 5 there, then it is 7: a round of the second loop, in another call, stores something else
    than what is there."""
    text = """
        var x, y, f
        fn first() { r := 0; while r == 0 { x := 5; r := y + 1 } }
        fn second() { while f == 0 { x := 5 } }
        thread P { first(); x := 7; second(); r := x; assert(r != 5) }
        thread Q { f := 1 }"""
    found = explore(read(text, "calls.fp"), model, CheckOptions(model=model, fix=False, max_events=400))
    assert found.answer is (Answer.UNKNOWN if model == "armv8" else Answer.FAIL)
