"""Ways round that a shorter one could have saved are left out, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost
from fencepost.explore import explore, outcomes
from fencepost.frontends.pseudo import read
from fencepost.options import CheckOptions
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer, Verdict

_FRAME = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
BODY
int main(void) {
  pthread_t p[N];
  for (int i = 0; i < N; i++) pthread_create(&p[i], 0, user, (void *)(long)i);
  for (int i = 0; i < N; i++) pthread_join(p[i], 0);
  END
  return 0;
}
"""

_CAS_LOCK = """
atomic_int x; int data;
void *user(void *unused) {
  int r = 0;
  while (!atomic_compare_exchange_strong(&x, &r, 1)) r = 0;
  data++;
  x = 0;
  return 0;
}
"""

_TTAS = """
atomic_int x; int data;
void *user(void *unused) {
  for (;;) {
    while (atomic_load_explicit(&x, memory_order_relaxed)) ;
    if (!atomic_exchange_explicit(&x, 1, memory_order_acquire)) break;
  }
  data++;
  atomic_store_explicit(&x, 0, memory_order_release);
  return 0;
}
"""

#: The same in one condition.
_TTAS_AT_ONCE = """
atomic_int x; int data;
void *user(void *unused) {
  while (atomic_load_explicit(&x, memory_order_relaxed) || atomic_exchange_explicit(&x, 1, memory_order_acquire)) ;
  data++;
  atomic_store_explicit(&x, 0, memory_order_release);
  return 0;
}
"""

#: A lock whose first two attempts the compiler has put before its loop.
_PEELED_LOCK = """
atomic_int x; int data;
void *user(void *unused) {
  int r = 0;
  if (!atomic_compare_exchange_strong(&x, &r, 1)) {
    r = 0;
    if (!atomic_compare_exchange_strong(&x, &r, 1)) {
      do r = 0; while (!atomic_compare_exchange_strong(&x, &r, 1));
    }
  }
  data++;
  x = 0;
  return 0;
}
"""

_COUNTER = """
atomic_int x;
void *user(void *unused) {
  int c = atomic_load_explicit(&x, memory_order_relaxed);
  while (!atomic_compare_exchange_strong_explicit(&x, &c, c + 1, memory_order_acq_rel, memory_order_relaxed)) ;
  return 0;
}
"""

#: The first round stands before the loop, as a compiler would put it.
_PEELED = """
atomic_int x;
void *user(void *me) {
  if (me) {
    for (int i = 3; i < 6; i++) x = i;
    x = 2;
    return 0;
  }
  int seen = x;
  if (seen != LAST) {
    do seen = x; while (seen != LAST);
  }
  return 0;
}
"""


def _check(folder: Path, body: str, threads: int, *, end: str = "", **options: object) -> Verdict:
    path = folder / "program.c"
    path.write_text(_FRAME.replace("BODY", body).replace("END", end).replace("N", str(threads)))
    return fencepost.check(path, symmetry=False, **options)


@pytest.mark.parametrize(
    ("body", "threads", "executions"),
    [
        (_CAS_LOCK, 2, 2), (_CAS_LOCK, 3, 6), (_CAS_LOCK, 4, 24), (_TTAS, 2, 2), (_TTAS, 3, 6), (_TTAS, 4, 24),
        (_PEELED_LOCK, 2, 2), (_PEELED_LOCK, 3, 6), (_PEELED_LOCK, 4, 24), (_TTAS_AT_ONCE, 2, 2),
        (_TTAS_AT_ONCE, 4, 24),
    ],
)  # fmt: skip
def test_a_lock_has_no_execution_that_only_waits(tmp_path: Path, body: str, threads: int, executions: int) -> None:
    """One for each order: whether the test before the exchange saw that the lock was free earlier is no matter."""
    verdict = _check(tmp_path, body, threads)
    assert (verdict.answer, verdict.executions, verdict.blocked) == (Answer.PASS, executions, 0)


def test_who_tries_again_could_have_come_later(tmp_path: Path) -> None:
    """Each of the three adds 1 in some order, and nobody needs a second attempt for that."""
    short = _check(tmp_path, _COUNTER, 3, end="assert(x == 3);")
    assert (short.answer, short.executions, short.blocked) == (Answer.PASS, 6, 0)
    long = _check(tmp_path, _COUNTER, 3, end="assert(x == 3);", shortcuts=False)
    assert long.answer is Answer.PASS and long.executions > 6


def test_a_round_that_stands_before_its_loop(tmp_path: Path) -> None:
    verdict = _check(tmp_path, _PEELED.replace("LAST", "2"), 2)
    assert (verdict.answer, verdict.executions, verdict.blocked) == (Answer.PASS, 1, 0)


def test_to_wait_for_ever_is_an_error_also_behind_a_shortcut(tmp_path: Path) -> None:
    verdict = _check(tmp_path, _PEELED.replace("LAST", "7"), 2, keep_going=True)
    assert [e.kind for e in verdict.errors] == [ErrorKind.LIVENESS]
    assert (verdict.executions, verdict.blocked) == (0, 5), "one for each value that the first round may have seen"


def test_a_stronger_read_is_not_put_in_the_place_of_a_weaker_one(tmp_path: Path) -> None:
    """Who has seen the flag by a relaxed read may find old data; a first acquire in its place would have found new."""
    body = """
    atomic_int flag, data;
    void *user(void *me) {
      if (me) {
        atomic_store_explicit(&data, 1, memory_order_relaxed);
        atomic_store_explicit(&flag, 1, memory_order_release);
        return 0;
      }
      int seen = atomic_load_explicit(&flag, memory_order_acquire);
      while (!seen) seen = atomic_load_explicit(&flag, memory_order_relaxed);
      assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
      return 0;
    }
    """
    verdict = _check(tmp_path, body, 2, fix=False)
    assert [e.kind for e in verdict.errors] == [ErrorKind.ASSERTION]


@pytest.mark.parametrize("model", ["sc", "rc11"])
def test_an_update_that_writes_something_else_is_no_shortcut(model: str) -> None:
    """Both attempts succeed alike, but for what they leave behind."""
    attempts = "_, k := CAS(x, 0, 2); if !k { _, k := CAS(x, 0, 3) }"
    text = f"var x = 1\nthread P {{ {attempts} }}\nthread Q {{ x := 0 }}\nobserve x\n"
    assert {value for ((_, value),) in outcomes(read(text, "a.fp"), model).states} == {0, 2, 3}


def test_an_update_that_orders_more_is_no_shortcut() -> None:
    """Who fails may find the lock free by a relaxed exchange, and then old data: an acquire would have found new."""
    text = """
    var x = 1, data
    thread P { _, k := CAS(x.acq, 0, 2); if !k { _, k := CAS(x, 0, 2) }; if k { r := data; assert(r == 1) } }
    thread Q { data := 1; x.rel := 0 }
    """
    assert [e.kind for e in explore(read(text, "a.fp"), "rc11", CheckOptions(fix=False)).errors] == [
        ErrorKind.ASSERTION
    ]


def test_a_wait_that_orders_more_is_not_moved(tmp_path: Path) -> None:
    """What the wait sees first gives the data; the relaxed exchange after it sees another write of the same value."""
    body = """
    atomic_int x = 1, data;
    void *user(void *me) {
      if (me) {
        atomic_store_explicit(&data, 1, memory_order_relaxed);
        atomic_store_explicit(&x, 0, memory_order_release);
        atomic_store_explicit(&x, 0, memory_order_relaxed);
        return 0;
      }
      while (atomic_load_explicit(&x, memory_order_acquire)) ;
      atomic_exchange_explicit(&x, 2, memory_order_relaxed);
      return 0;
    }
    """
    assert _check(tmp_path, body, 2).executions == 3, "both see the first zero, both the second, or each its own"
    weaker = body.replace("memory_order_acquire", "memory_order_relaxed")
    assert _check(tmp_path, weaker, 2).executions == 2


def test_a_plain_read_in_a_round_is_not_left_out(tmp_path: Path) -> None:
    """Who hears that the loop is over, by a relaxed flag, races with what the loop read in vain."""
    body = """
    atomic_int ready, over; int data;
    void *user(void *me) {
      if (me == (void *)1) {
        while (!atomic_load_explicit(&over, memory_order_relaxed)) ;
        data = 1;
      } else if (me) {
        atomic_store_explicit(&ready, 1, memory_order_relaxed);
      } else {
        int seen = atomic_load_explicit(&ready, memory_order_relaxed);
        while (!seen) {
          (void)*(volatile int *)&data;
          seen = atomic_load_explicit(&ready, memory_order_relaxed);
        }
        atomic_store_explicit(&over, 1, memory_order_relaxed);
      }
      return 0;
    }
    """
    verdict = _check(tmp_path, body, 3, model="rc11", fix=False)
    assert [e.kind for e in verdict.errors] == [ErrorKind.RACE]


def test_who_counts_in_private_memory_does_not_go_round(tmp_path: Path) -> None:
    body = """
    atomic_int x;
    void *user(void *me) {
      int n[2] = {0, 0}, *looks = &n[(long)me & 1];
      do {
        atomic_load_explicit(&x, memory_order_relaxed);
        ++*looks;
      } while (*looks < 3);
      assert(n[0] != 3);
      return 0;
    }
    """
    verdict = _check(tmp_path, body, 1, model="rc11", fix=False)
    assert [e.kind for e in verdict.errors] == [ErrorKind.ASSERTION]


@pytest.mark.parametrize("model", ["sc", "tso", "ra", "rc11"])
@pytest.mark.parametrize("round_", ["k := FADD(x, 0)", "k := FMAX(x, 1)", "k := XCHG(x, 2)"])
def test_a_peeled_update_that_writes_what_it_finds_still_goes_round_for_ever(round_: str, model: str) -> None:
    """Where it is made does not matter, but that nobody ends the loop has to be told."""
    text = f"var x = 2, y\nthread P {{ {round_}; while k != 1 {{ {round_} }} }}\nthread Q {{ y := 1 }}\n"
    found = explore(read(text, "a.fp"), model, CheckOptions(model=model, fix=False))
    assert [e.kind for e in found.errors] == [ErrorKind.LIVENESS]
