"""Pointers with marks in their low bits are told as such."""

from __future__ import annotations

from pathlib import Path

import fencepost
from fencepost.witness.story import tell

MARKED = """#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <pthread.h>
struct node { long key; struct node *next; };
static struct node nodes[2];
static char letters[4];
static _Atomic(struct node *) head;
static _Atomic(char *) letter;
void *mark(void *_) {
  atomic_store(&letter, &letters[1]);
  atomic_store(&head, (struct node *)((uintptr_t)&nodes[1] | 1));
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, mark, 0);
  assert(atomic_load(&letter) == 0 || atomic_load(&head) == 0);
  pthread_join(t, 0);
}
"""


def test_a_mark_is_no_offset(tmp_path: Path) -> None:
    path = tmp_path / "marked.c"
    path.write_text(MARKED)
    witness = fencepost.check(path, fix=False).witness
    assert witness is not None
    texts = [m.text for m in tell(witness).moments]
    assert "reads head = &nodes[1]|1" in texts
    assert "reads letter = &letters[1]" in texts, "a character has no middle"
