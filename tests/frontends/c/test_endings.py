"""How programs end: return from main and exit() end every thread; a spin that nobody can end is told with its loop."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import api
from fencepost.enumerate.verdicts import check_by_enumeration
from fencepost.models.registry import find
from fencepost.options import CheckOptions
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer, Verdict

HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
"""
START = "int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); "
SLEEPER = "void *run(void *a) { pthread_mutex_lock(&m); for (;;) pthread_cond_wait(&c, &m); }\n"


def check(tmp_path: Path, text: str, model: str = "rc11", *, leaks: bool = False) -> Verdict:
    path = tmp_path / "p.c"
    path.write_text(HEAD + text)
    return api.check(path, model=model, leaks=leaks)


def test_return_from_main_ends_threads_that_wait(tmp_path: Path) -> None:
    verdict = check(tmp_path, SLEEPER + START + "return 0; }\n")
    assert (verdict.answer, verdict.executions, verdict.blocked) == (Answer.PASS, 1, 0)


def test_the_label_of_older_benchmarks_is_an_error(tmp_path: Path) -> None:
    run = "void *run(void *a) { if (atomic_load(&x)) { ERROR: goto ERROR; } return 0; }\n"
    verdict = check(tmp_path, run + START + "atomic_store(&x, 1); pthread_join(t, 0); return 0; }\n")
    assert verdict.answer is Answer.FAIL and "ERROR" in verdict.errors[0].message
    other = check(tmp_path, run.replace("ERROR", "again") + START + "pthread_join(t, 0); return 0; }\n")
    assert (other.answer, other.executions) == (Answer.PASS, 1)


def test_pthread_exit_from_main_does_not(tmp_path: Path) -> None:
    verdict = check(tmp_path, SLEEPER + START + "pthread_exit(0); }\n")
    assert verdict.answer is Answer.FAIL and verdict.errors[0].kind is ErrorKind.DEADLOCK


def test_a_thread_may_still_do_everything_before_main_returns(tmp_path: Path) -> None:
    run = "void *run(void *a) { atomic_fetch_add(&x, 1); assert(atomic_load(&x) != 2); return 0; }\n"
    verdict = check(tmp_path, run + START + "atomic_fetch_add(&x, 1); return 0; }\n")
    assert verdict.answer is Answer.FAIL and verdict.errors[0].kind is ErrorKind.ASSERTION


@pytest.mark.parametrize("model", ["rc11", "power"])
def test_nobody_joins_a_thread_that_called_exit(tmp_path: Path, model: str) -> None:
    run = "void *run(void *a) { if (atomic_load(&x)) exit(1); return 0; }\n"
    verdict = check(tmp_path, run + START + "atomic_store(&x, 1); pthread_join(t, 0); assert(0); }\n", model)
    assert verdict.answer is Answer.FAIL  # where the thread reads 0
    run = "void *run(void *a) { exit(1); }\n"
    verdict = check(tmp_path, run + START + "pthread_join(t, 0); assert(0); }\n", model)
    assert (verdict.answer, verdict.executions) == (Answer.PASS, 1)


def test_memory_of_a_thread_that_was_ended_is_no_leak(tmp_path: Path) -> None:
    run = "void *run(void *a) { void *p = malloc(4); while (!atomic_load(&x)) { } free(p); return 0; }\n"
    assert check(tmp_path, run + START + "return 0; }\n", leaks=True).answer is Answer.PASS
    verdict = check(tmp_path, run + START + "x = 1; pthread_join(t, 0); malloc(4); return 0; }\n", leaks=True)
    assert verdict.answer is Answer.FAIL and verdict.errors[0].kind is ErrorKind.LEAK


SPINS = {
    "await": "  for (;;) {\n    if (atomic_load(&x))\n      break;\n  }\n",
    "exchange": "  do { int o = 1;\n    if (atomic_compare_exchange_strong(&x, &o, 2)) break;\n  } while (1);\n",
    "two reads": "  while (1) {\n    int a = atomic_load(&x);\n    if (a + atomic_load(&y) > 1) break;\n  }\n",
}


@pytest.mark.parametrize("model", ["rc11", "sc", "power"])
@pytest.mark.parametrize("loop", SPINS.values(), ids=SPINS)
def test_a_spin_that_nobody_ends_is_told_with_its_loop(tmp_path: Path, loop: str, model: str) -> None:
    text = f"void *run(void *a) {{\n{loop}  return 0; }}\n{START}y = 1; pthread_join(t, 0); }}\n"
    verdict = check(tmp_path, text, model)
    assert verdict.answer is Answer.FAIL
    error = verdict.errors[0]
    assert error.kind is ErrorKind.LIVENESS and "the loop" in error.message
    assert error.at is not None and error.at.line == HEAD.count("\n") + 2
    assert verdict.witness is not None


def test_a_lock_in_the_library_is_still_a_deadlock(tmp_path: Path) -> None:
    run = "void *run(void *a) { pthread_mutex_lock(&m); return 0; }\n"
    verdict = check(tmp_path, run + START + "pthread_mutex_lock(&m); pthread_join(t, 0); }\n")
    assert verdict.answer is Answer.FAIL and verdict.errors[0].kind is ErrorKind.DEADLOCK


SPINNER = f"void *run(void *a) {{ {SPINS['await']} return 0; }}\n{START}"
BOTH_WAYS = (
    SLEEPER + START + "return 0; }\n",
    "void *run(void *a) { exit(x); }\n" + START + "x = 1; pthread_join(t, 0); }\n",
    SPINNER + "x = y; }\n",
    SPINNER + "pthread_exit(0); }\n",
)


@pytest.mark.parametrize("text", BOTH_WAYS)
def test_enumeration_agrees(tmp_path: Path, text: str) -> None:
    fast = check(tmp_path, text)
    slow = check_by_enumeration(api.read(tmp_path / "p.c"), find("rc11"), CheckOptions())
    assert (fast.answer, fast.executions, fast.blocked) == (slow.answer, slow.executions, slow.blocked)
    assert [(e.kind, e.message, e.at) for e in fast.errors] == [(e.kind, e.message, e.at) for e in slow.errors]


def test_a_wait_without_a_loop_fails_where_wakeups_may_be_spurious(tmp_path: Path) -> None:
    run = "int ready;\nvoid *run(void *a) { pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); "
    run += "pthread_mutex_unlock(&m); return 0; }\n"
    wait = "pthread_mutex_lock(&m); %s (!ready) pthread_cond_wait(&c, &m); assert(ready); pthread_mutex_unlock(&m); }\n"
    for word, answer in (("if", Answer.FAIL), ("while", Answer.PASS)):
        assert check(tmp_path, run + START + wait % word).answer is Answer.PASS
        assert api.check(tmp_path / "p.c", spurious_wakeups=True).answer is answer
