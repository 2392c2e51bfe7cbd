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
LABELS = """
_Bool nondet_bool(void);
int x, seen;
static void writer(int value) { __CPROVER_atomic_begin(); x += value; __CPROVER_atomic_end(); }
static void reader(void) { __CPROVER_atomic_begin(); seen = x; __CPROVER_atomic_end(); }
int main(void) {
__CPROVER_ASYNC_1: writer(2);
__CPROVER_ASYNC_2: reader();
  if (nondet_bool()) writer(1);
  __CPROVER_atomic_begin();
  int now = seen;
  __CPROVER_atomic_end();
  __CPROVER_assume(now > 0);
  __CPROVER_assert(now <= MOST, "the reader sees what was added");
  return 0;
}
"""
OWN_MAIN = """
#include <stdatomic.h>
#include <threads.h>
#include "librace.h"
#include "model-assert.h"
static atomic_int flag;
static uint32_t data;
static void writer(void *a) { store_32(&data, 7); atomic_store_explicit(&flag, 1, memory_order_ORDER); }
static void reader(void *a) {
  if (atomic_load_explicit(&flag, memory_order_acquire)) MODEL_ASSERT(load_32(&data) == 7);
}
int user_main(int argc, char **argv) {
  thrd_t one, two;
  int result;
  thrd_create(&one, (thrd_start_t)&writer, NULL);
  thrd_create(&two, (thrd_start_t)&reader, NULL);
  thrd_join(one);
  thrd_join(two, &result);
  return 0;
}
"""


@pytest.mark.parametrize(
    ("text", "replaced", "errors"),
    [
        (HAZARD, ("READ", PROTECTED), set()),
        (HAZARD, ("READ", BARE), {ErrorKind.USE_AFTER_FREE}),
        (HINTS, ("MOST", "3"), set()),
        (HINTS, ("MOST", "2"), {ErrorKind.ASSERTION}),
        (LABELS, ("MOST", "3"), set()),
        (LABELS, ("MOST", "2"), {ErrorKind.ASSERTION}),
        (OWN_MAIN, ("ORDER", "release"), set()),
        (OWN_MAIN, ("ORDER", "relaxed"), {ErrorKind.RACE}),
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


CXX_OWN_MAIN = """
#include <atomic>
#include <threads.h>
#include "model-assert.h"
std::atomic_int x(0), y(0);
int seen[2];
static void a(void *) { seen[0] = y.load(std::memory_order_ORDER); x.store(1, std::memory_order_ORDER); }
static void b(void *) { seen[1] = x.load(std::memory_order_ORDER); y.store(1, std::memory_order_ORDER); }
int user_main(int argc, char **argv) {
  thrd_t one, two;
  thrd_create(&one, &a, 0);
  thrd_create(&two, (thrd_start_t)&b, 0);
  thrd_join(one);
  thrd_join(two);
  MODEL_ASSERT(!(seen[0] == 1 && seen[1] == 1));
  return 0;
}
"""


@pytest.mark.parametrize(("model", "answer"), [("rc11", Answer.PASS), ("imm", Answer.FAIL)])
def test_a_main_of_another_name_in_cxx(model: str, answer: Answer, tmp_path: Path) -> None:
    path = tmp_path / "program.cpp"
    path.write_text(CXX_OWN_MAIN.replace("ORDER", "relaxed"))
    assert api.check(path, model=model).answer is answer


def test_a_header_of_the_users_comes_first(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "model-assert.h").write_text("#define MODEL_ASSERT(x) (void)(x)\n")
    path = tmp_path / "program.c"
    path.write_text("#include <model-assert.h>\nint main(void) { MODEL_ASSERT(0); return 0; }\n")
    assert api.check(path).answer is Answer.FAIL
    assert api.check(path, flags=[f"-I{tmp_path / 'own'}"]).answer is Answer.PASS


def test_a_label_before_what_is_no_function_of_the_program(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text("int rand(void);\nint main(void) {\n__CPROVER_ASYNC_1: rand();\n  return 0;\n}\n")
    found = api.check(path)
    assert found.answer is Answer.UNKNOWN
    assert "a new thread that calls rand" in found.reason


def test_all_values_of_a_narrow_type(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    text = "unsigned char __VERIFIER_nondet_uchar(void); void reach_error(void);"
    path.write_text(
        text + " int main(void) { unsigned char c = __VERIFIER_nondet_uchar(); if (c * c == 225) reach_error(); }"
    )
    assert api.check(path, nondet="0..3").answer is Answer.FAIL


def test_few_values_of_a_narrow_type_where_they_stand_for_all(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    text = "char __VERIFIER_nondet_char(void); void reach_error(void);"
    path.write_text(
        text + " int main(void) { for (int k = 0; k < 3; k++) if (__VERIFIER_nondet_char() == 300) reach_error(); }"
    )
    found = api.check(path)
    assert found.answer is Answer.PASS
    assert found.executions < 5000
