"""Errors of memory and waiting are found under hardware models, too: the C programs, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost
from fencepost.explore import explore
from fencepost.frontends import read_file, read_text
from fencepost.options import CheckOptions
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer

HEADER = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
_Atomic(int *) shared; int *memory; atomic_int done, other;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
#define ACQUIRE (ORDER == 1 ? memory_order_acquire : memory_order_relaxed)
#define RELEASE (ORDER == 1 ? memory_order_release : memory_order_relaxed)
static int load(atomic_int *x) { return atomic_load_explicit(x, ACQUIRE); }
static void store(atomic_int *x) { atomic_store_explicit(x, 1, RELEASE); }
"""
MAIN = """
int main(void) {
  memory = malloc(8); memory[0] = 1; shared = memory;
  pthread_t t, u;
  pthread_create(&t, 0, first, 0); pthread_create(&u, 0, second, 0);
  pthread_join(t, 0); pthread_join(u, 0);
  return 0;
}
"""
FREES = "int *q = atomic_exchange(&shared, 0); if (q) free(q);"
FLAG = (
    "atomic_store_explicit(&other, memory[0], memory_order_relaxed); store(&done);",
    "if (load(&done)) free(memory);",
)
FREES_ANYHOW = "int *q = shared; if (q) { shared = 0; free(q); }"

CASES = {
    "double free": (FREES_ANYHOW, FREES_ANYHOW, 0, ErrorKind.DOUBLE_FREE),
    "one free": (FREES, FREES, 0, None),
    "free beside a read": ("int *q = shared; if (q) q[0]++;", FREES, 0, ErrorKind.USE_AFTER_FREE),
    "free after a relaxed flag": (*FLAG, 0, ErrorKind.USE_AFTER_FREE),
    "free after a release flag": (*FLAG, 1, None),
    "not written": ("done = memory[1];", "", 0, ErrorKind.UNINITIALISED),
    "past the end": ("memory[load(&done) * 2] = 1;", "store(&done);", 0, ErrorKind.OUT_OF_BOUNDS),
    "leak": ("", "", 0, ErrorKind.LEAK),
    "locks": (
        "pthread_mutex_lock(&a); pthread_mutex_lock(&b); pthread_mutex_unlock(&b); pthread_mutex_unlock(&a);",
        "pthread_mutex_lock(&b); pthread_mutex_lock(&a); pthread_mutex_unlock(&a); pthread_mutex_unlock(&b);",
        0,
        ErrorKind.DEADLOCK,
    ),
    "spins": ("for (;;) { int x = load(&done), y = load(&other); if (x != y) break; }", "", 1, ErrorKind.LIVENESS),
}  # fmt: skip


@pytest.mark.parametrize("model", ["power", "armv8", "riscv"])
@pytest.mark.parametrize("name", CASES)
def test_errors(name: str, model: str, tmp_path: Path) -> None:
    first, second, order, kind = CASES[name]
    source = tmp_path / "program.c"
    bodies = [f"void *{n}(void *_) {{ {body} return 0; }}" for n, body in (("first", first), ("second", second))]
    source.write_text(HEADER + "\n".join(bodies) + MAIN)
    program = read_file(source, flags=[f"-DORDER={order}"])
    verdict = explore(program, model, CheckOptions(leaks=kind is ErrorKind.LEAK))
    assert [e.kind for e in verdict.errors] == ([kind] if kind else []), verdict.reason


@pytest.mark.parametrize(("mode", "told"), [("na", 1), ("rlx", 0)])
@pytest.mark.parametrize("model", ["armv8", "power"])
def test_a_race_in_c_is_told_under_hardware_models(model: str, mode: str, told: int) -> None:
    program = read_text(f"var x\nthread P {{ x.{mode} := 1 }}\nthread Q {{ r := x.{mode} }}\n")
    verdict = explore(program, model)
    assert verdict.answer is Answer.PASS and len(verdict.warnings) == told


@pytest.mark.parametrize("model", ["power", "armv7", "armv8", "riscv", "imm"])
def test_an_error_in_the_first_step_of_every_thread(model: str) -> None:
    """The graph that is judged then has threads and no event."""
    program = read_text("var x\nthread P { p := 0; [p] := 1; x := 1 }\nthread Q { p := 0; r := [p] }\n", "t.fp")
    verdict = fencepost.check(program, model=model, keep_going=True)
    assert verdict.answer is Answer.FAIL
    assert {(e.kind, e.at.line) for e in verdict.errors} == {(ErrorKind.NULL, 2), (ErrorKind.NULL, 3)}
