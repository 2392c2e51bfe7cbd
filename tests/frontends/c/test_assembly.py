"""Inline assembly of x86, and what volatile means."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import api
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer, Verdict

_HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdint.h>
static int faa(int *p, int v) { asm volatile("lock; xaddl %0, %1" : "+r"(v), "+m"(*p) : : "memory", "cc"); return v; }
static int load(int *p) { int v; asm volatile("movl %1, %0" : "=q"(v) : "m"(*p) : "memory"); return v; }
static void store(int *p, int v) { asm volatile("movl %1, %0" : "=m"(*p) : "iq"(v) : "memory"); }
static int swap(int *p, int v) { asm volatile("xchgl %0, %1" : "+m"(*p), "+q"(v) : : "memory"); return v; }
static _Bool cas(uint64_t *p, uint64_t old, uint64_t new) {
  _Bool z;
  asm volatile("lock cmpxchgq %3, %0; setz %1" : "+m"(*p), "=q"(z), "+a"(old) : "q"(new) : "memory", "cc");
  return z;
}
static void inc(int *p) { asm volatile("lock incl %0" : "+m"(*p) : : "memory", "cc"); }
static int same(int x) { asm("" : "+r"(x)); return x; }
static void both(pthread_t *t, void *(*f)(void *), void *(*g)(void *)) {
  pthread_create(t, 0, f, 0);
  pthread_create(t + 1, 0, g, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
}
int x, y, a, b;
uint64_t w;
"""


def _check(tmp_path: Path, body: str, **options: object) -> Verdict:
    path = tmp_path / "program.c"
    path.write_text(_HEAD + body)
    return api.check(path, **options)  # type: ignore[arg-type]


_RIGHT = {
    "add": "void *p(void *z) { faa(&x, 2); inc(&x); return 0; } int main(void) { pthread_t t[2]; both(t, p, p);"
    " assert(x == 6); }",
    "swap": "void *p(void *z) { assert(swap(&x, 1) != 7); return 0; } int main(void) { pthread_t t[2]; both(t, p, p);"
    " assert(x == 1); }",
    "exchange": "void *p(void *z) { if (cas(&w, 0, 1ull << 40)) faa(&x, 1); return 0; }"
    " int main(void) { pthread_t t[2]; both(t, p, p); assert(x == 1 && w == 1ull << 40); }",
    "identity": "int main(void) { assert(same(5) == 5); int r = faa(&x, 3); assert(r == 0 && x == 3); }",
}


@pytest.mark.parametrize("name", _RIGHT)
@pytest.mark.parametrize("model", ["rc11", "tso"])
def test_what_is_locked_is_atomic(name: str, model: str, tmp_path: Path) -> None:
    verdict = _check(tmp_path, _RIGHT[name], model=model)
    assert verdict.answer is Answer.PASS, verdict.reason


_BUFFERING = (
    "void *p(void *z) {{ store(&x, 1); {0} a = load(&y); return 0; }}"
    "void *q(void *z) {{ store(&y, 1); {0} b = load(&x); return 0; }}"
    "int main(void) {{ pthread_t t[2]; both(t, p, q); assert(a || b); }}"
)


@pytest.mark.parametrize(
    ("between", "answer"),
    [("", Answer.FAIL), ('asm volatile("mfence" ::: "memory");', Answer.PASS)],
)
def test_stores_are_buffered_without_a_fence(between: str, answer: Answer, tmp_path: Path) -> None:
    assert _check(tmp_path, _BUFFERING.format(between), model="tso").answer is answer


def test_an_unknown_instruction_is_named_where_it_is_reached(tmp_path: Path) -> None:
    unused = 'int main(int n, char **v) { if (n > 1) asm volatile("vzeroall"); return 0; }'
    assert _check(tmp_path, unused).answer is Answer.PASS
    verdict = _check(tmp_path, 'int main(void) { asm volatile("vzeroall"); return 0; }')
    assert verdict.answer is Answer.UNKNOWN and "vzeroall" in verdict.reason


@pytest.mark.parametrize("volatile", ["plain", "relaxed", "strict"])
def test_volatile_is_what_the_user_says(volatile: str, tmp_path: Path) -> None:
    body = (
        "volatile int f, g; void *p(void *z) { f = 1; a = g; return 0; } void *q(void *z) { g = 1; b = f; return 0; }"
        "int main(void) { pthread_t t[2]; both(t, p, q); assert(a || b); }"
    )
    verdict = _check(tmp_path, body, volatile=volatile)
    if volatile == "strict":
        assert verdict.answer is Answer.PASS
    else:
        wanted = ErrorKind.RACE if volatile == "plain" else ErrorKind.ASSERTION
        assert [e.kind for e in verdict.errors] == [wanted]


def test_the_words_of_another_machine_mean_something_else(tmp_path: Path) -> None:
    path = tmp_path / "program.ll"
    path.write_text(
        'target triple = "aarch64-unknown-linux-gnu"\ndefine i32 @main() {\n'
        '  %x = call i32 asm "mov $0, $1", "=r,r"(i32 1)\n  ret i32 %x\n}\n'
    )
    verdict = api.check(path)
    assert verdict.answer is Answer.UNKNOWN and "mov" in verdict.reason
