"""The sum of the hashes of all executions says which executions there are, and nothing about where a file lies."""

from __future__ import annotations

from pathlib import Path

import fencepost
from fencepost.program.layout import CONSTANTS, GLOBALS, lay_out
from fencepost.program.program import Arch, Object, Program

QUEUE = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static const char *text = "a text";
struct node { int value; _Atomic(struct node *) next; };
static struct node nodes[2];
static _Atomic(struct node *) head;
static void *put(void *p) { ((struct node *)p)->value = 1; atomic_store(&head, (struct node *)p); return NULL; }
int main(void) {
  pthread_t t;
  assert(text);
  pthread_create(&t, NULL, put, &nodes[1]);
  struct node *n = atomic_load(&head);
  assert(!n || n->value == 1);
  pthread_join(t, NULL);
}
"""


def digest(folder: Path, text: str = QUEUE) -> object:
    folder.mkdir(exist_ok=True)
    (folder / "queue.c").write_text(text)
    found = fencepost.check(folder / "queue.c", digest=True)
    assert (found.answer.value, found.executions) == ("PASS", 2)
    return found.extra["digest"]


def test_a_digest_does_not_depend_on_the_path(tmp_path: Path) -> None:
    """Which is in the program: assert quotes it."""
    here = digest(tmp_path / "a")
    assert digest(tmp_path / ("a" * 100)) == here
    assert digest(tmp_path / "a", QUEUE.replace("&nodes[1]", "&nodes[0]")) != here


def test_the_length_of_a_constant_moves_nothing() -> None:
    def places(length: int) -> dict[str, int]:
        objects = (
            Object("before", 8),
            Object("text", length, 1, constant=True),
            Object("other", 8, constant=True),
            Object("behind", 8),
        )
        return lay_out(Program("p", Arch.FP, objects, (), ())).globals

    assert places(1) == places(4000)
    assert places(1) == {"before": GLOBALS, "behind": GLOBALS + 32, "text": CONSTANTS, "other": CONSTANTS + 4096}
