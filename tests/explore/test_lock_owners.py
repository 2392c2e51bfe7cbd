"""Who reads the bytes of a mutex as data can tell identical threads apart: then none of them is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost

C = """#include <pthread.h>
#include <assert.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int last;
static void *work(void *unused) {{ pthread_mutex_lock(&m); last = {read}; pthread_mutex_unlock(&m); return 0; }}
int main(void) {{
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  assert(last != {owner});
}}
"""
READS = {"at once": "*(int *)&m", "through a pointer": "*p", "nothing": "1"}


@pytest.mark.parametrize("read", READS)
def test_the_answer_is_that_of_the_whole_exploration(tmp_path: Path, read: str) -> None:
    for owner in range(1, 6):
        text = C.format(read=READS[read], owner=owner)
        if read == "through a pointer":
            text = text.replace("static int last;", "static int last, *p = (int *)&m;")
        (tmp_path / "p.c").write_text(text)
        short = fencepost.check(tmp_path / "p.c", fix=False)
        whole = fencepost.check(tmp_path / "p.c", fix=False, reductions=False)
        assert short.answer is whole.answer, owner
        assert ("symmetry" in short.extra.get("reductions", [])) == (read == "nothing" and owner != 1), owner
