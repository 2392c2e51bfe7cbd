"""Memory that comes from a function of the program's own: it has the type, and the line, of who asked for it."""

from __future__ import annotations

from pathlib import Path

import fencepost
from fencepost.witness.story import tell

TEXT = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { struct node *next; int key; };
static _Atomic(struct node *) head;
static void *xmalloc(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
static void *reader(void *a) { struct node *n = atomic_load(&head); if (n) return (void *)(long)n[1].key; return 0; }
static void *remover(void *a) { free(atomic_exchange(&head, 0)); return 0; }
int main(void) {
  struct node *n = xmalloc(2 * sizeof *n);
  n[1].key = 1;
  atomic_store(&head, n);
  pthread_t a, b;
  pthread_create(&a, 0, reader, 0);
  pthread_create(&b, 0, remover, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
"""


def test_an_allocator_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "pool.c").write_text(TEXT)
    verdict = fencepost.check(tmp_path / "pool.c", fix=False)
    assert verdict.witness is not None
    story = tell(verdict.witness)
    assert any("node#1[1].key" in m.text for m in story.moments)
    assert "node#1 is the memory allocated at pool.c:11" in story.initial


def test_types_that_differ_are_not_guessed(tmp_path: Path) -> None:
    other = TEXT.replace("int main(void) {", "int main(void) {\n  long *m = xmalloc(8);\n  free(m);")
    (tmp_path / "pool.c").write_text(other)
    verdict = fencepost.check(tmp_path / "pool.c", fix=False)
    assert verdict.witness is not None
    assert any("heap#2+24" in m.text for m in tell(verdict.witness).moments)
