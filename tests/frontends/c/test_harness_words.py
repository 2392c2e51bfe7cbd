"""What programs written for other verifiers say to them: hazard pointers, threads, hints."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import api
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer

HAZARD = """
#include <genmc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <assert.h>
struct node { int value; };
static _Atomic(struct node *) shared;
static void *reader(void *a) {
  __VERIFIER_hp_t *hp = __VERIFIER_hp_alloc();
  struct node *n = READ;
  assert(n->value == 1 || n->value == 2);
  __VERIFIER_hp_clear(hp);
  __VERIFIER_hp_free(hp);
  return a;
}
static struct node *make(int value) {
  struct node *n = malloc(sizeof *n);
  n->value = value;
  return n;
}
int main(void) {
  shared = make(1);
  __VERIFIER_thread_t t = __VERIFIER_spawn(reader, 0);
  struct node *old = atomic_exchange(&shared, make(2));
  __VERIFIER_hp_retire(old);
  assert(__VERIFIER_join(t) == 0);
  free(shared);
}
"""
PROTECTED, BARE = "__VERIFIER_hp_protect(hp, &shared)", "atomic_load(&shared)"
HINTS = """
#include <genmc.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, done;
static void *add(void *a) {
  int old = __VERIFIER_speculative_read(atomic_load(&x));
  if (__VERIFIER_helping_CAS(atomic_compare_exchange_strong(&x, &old, old + 1))) {
    __VERIFIER_optional(atomic_fetch_add(&done, 1));
  }
  return a;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, add, 0);
  __VERIFIER_loop_bound(3);
  for (int i = 0; i < 2; i++) add(0);
  pthread_join(t, 0);
  __VERIFIER_assert(x == done && x >= 1 && x <= MOST);
}
"""
MUTEX_INSIDE = """
#include <pthread.h>
void reach_error(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void __VERIFIER_atomic_add(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }
static void *other(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return a; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  __VERIFIER_atomic_add();
  pthread_join(t, 0);
  if (x != SUM) reach_error();
}
"""


@pytest.mark.parametrize(
    ("text", "replaced", "errors"),
    [
        (HAZARD, ("READ", PROTECTED), set()),
        (HAZARD, ("READ", BARE), {ErrorKind.USE_AFTER_FREE}),
        (HINTS, ("MOST", "3"), set()),
        (HINTS, ("MOST", "2"), {ErrorKind.ASSERTION}),
        (MUTEX_INSIDE, ("SUM", "2"), set()),
        (MUTEX_INSIDE, ("SUM", "1"), {ErrorKind.ASSERTION}),
    ],
)
def test_words_of_others(text: str, replaced: tuple[str, str], errors: set[ErrorKind], tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(text.replace(*replaced))
    found = api.check(path, model="rc11")
    assert {e.kind for e in found.errors} == errors, found.reason
    assert found.answer is (Answer.FAIL if errors else Answer.PASS), found.reason
