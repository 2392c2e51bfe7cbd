"""futex, pages of memory, and thread-local objects whose address another thread uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import api
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer, Verdict

_HEAD = """#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
long syscall(long, ...);
void *mmap(void *, unsigned long, int, int, int, long);
int munmap(void *, unsigned long);
int getpagesize(void);
static long futex(void *p, int op, int v) { return syscall(202, p, op, v, NULL, NULL, 0); }
#define WAIT 128
#define WAKE 129
atomic_int f, woken;
int data;
void *waiter(void *u) { while (atomic_load(&f) == 0) futex(&f, WAIT, 0); assert(data == 42); return u; }
static void run(void *(*a)(void *), void *(*b)(void *)) {
  pthread_t s, t;
  pthread_create(&s, 0, a, 0); pthread_create(&t, 0, b, 0); pthread_join(s, 0); pthread_join(t, 0);
}
"""


def _check(tmp_path: Path, body: str, **options: object) -> Verdict:
    path = tmp_path / "program.c"
    path.write_text(_HEAD + body)
    return api.check(path, **options)


_RIGHT = {
    "wakes": "void *p(void *u) { data = 42; atomic_store(&f, 1); futex(&f, WAKE, 1); return u; }"
    " int main(void) { run(p, waiter); }",
    "differs": "int main(void) { f = 1; assert(futex(&f, WAIT, 0) == -1); }",
    "nobody waits": "int main(void) { assert(futex(&f, WAKE, 5) == 0); }",
    "one of two": "void *w(void *u) { futex(&f, WAIT, 0); woken++; futex(&f, WAKE, 1); return u; }"
    " int main(void) { pthread_t s, t; pthread_create(&s, 0, w, 0); pthread_create(&t, 0, w, 0); f = 1;"
    " assert(futex(&f, WAKE, 1) < 2); pthread_join(s, 0); pthread_join(t, 0); assert(woken == 2); }",
    "time is over": "int main(void) { long t[2] = {0, 1}; assert(syscall(202, &f, 0, 0, t, NULL, 0) == -1); }",
    "pages": "int main(void) { char *p = mmap(NULL, getpagesize(), 3, 0x22, -1, 0); assert(p[4095] == 0); p[1] = 1;"
    " assert(munmap(p, 4096) == 0); }",
    "thread-local": "static _Thread_local int mine = 5, other; static int *_Atomic place;"
    " void *p(void *u) { mine = 7; other = 1; place = &mine; while (place) ; return u; }"
    " void *q(void *u) { int *at; while (!(at = place)) ; assert(*at == 7 && mine == 5 && at != &mine && !other);"
    " place = NULL; return u; } int main(void) { run(p, q); }",
}
_WRONG = {
    "not woken": ("void *p(void *u) { data = 42; atomic_store(&f, 1); return u; }", ErrorKind.DEADLOCK),
    "woken too early": (
        "void *p(void *u) { data = 42; futex(&f, WAKE, 1); atomic_store(&f, 1); return u; }", ErrorKind.DEADLOCK,
    ),
    "another place": (
        "int g; void *p(void *u) { data = 42; atomic_store(&f, 1); futex(&g, WAKE, 1); return u; }", ErrorKind.DEADLOCK,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", _RIGHT)
def test_what_works(name: str, tmp_path: Path) -> None:
    verdict = _check(tmp_path, _RIGHT[name])
    assert verdict.answer is Answer.PASS, verdict.reason


@pytest.mark.parametrize("model", ["tso", "rc11", pytest.param("armv8", marks=pytest.mark.slow)])
def test_the_kernel_sees_what_was_written_before_it_is_called(model: str, tmp_path: Path) -> None:
    """No fence of the program stands between the store and the call: whoever is called has one."""
    relaxed = "memory_order_relaxed"
    body = (
        f"void *w(void *u) {{ while (atomic_load_explicit(&f, {relaxed}) == 0) futex(&f, WAIT, 0); return u; }}"
        f" void *p(void *u) {{ atomic_store_explicit(&f, 1, {relaxed}); futex(&f, WAKE, 1); return u; }}"
        " int main(void) { run(p, w); }"
    )
    verdict = _check(tmp_path, body, model=model)
    assert verdict.answer is Answer.PASS, verdict.reason


@pytest.mark.parametrize("name", _WRONG)
def test_a_lost_wakeup_is_a_deadlock(name: str, tmp_path: Path) -> None:
    body, kind = _WRONG[name]
    verdict = _check(tmp_path, body + " int main(void) { run(p, waiter); }")
    assert [e.kind for e in verdict.errors] == [kind]


def test_what_the_kernel_can_do_besides_is_named(tmp_path: Path) -> None:
    verdict = _check(tmp_path, "int main(void) { syscall(202, &f, 6, 0, NULL, NULL, 0); }")
    assert verdict.answer is Answer.UNKNOWN and "FUTEX_LOCK_PI" in verdict.reason
    verdict = _check(tmp_path, "int main(void) { syscall(1, 1, &f, 4); }")
    assert verdict.answer is Answer.UNKNOWN and "syscall 1" in verdict.reason


_MEMBARRIER = "int main(void) { assert(syscall(324, 0, 0, 0) == 0); assert(syscall(324, 8, 0, 0) == -1); }"
_WITHOUT = "#include <fencepost.h>\nFENCEPOST_WITHOUT_MEMBARRIER;\n"


def test_no_program_passes_for_kernels_with_membarrier(tmp_path: Path) -> None:
    """What it does where the kernel has it is not known; where the kernel has none, the answer is for that."""
    verdict = _check(tmp_path, _MEMBARRIER)
    assert verdict.answer is Answer.UNKNOWN and "FENCEPOST_WITHOUT_MEMBARRIER" in verdict.reason
    verdict = _check(tmp_path, _WITHOUT + _MEMBARRIER)
    assert verdict.answer is Answer.PASS and verdict.executions == 1, verdict.reason


def test_an_error_on_a_kernel_without_membarrier_is_an_error(tmp_path: Path) -> None:
    body = "int main(void) { int there = syscall(324, 0, 0, 0); assert(there != 0); }"
    assert [e.kind for e in _check(tmp_path, body).errors] == [ErrorKind.ASSERTION]


def test_threads_that_ask_for_membarrier_before_they_start_are_explored(tmp_path: Path) -> None:
    """The question is often asked once, by a constructor."""
    body = """static int there;
    __attribute__((constructor)) static void ask(void) { there = syscall(324, 0, 0, 0) > 0; }
    static void *p(void *u) { data++; return u; }
    int main(void) { run(p, p); assert(!there); }"""
    verdict = _check(tmp_path, body)
    assert [e.kind for e in verdict.errors] == [ErrorKind.RACE], verdict.reason


def test_memory_that_is_unmapped_is_gone(tmp_path: Path) -> None:
    body = "int main(void) { char *p = mmap(NULL, 4096, 3, 0x22, -1, 0); munmap(p, 4096); return p[0]; }"
    assert [e.kind for e in _check(tmp_path, body).errors] == [ErrorKind.USE_AFTER_FREE]


@pytest.mark.parametrize(("machine", "model", "number"), [("powerpc64le", "power", "221"), ("riscv64", "riscv", "98")])
def test_each_machine_has_its_numbers(machine: str, model: str, number: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    head = "long syscall(long, ...);\nvoid __VERIFIER_assert(int);\nstatic int f = 1;\n"
    path.write_text(f"{head}int main(void) {{ __VERIFIER_assert(syscall({number}, &f, 1, 5, 0, 0, 0) == 0); }}\n")
    verdict = api.check(path, model=model, flags=[f"--target={machine}-linux-gnu"])
    assert verdict.answer is Answer.PASS, verdict.reason
