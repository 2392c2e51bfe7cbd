"""What the debug information says about heap memory and locals, with every compiler at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost.frontends import read_file
from fencepost.frontends.c import compile as compilers
from fencepost.program.datatypes import Array, Scalar, Struct
from fencepost.program.instructions import Alloca, Malloc

TEXT = """#include <stdlib.h>
struct node { int value; struct node *next; };
struct node *head;
typedef struct node *list;
void keep(struct node *);
int main(void) {
    struct node *one = malloc(sizeof *one);
    head = malloc(sizeof(struct node));
    list three = calloc(3, sizeof *three);
    int *number = malloc(sizeof *number);
    void *anything = malloc(24);
    struct node local = {1, one};
    struct node *volatile shared = &local;
    return shared->value + (three == 0) + (number == 0) + (anything == 0);
}
"""


@pytest.fixture(params=["", "zig"], ids=["PATH", "wheel"])
def compiler(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param:
        pytest.importorskip("ziglang")
        monkeypatch.setenv("FENCEPOST_CLANG", request.param)
    compilers.find_compiler.cache_clear()
    request.addfinalizer(compilers.find_compiler.cache_clear)


@pytest.mark.usefixtures("compiler")
def test_heap_memory_is_named_by_its_type(tmp_path: Path) -> None:
    file = tmp_path / "heap.c"
    file.write_text(TEXT)
    code = read_file(file).function("main").code
    blocks = [i for i in code if isinstance(i, Malloc)]
    assert [b.name for b in blocks] == ["node", "node", "node", "int", ""]
    one, head, three, number, anything = (b.type for b in blocks)
    assert isinstance(one, Struct) and [f.name for f in one.fields] == ["value", "next"] and head == one
    assert three == Array(one, 3) and number == Scalar("i", 4) and anything is None
    assert any(i.name == "local" and i.type == one for i in code if isinstance(i, Alloca))


HANDED = """#include <stdlib.h>
struct node { int value; struct node *next; };
typedef struct { struct node *head; } list;
static list all;
static void push(list *l, int extra, struct node *n) { n->next = l->head; l->head = n; n->value = extra; }
static void swallow(void *anything) { free(anything); }
int main(void) {
    push(&all, 3, malloc(sizeof(struct node)));
    swallow(malloc(16));
    return all.head->value;
}
"""


@pytest.mark.usefixtures("compiler")
def test_memory_that_is_handed_on_is_named_by_the_parameter(tmp_path: Path) -> None:
    (tmp_path / "handed.c").write_text(HANDED)
    code = read_file(tmp_path / "handed.c").function("main").code
    blocks = [i for i in code if isinstance(i, Malloc)]
    assert [b.name for b in blocks] == ["node", ""]
    assert isinstance(blocks[0].type, Struct) and blocks[1].type is None
