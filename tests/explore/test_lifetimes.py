"""What a thread has on its stack is gone when it ends; a barrier is nothing before it was made."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost
from fencepost.verdict import Answer

_HEAD = """
#include <pthread.h>
#include <stdatomic.h>
_Atomic(atomic_int *) place;
atomic_int done;
"""
_MAIN = """
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, owner, 0);
  pthread_create(&b, 0, guest, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""
_GUEST = """
void *guest(void *unused) {
  atomic_int *p = atomic_load_explicit(&place, memory_order_acquire);
  if (p) {
    (void)atomic_fetch_add_explicit(p, 1, memory_order_relaxed);
    atomic_store_explicit(&done, 1, ORDER);
  }
  return 0;
}
"""
_OWNER = """
void *owner(void *unused) {
  atomic_int mine = 1;
  atomic_store_explicit(&place, &mine, memory_order_release);
  WAIT
  return 0;
}
"""
_WAITS = "while (!atomic_load_explicit(&done, memory_order_acquire));"


def _check(folder: Path, text: str, model: str) -> fencepost.Verdict:
    path = folder / "program.c"
    path.write_text(text)
    return fencepost.check(path, model=model, ignore=("deadlock", "liveness"))


@pytest.mark.parametrize("model", ["rc11", "sc", "ra", "tso"])
def test_a_variable_of_a_thread_that_ended_is_gone(tmp_path: Path, model: str) -> None:
    text = _HEAD + _OWNER.replace("WAIT", "") + _GUEST.replace("ORDER", "memory_order_release") + _MAIN
    verdict = _check(tmp_path, text, model)
    assert verdict.answer is Answer.FAIL, verdict.reason
    assert verdict.errors[0].kind.value == "use-after-free"
    assert "local variable of a thread that" in verdict.errors[0].message
    assert text.splitlines()[verdict.errors[0].at.line - 1].strip().startswith("(void)atomic_fetch_add")


@pytest.mark.parametrize("model", ["rc11", "sc", "ra", "tso"])
def test_a_thread_that_waits_for_its_guest_keeps_its_variables(tmp_path: Path, model: str) -> None:
    text = _HEAD + _OWNER.replace("WAIT", _WAITS) + _GUEST.replace("ORDER", "memory_order_release") + _MAIN
    assert _check(tmp_path, text, model).answer is Answer.PASS


def test_to_see_a_relaxed_flag_is_not_to_wait(tmp_path: Path) -> None:
    text = _HEAD + _OWNER.replace("WAIT", _WAITS) + _GUEST.replace("ORDER", "memory_order_relaxed") + _MAIN
    verdict = _check(tmp_path, text, "rc11")
    assert verdict.answer is Answer.FAIL and verdict.errors[0].kind.value == "use-after-free"


def test_variables_of_main_outlive_the_threads_it_does_not_join(tmp_path: Path) -> None:
    text = """
#include <pthread.h>
#include <stdatomic.h>
void *guest(void *p) { atomic_fetch_add((atomic_int *)p, 1); return 0; }
int main(void) { atomic_int mine = 0; pthread_t t; pthread_create(&t, 0, guest, &mine); return 0; }
"""
    assert _check(tmp_path, text, "rc11").answer is Answer.PASS


def test_a_barrier_that_nobody_made_is_named(tmp_path: Path) -> None:
    text = "#include <pthread.h>\npthread_barrier_t b;\nint main(void) { pthread_barrier_wait(&b); return 0; }\n"
    verdict = _check(tmp_path, text, "sc")
    assert verdict.answer is Answer.FAIL and verdict.errors[0].kind.value == "bad-call"
    assert "a barrier that was not initialised" in verdict.errors[0].message
