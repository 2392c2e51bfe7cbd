"""What a round reads that is left out: another thread may write or free it once the loop is over, and not in order."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost
from fencepost.explore.driver import explore
from fencepost.frontends.pseudo import read
from fencepost.options import CheckOptions
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer, Verdict

MODELS = ["rc11", "rc11-cpp20", "wrc11"]
_RACE = """
var x, y, f
thread T { while 1 { k := x; if k == 1 { break }; s := y.na }; f := 1 }
thread Q { wait(f == 1); y.na := 1 }
thread R { x := 1 }
"""
_FREED = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int x, over, *p;
void *looks(void *u) {
  atomic_int *mine = p;
  while (!atomic_load_explicit(&x, memory_order_relaxed)) (void)atomic_load_explicit(mine, memory_order_relaxed);
  atomic_store_explicit(&over, 1, memory_order_relaxed);
  return u;
}
void *frees(void *u) {
  while (!atomic_load_explicit(&over, memory_order_relaxed)) {}
  free(p);
  return u;
}
int main(void) {
  p = malloc(4);
  atomic_init(p, 0);
  pthread_t a, b;
  pthread_create(&a, 0, looks, 0);
  pthread_create(&b, 0, frees, 0);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
"""


def _checked(text: str, model: str, **options: object) -> Verdict:
    return explore(read(text, "a.fp"), model, CheckOptions(model=model, fix=False, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("model", MODELS)
def test_a_race_with_a_round_that_is_left_out_is_no_pass(model: str) -> None:
    assert _checked(_RACE, model).answer is not Answer.PASS
    slowly = _checked(_RACE, model, spin_detection=False, unroll=3)
    assert [e.kind for e in slowly.errors] == [ErrorKind.RACE]


def test_a_free_after_a_round_that_is_left_out_is_no_pass(tmp_path: Path) -> None:
    path = tmp_path / "freed.c"
    path.write_text(_FREED, encoding="utf-8")
    assert fencepost.check(path, fix=False).answer is not Answer.PASS


def test_a_free_of_memory_that_a_round_reads_in_the_middle_is_no_pass(tmp_path: Path) -> None:
    path = tmp_path / "freed.c"
    inside = _FREED.replace("malloc(4)", "malloc(12)").replace("atomic_int *mine = p;", "atomic_int *mine = p + 2;")
    path.write_text(inside.replace("atomic_init(p, 0)", "atomic_init(p + 2, 0)"), encoding="utf-8")
    assert fencepost.check(path, fix=False).answer is not Answer.PASS


def test_a_free_of_other_memory_of_the_same_thread_is_no_doubt(tmp_path: Path) -> None:
    """As std::thread does: the one who starts a thread allocates what that one frees."""
    path = tmp_path / "freed.c"
    path.write_text(_FREED.replace("free(p)", "free(u)").replace("frees, 0)", "frees, malloc(4))"), encoding="utf-8")
    assert fencepost.check(path, fix=False).answer is Answer.PASS


@pytest.mark.parametrize("model", MODELS)
def test_where_the_loop_is_left_in_order_nothing_is_doubtful(model: str) -> None:
    ordered = _RACE.replace("f := 1", "f.rel := 1").replace("f == 1", "f.acq == 1")
    assert _checked(ordered.replace("y.na := 1", "z := 1").replace("f\n", "f, z\n", 1), model).answer is Answer.PASS


@pytest.mark.parametrize("model", MODELS)
def test_what_a_round_reads_first_is_read_again(model: str) -> None:
    """The read that ends the loop is there, and shows the race."""
    text = (
        "var y, f\nthread T { while y == 0 { }; f := 1 }\nthread R { y := 1 }\nthread Q { wait(f == 1); y.na := 2 }\n"
    )
    found = _checked(text, model)
    assert [e.kind for e in found.errors] == [ErrorKind.RACE]
