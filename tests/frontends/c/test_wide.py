"""Atomic accesses of 16 bytes and more, and jumps out of functions: what threads see of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import api
from fencepost.program.instructions import ErrorKind
from fencepost.reasons import Code
from fencepost.verdict import Answer, Verdict

_HEAD = """
#include <assert.h>
#include <pthread.h>
typedef unsigned __int128 u128;
static _Alignas(16) u128 x;
static int data;
#define BOTH(n) ((u128)(n) << 64 | (n))
#define RUN(f) pthread_t t; pthread_create(&t, 0, f, 0)
"""
STORES = (
    _HEAD
    + """
static void *writer(void *a) { __atomic_store_n(&x, BOTH(1), __ATOMIC_RELAXED); return a; }
int main(void) {
  RUN(writer);
  u128 seen = __atomic_load_n(&x, __ATOMIC_RELAXED);
  assert((unsigned long)seen == (unsigned long)(seen >> 64));
  pthread_join(t, 0);
}
"""
)
ADDS = (
    _HEAD
    + """
static void *adds(void *a) {
  u128 old = __atomic_load_n(&x, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&x, &old, old + BOTH(1), 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {}
  return a;
}
int main(void) {
  RUN(adds);
  adds(0);
  pthread_join(t, 0);
  assert(x == BOTH(2));
}
"""
)
PUBLISHES = (
    _HEAD
    + """
static void *writer(void *a) { data = 1; __atomic_store_n(&x, BOTH(1), __ATOMIC_RELAXED); return a; }
int main(void) {
  RUN(writer);
  if (__atomic_load_n(&x, __ATOMIC_RELAXED)) data = 2;
  pthread_join(t, 0);
}
"""
)
FAILS = STORES.replace("assert((unsigned long)seen ==", "assert((unsigned long)seen !=")
ASSEMBLY = """
#include <pthread.h>
static _Alignas(16) unsigned long x[2];
static void *exchange(void *a) {
  unsigned long low = 0, high = 0;
  __asm__ __volatile__("lock cmpxchg16b %0"
    : "+m"(*(unsigned __int128 *)x), "+a"(low), "+d"(high) : "b"(1UL), "c"(1UL) : "memory", "cc");
  return a;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, exchange, 0);
  exchange(0);
  pthread_join(t, 0);
}
"""
BIG = """
#include <atomic>
#include <cassert>
#include <thread>
struct three { long a, b, c; };
std::atomic<three> x{three{0, 0, 0}};
int main() {
  std::thread t([] { x.store({1, 1, 1}); x.exchange({2, 2, 2}); });
  three p = x.load();
  assert(p.a == p.b && p.a == p.c);
  t.join();
  three q{2, 2, 2};
  assert(x.compare_exchange_strong(q, {3, 4, 5}));
}
"""


def check(tmp_path: Path, text: str, model: str, name: str = "program.c") -> Verdict:
    (tmp_path / name).write_text(text)
    return api.check(tmp_path / name, model=model)


@pytest.mark.parametrize("model", ["sc", "tso"])
@pytest.mark.parametrize(("text", "executions"), [(STORES, 2), (ADDS, None), (PUBLISHES, 2)])
def test_nobody_sees_half_of_it(text: str, executions: int | None, model: str, tmp_path: Path) -> None:
    found = check(tmp_path, text, model)
    assert found.answer is Answer.PASS, found.reason
    assert executions in (None, found.executions)


def test_more_than_16_bytes(tmp_path: Path) -> None:
    assert check(tmp_path, BIG, "sc", "program.cpp").answer is Answer.PASS


TOO_STRONGLY = [(STORES, model) for model in ("ra", "pso", "wrc11", "rc11-cpp20")] + [
    (text, "rc11") for text in (STORES, ADDS, PUBLISHES, ASSEMBLY)
]


@pytest.mark.parametrize(("text", "model"), TOO_STRONGLY)
def test_what_is_taken_too_strongly_is_no_pass(text: str, model: str, tmp_path: Path) -> None:
    """PUBLISHES races in C11, and a block orders its accesses."""
    found = check(tmp_path, text, model)
    assert found.answer is Answer.UNKNOWN, found.reason
    assert Code.NOT_PROVED in {r.code for r in found.reasons}


@pytest.mark.parametrize("model", ["armv8", "power", "imm"])
def test_machines_on_which_a_block_is_something_else(model: str, tmp_path: Path) -> None:
    found = check(tmp_path, STORES, model)
    assert found.answer is Answer.UNKNOWN, found.reason
    assert Code.UNSUPPORTED in {r.code for r in found.reasons}


@pytest.mark.parametrize("model", ["sc", "tso", "rc11"])
def test_errors_are_found_all_the_same(model: str, tmp_path: Path) -> None:
    found = check(tmp_path, FAILS, model)
    assert found.answer is Answer.FAIL
    assert found.errors[0].kind is ErrorKind.ASSERTION


JUMPS = """
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
static _Thread_local jmp_buf here;
static atomic_int n;
static void add(int jumps) { atomic_fetch_add(&n, 1); if (jumps) longjmp(here, 1); }
static void *run(void *a) {
  volatile int back = 0;
  for (int i = 0; i < 2; i++)
    if (setjmp(here)) back++; else add(i);
  assert(back == 1);
  return a;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, run, 0);
  run(0);
  pthread_join(t, 0);
  assert(n == 4);
}
"""
RETURNED = """
#include <setjmp.h>
static jmp_buf here;
static int set(void) { return setjmp(here); }
int main(void) {
  if (set() == 0)
    longjmp(here, 1);
}
"""
OTHERS = """
#include <pthread.h>
#include <setjmp.h>
static jmp_buf here;
static void *jump(void *a) { longjmp(here, 1); }
int main(void) {
  pthread_t t;
  if (setjmp(here)) return 1;
  pthread_create(&t, 0, jump, 0);
  pthread_join(t, 0);
}
"""


def test_each_thread_jumps_in_its_own_calls(tmp_path: Path) -> None:
    found = check(tmp_path, JUMPS, "rc11")
    assert (found.answer, found.executions) == (Answer.PASS, 6), found.reason


@pytest.mark.parametrize(("text", "line"), [(RETURNED, 7), (OTHERS, 5)])
def test_jumps_to_where_nobody_is(text: str, line: int, tmp_path: Path) -> None:
    found = check(tmp_path, text, "rc11")
    assert [e.kind for e in found.errors] == [ErrorKind.BAD_CALL]
    at = found.errors[0].at
    assert at is not None and at.line == line


def test_long_double_is_told(tmp_path: Path) -> None:
    found = check(tmp_path, "long double x = 1;\nint main(void) {\n  x = x / 3;\n}\n", "rc11")
    assert found.answer is Answer.PASS
    assert any("program.c:2" in w and "long double" in w for w in found.warnings)
