"""Loops that wait in ways that are harder to see: they forget what they read, or count who waits."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost
from fencepost.verdict import Answer

_FORGETS = """
#include <pthread.h>
#include <stdatomic.h>
atomic_int flag;
void *writer(void *unused) {
  for (int i = 1; i <= 30; i++) flag = i;
  flag = 0;
  return 0;
}
void *reader(void *unused) {
  int seen = flag;
  while (seen != 0) seen = flag;
  return 0;
}
int main(void) {
  pthread_t w, r;
  pthread_create(&w, 0, writer, 0);
  pthread_create(&r, 0, reader, 0);
  pthread_join(w, 0);
  pthread_join(r, 0);
  return 0;
}
"""

#: A lock that counts who waits. Its loop adds to the count and takes it back, and who unlocks looks at the count.
_COUNTS = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int held, waiting, calls;
int inside;
void lock(void) {
  int free = 0;
  while (!atomic_compare_exchange_strong(&held, &free, 1)) {
    free = 0;
    atomic_fetch_add(&waiting, 1);
    int call = calls;
    if (held)
      while (calls == call)
        ;
    atomic_fetch_sub(&waiting, 1);
  }
}
void unlock(void) {
  held = 0;
  if (waiting) atomic_fetch_add(&calls, 1);
}
void *user(void *unused) {
  lock();
  assert(inside == BUSY);
  inside++;
  inside--;
  unlock();
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, user, 0);
  pthread_create(&b, 0, user, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""

#: Whoever comes second tries for ever, and a third thread may see each attempt: there is no longest execution.
_ENDLESS = """
#include <pthread.h>
#include <stdatomic.h>
atomic_int tries;
void *user(void *unused) {
  while (atomic_fetch_add(&tries, 1) != 0) atomic_fetch_sub(&tries, 1);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, user, 0);
  pthread_create(&b, 0, user, 0);
  int first = tries, second = tries;
  return first > second;
}
"""


def _written(folder: Path, text: str) -> Path:
    path = folder / "program.c"
    path.write_text(text)
    return path


def test_a_loop_that_has_forgotten_what_it_read_waits(tmp_path: Path) -> None:
    verdict = fencepost.check(_written(tmp_path, _FORGETS), model="sc")
    assert verdict.answer is Answer.PASS
    assert (verdict.executions, verdict.blocked) == (2, 0), "the last 0, or the first one at once"
    every = fencepost.check(_written(tmp_path, _FORGETS), model="sc", shortcuts=False)
    assert every.executions == 32, "the last 0 after any of 31 values, or the first one at once"


@pytest.mark.parametrize("model", ["sc", "rc11"])
def test_a_lock_that_counts_its_waiters_is_explored_to_the_end(tmp_path: Path, model: str) -> None:
    verdict = fencepost.check(_written(tmp_path, _COUNTS.replace("BUSY", "0")), model=model)
    assert verdict.answer is Answer.PASS, verdict.reason


def test_an_error_behind_an_iteration_that_was_seen_is_found(tmp_path: Path) -> None:
    verdict = fencepost.check(_written(tmp_path, _COUNTS.replace("BUSY", "1")), model="sc")
    assert verdict.answer is Answer.FAIL and verdict.errors[0].kind.value == "assertion"


def test_what_is_seen_of_endless_attempts_stays_unknown(tmp_path: Path) -> None:
    verdict = fencepost.check(_written(tmp_path, _ENDLESS), model="sc")
    assert verdict.answer is Answer.UNKNOWN
    assert "adds and takes back" in verdict.reason


def test_what_a_round_took_back_may_still_be_read_later(tmp_path: Path) -> None:
    """Whoever learns that the loop is over may read, by a relaxed read, what a round in vain had put there: the round
    must not be left out as if nobody could see it."""
    path = tmp_path / "late.fp"
    path.write_text(
        "var l, z\n"
        "thread T { k := 1; while k { k := FADD(l.rlx, 1); if k { FADD(l.rlx, -1) } }; z := 1 }\n"
        "thread U { wait(z == 1); s := l; assert(s != 11) }\n"
        "thread V { _, ok := CAS(l.rlx, 0, 10); if ok { FADD(l.rlx, -10) } }\n"
    )
    assert fencepost.check(path, model="rc11", fix=False).answer is Answer.FAIL
    assert fencepost.check(path, model="sc").answer is Answer.PASS


_TAKES = "k := 0; while k <= 0 { k := FADD(l, -1); if k <= 0 { FADD(l, 1) } }"
#: What others do with a value that a round adds and takes back, other than to read it: write over it, so that what is
#: taken back is taken from something else; or stop in such a round themselves, which others see when this one is over.
_BETWEEN = {
    "store": f"thread T {{ {_TAKES}; assert(k != 6) }}\nthread U {{ l := 5 }}\n",
    "exchange": f"thread T {{ {_TAKES}; assert(k != 6) }}\nthread U {{ XCHG(l, 5) }}\n",
    "round": f"thread T {{ {_TAKES}; f := 1 }}\nthread V {{ if f == 1 {{ assert(z == 0) }} }}\n"
    "thread U { while 1 { if q { break }; k := l; if k < 0 { FADD(z, 1); FADD(z, -1) } } }\n"
    "thread W { FADD(l, 1); q := 1 }\n",
}


@pytest.mark.parametrize("model", ["sc", "tso", "pso", "ra", "rc11", "wrc11", "power", "armv8", "imm"])
@pytest.mark.parametrize("how", _BETWEEN)
def test_a_round_is_not_left_out_where_another_comes_between(tmp_path: Path, how: str, model: str) -> None:
    path = tmp_path / "between.fp"
    path.write_text(f"var l, z, f, q\n{_BETWEEN[how]}")
    assert fencepost.check(path, model=model, fix=False).answer is Answer.FAIL


def test_who_never_leaves_because_another_came_between_is_no_pass(tmp_path: Path) -> None:
    """-1 | 4 is -1: the round takes back to 0, and the next one and all others do as well."""
    path = tmp_path / "or.fp"
    path.write_text(f"var l\nthread T {{ {_TAKES} }}\nthread U {{ FOR(l, 4) }}\n")
    assert fencepost.check(path, model="sc", fix=False).answer is Answer.UNKNOWN
