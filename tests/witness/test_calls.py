"""Every step knows the calls that its thread is in, down to main or the thread's function."""

from __future__ import annotations

from pathlib import Path

from fencepost import api
from fencepost.report.json import verdict_data

_PROGRAM = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
static void set(int v) { atomic_store(&x, v); }
static void twice(void) {
  set(1);
  set(2);
}
static void *worker(void *u) { twice(); return u; }
static int get(void) { return atomic_load(&x); }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  int seen = get();
  assert(seen != 2);
  return 0;
}
"""


def test_the_calls_of_each_step(tmp_path: Path) -> None:
    file = tmp_path / "calls.c"
    file.write_text(_PROGRAM, encoding="utf-8")
    steps = verdict_data(api.check(file))["explanation"]["steps"]

    def calls(kind: str, number: int = 0) -> list[tuple[str, int]]:
        step = [s for s in steps if s["kind"] == kind][number]
        return [(c["function"], c["at"]["line"]) for c in step["calls"]]

    assert calls("write", 0) == [("set", 5), ("twice", 7), ("worker", 10)]
    assert calls("write", 1) == [("set", 5), ("twice", 8), ("worker", 10)]
    assert calls("read") == [("get", 11), ("main", 15)]
    assert calls("error") == [("main", 16)]
