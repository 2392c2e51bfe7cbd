"""Who waits for what only it could do itself waits for ever; where assumptions exclude everything, nothing is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer, Verdict

_HEADERS = """
#include <fencepost.h>
#include <genmc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#define await_while(cond) \\
  for (int tmp = (__VERIFIER_loop_begin(), 0); __VERIFIER_spin_start(), tmp = (cond), __VERIFIER_spin_end(!tmp), tmp;)
atomic_int x, y;
pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local atomic_int own;
"""

ALONE = {
    "lock twice": "pthread_mutex_t m; pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); pthread_mutex_lock(&m);",
    "semaphore": "sem_t s; sem_init(&s, 0, 0); sem_wait(&s);",
    "condition": "pthread_mutex_t m; pthread_mutex_init(&m, 0); pthread_cond_t c; pthread_cond_init(&c, 0);"
    " pthread_mutex_lock(&m); pthread_cond_wait(&c, &m);",
    "barrier": "pthread_barrier_t b; pthread_barrier_init(&b, 0, 2); pthread_barrier_wait(&b);",
    "read-write lock": "pthread_rwlock_t m; pthread_rwlock_init(&m, 0); pthread_rwlock_wrlock(&m);"
    " pthread_rwlock_rdlock(&m);",
}
SPINS = {
    "local atomic": "atomic_int a = 0; while (!a);",
    "local exchange": "atomic_int a = 0; int e = 1; while (!atomic_compare_exchange_strong(&a, &e, 2)) e = 1;",
    "thread-local": "while (own == 0);",
    "marked": "await_while(x == 0) {}",
    "marked, two reads": "await_while(x == 0 || y == 0) {}",
}


def _check(folder: Path, body: str, other: str = "", model: str = "rc11") -> Verdict:
    path = folder / "program.c"
    path.write_text(
        f"{_HEADERS}\nvoid *other(void *unused) {{ {other} return 0; }}\n"
        f"int main(void) {{ pthread_t t; pthread_create(&t, 0, other, 0); {body} pthread_join(t, 0); return 0; }}\n"
    )
    return fencepost.check(path, model=model)


@pytest.mark.parametrize("model", ["rc11", "wrc11", "armv8"])
@pytest.mark.parametrize("name", ALONE)
def test_waiting_for_what_is_its_own_is_a_deadlock(tmp_path: Path, name: str, model: str) -> None:
    verdict = _check(tmp_path, ALONE[name], model=model)
    assert verdict.answer is Answer.FAIL and verdict.errors[0].kind is ErrorKind.DEADLOCK


@pytest.mark.parametrize("model", ["rc11", "wrc11", "power"])
@pytest.mark.parametrize("name", SPINS)
def test_spinning_on_what_nobody_writes_is_an_error(tmp_path: Path, name: str, model: str) -> None:
    verdict = _check(tmp_path, SPINS[name], model=model)
    assert verdict.answer is Answer.FAIL and verdict.errors[0].kind is ErrorKind.LIVENESS


@pytest.mark.parametrize("name", [n for n in SPINS if n.startswith("marked")])
def test_a_marked_loop_that_somebody_ends_waits_for_it(tmp_path: Path, name: str) -> None:
    verdict = _check(tmp_path, SPINS[name], "y = 1; x = 1;")
    assert verdict.answer is Answer.PASS and verdict.executions >= 1


def test_one_wait_for_its_own_hides_no_other_deadlock(tmp_path: Path) -> None:
    """Only where the other does not stop is the deadlock its own."""
    twice = "pthread_mutex_lock(&shared); pthread_mutex_lock(&shared);"
    verdict = _check(tmp_path, twice, f"if (x) {{ {ALONE['semaphore']} }}")
    assert verdict.answer is Answer.FAIL and verdict.errors[0].kind is ErrorKind.DEADLOCK
    both = _check(tmp_path, f"x = 1; {twice}", ALONE["semaphore"])
    assert both.answer is Answer.FAIL and both.errors[0].kind is ErrorKind.DEADLOCK


@pytest.mark.parametrize("model", ["rc11", "wrc11", "power", "armv7"])
def test_where_assumptions_exclude_everything_nothing_is_shown(tmp_path: Path, model: str) -> None:
    verdict = _check(tmp_path, "int r = x; fencepost_assume(r == 3);", "y = 1;", model)
    assert verdict.answer is Answer.UNKNOWN and verdict.executions == 0
    assert "assumptions exclude every execution" in verdict.reason
    assert "program.c:14:" in verdict.reason, "the place should be told"


def test_outcomes_of_nothing_are_unknown(tmp_path: Path) -> None:
    path = tmp_path / "never.fp"
    path.write_text("var x\nthread P { r := x; assume(r == 3) }\n~exists (P:r == 1)\n")
    for model in ("sc", "power"):
        found = fencepost.outcomes(path, model=model)
        assert found.answer is Answer.UNKNOWN and "never.fp:2" in found.reason
        assert fencepost.check(path, model=model).answer is Answer.UNKNOWN


def test_some_excluded_executions_leave_the_others_to_judge(tmp_path: Path) -> None:
    verdict = _check(tmp_path, "int r = x; fencepost_assume(r == 0);", "x = 1;")
    assert (verdict.answer, verdict.executions, verdict.blocked) == (Answer.PASS, 1, 1)
