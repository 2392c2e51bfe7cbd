"""Headers that are not beside the program are changed where they are."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost
from fencepost.verdict import Answer

HEADER = """#include <stdatomic.h>
#define RAISE(f) atomic_store_explicit(&(f), 1, memory_order_relaxed)
static int data;
static atomic_int flag;
static inline void put(int v) { data = v; RAISE(flag); }
static inline int get(void) { return atomic_load_explicit(&flag, memory_order_relaxed) ? data : 7; }
"""
PROGRAM = """#include <assert.h>
#include <pthread.h>
#include INCLUDED
static void *p(void *a) { put(7); return 0; }
static void *q(void *a) { assert(get() == 7); return 0; }
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, p, 0); pthread_create(&t, 0, q, 0);
  pthread_join(s, 0); pthread_join(t, 0);
}
"""


@pytest.mark.parametrize("flags", [["-I../inc"], ["-I", "../inc"], ["-iquote../inc"], ["-isystem", "../inc"]], ids=str)
def test_a_header_of_another_folder_is_repaired(
    flags: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "inc" / "box.h").write_text(HEADER)
    (tmp_path / "work" / "main.c").write_text(PROGRAM.replace("INCLUDED", '"box.h"'))
    monkeypatch.chdir(tmp_path / "work")
    found = fencepost.repair("main.c", flags=flags)
    assert found.answer is Answer.PASS and len(found.changes) == 2, found.reason
    assert "-#define RAISE(f) atomic_store_explicit(&(f), 1, memory_order_relaxed)" in found.patch
    ((file, text),) = found.texts
    assert Path(file).resolve() == (tmp_path / "inc" / "box.h").resolve()
    Path(file).write_text(text)
    assert fencepost.check("main.c", flags=flags).answer is Answer.PASS
