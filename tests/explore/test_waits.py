"""Threads that wait: no execution is lost and none comes twice, whoever is asked first."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost
from fencepost.enumerate import enumerate_program
from fencepost.explore import executions, outcomes
from fencepost.frontends.pseudo import read
from fencepost.generate.waits import spelled_out, waiting_program
from fencepost.models.registry import find
from fencepost.program.passes.mapping import map_for_model
from fencepost.verdict import Answer

MODELS = ("sc", "tso", "pso", "ra", "rc11", "rc11-cpp20", "wrc11")

#: While one thread goes on, another still waits for the same write, and has read before.
PASSED_OVER = {
    "two values": ("wait(z != 0); x := 2", "r := x; wait(z >= 2)", "z := 1; z := 2"),
    "the same value": ("wait(z == 1); x := 2", "r := x; wait(z == 1)", "z := 1"),
    "a value that passes by": ("wait(z == 1); x := 2", "r := x; wait(z == 2)", "z := 1; z := 2"),
    "an exchange": ("wait(z == 1); x := 2", "r := x; BCAS(z, 2, 3)", "z := 1; z := 2"),
    "both exchange": ("BCAS(z, 1, 4); x := 2", "r := x; BCAS(z, 4, 3)", "z := 1"),
    "a lock": ("wait(z == 1); x := 2", "r := x; lock(m); s := z; unlock(m)", "lock(m); z := 1; unlock(m)"),
    "two readers": ("wait(z == 1); x := 2", "r := x; wait(z == 2)", "s := x; wait(z != 0)", "z := 1; z := 2"),
    "twice": ("wait(z == 1); x := 1; wait(z == 2); x := 2", "r := x; wait(z == 1); s := x; wait(z == 2)",
              "z := 1; z := 2"),
}  # fmt: skip


def _program(*threads: str) -> str:
    return "var x, z\nmutex m\n" + "".join(f"thread T{n} {{ {code} }}\n" for n, code in enumerate(threads))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", PASSED_OVER)
def test_who_still_waits_hides_no_execution(name: str, model: str) -> None:
    program = read(_program(*PASSED_OVER[name]), f"{name}.fp")
    keys = [x.canonical() for x in executions(program, model)]
    assert len(set(keys)) == len(keys)
    assert outcomes(program, model).states == outcomes(spelled_out(program), model).states
    if "lock" not in name:
        listed = enumerate_program(map_for_model(program, model), find(model))
        assert set(keys) == {x.canonical() for x in listed.complete}
        assert outcomes(program, model).blocked == len(listed.blocked)


def test_the_lost_executions_are_there() -> None:
    assert outcomes(read(_program(*PASSED_OVER["two values"]), "a.fp"), "sc").executions == 4
    assert outcomes(read(_program(*PASSED_OVER["the same value"]), "a.fp"), "sc").executions == 2


_C = """
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
atomic_int x, z;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
sem_t s;
int go;
void *t0(void *unused) { FIRST; x = 2; return 0; }
void *t1(void *unused) { int r = x; assert(r == 0); SECOND; return 0; }
void *t2(void *unused) { THIRD; return 0; }
int main(void) {
  sem_init(&s, 0, 0);
  pthread_t a, b, d;
  pthread_create(&a, 0, t0, 0);
  pthread_create(&b, 0, t1, 0);
  pthread_create(&d, 0, t2, 0);
  JOIN
  return 0;
}
"""
_JOIN = "pthread_join(a, 0); pthread_join(b, 0); pthread_join(d, 0);"
_AWAIT_GO = "pthread_mutex_lock(&m); while (!go) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m)"
_SET_GO = "pthread_mutex_lock(&m); go = 1; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m)"
_HELD = "pthread_mutex_lock(&m); z = 1; pthread_mutex_unlock(&m)"


@pytest.mark.parametrize("model", ["sc", "tso", "rc11", "wrc11"])
@pytest.mark.parametrize("join", [_JOIN, ""], ids=["joined", "alone"])
@pytest.mark.parametrize(
    ("first", "second", "third"),
    [
        ("while (z == 0)", "while (z < 2)", "z = 1; z = 2"),
        ("while (z == 0)", "pthread_mutex_lock(&m); pthread_mutex_unlock(&m)", _HELD),
        ("sem_wait(&s)", "sem_wait(&s)", "sem_post(&s); sem_post(&s)"),
        ("sem_wait(&s)", "while (z == 0)", "sem_post(&s); z = 1"),
        (_AWAIT_GO, _AWAIT_GO, _SET_GO),
        (_AWAIT_GO, "while (z == 0)", f"{_SET_GO}; z = 1"),
    ],
    ids=["loops", "mutex", "semaphore", "mixed", "condition", "condition and loop"],
)
def test_the_assertion_behind_a_wait_fails(
    tmp_path: Path, first: str, second: str, third: str, join: str, model: str
) -> None:
    text = _C.replace("FIRST", first).replace("SECOND", second).replace("THIRD", third).replace("JOIN", join)
    path = tmp_path / "program.c"
    path.write_text(text)
    verdict = fencepost.check(path, model=model)
    assert verdict.answer is Answer.FAIL and verdict.errors[0].kind.value == "assertion"


def _agree(seed: int, model: str, *, library: bool) -> None:
    program = waiting_program(seed, library=library)
    found, spelled = outcomes(program, model), outcomes(spelled_out(program), model)
    assert found.executions > 0, "the run along which it was built should be there"
    assert found.states == spelled.states, f"seed {seed}, {model}"


#: Where marking threads as waiting once lost executions.
_LOST = (852, 1114, 1180, 2657, 2895)


@pytest.mark.parametrize("model", MODELS)
def test_a_wait_is_a_read_and_an_assume(model: str) -> None:
    for seed in (*range(60), *_LOST):
        _agree(seed, model, library=False)
    for seed in range(60):
        _agree(seed, model, library=True)


@pytest.mark.parametrize("model", ["sc", "rc11"])
def test_waits_are_explored_as_they_are_enumerated(model: str) -> None:
    for seed in range(60):
        program = waiting_program(seed, size=8)
        listed = enumerate_program(program, find(model))
        keys = [x.canonical() for x in executions(program, model)]
        assert len(set(keys)) == len(keys), f"seed {seed} finds one twice"
        assert set(keys) == {x.canonical() for x in listed.complete}, f"seed {seed}"
        assert outcomes(program, model).blocked == len(listed.blocked), f"seed {seed}"


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_a_wait_is_a_read_and_an_assume_in_many_programs(model: str) -> None:
    for seed in range(10_000, 15_000):
        _agree(seed, model, library=seed % 2 == 1)
