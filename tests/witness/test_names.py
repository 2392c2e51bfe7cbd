"""What people call things: C++ names, members that a library added, pointers, heap objects."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost
from fencepost.program.datatypes import Array, DataType, Field, Scalar, Struct
from fencepost.program.instructions import Malloc
from fencepost.program.operands import Const, Reg
from fencepost.witness.names import _inside, function_name, heap_pieces, without_library

INT, PTR = Scalar("i", 4), Scalar("p", 8)
NODE = Struct((Field("value", 0, INT), Field("next", 8, PTR)), 16)
ATOMIC = Struct((Field("_M_base", 0, Struct((Field("_M_i", 0, INT),), 4)),), 4)
VECTOR = Struct((Field("_M_start", 0, PTR), Field("_M_finish", 8, PTR)), 16)
MUTEX = Struct((Field("base", 0, Struct((Field("_M_mutex", 0, Struct((Field("__data", 0, INT),), 40)),), 40)),), 40)
PAIR = Struct((Field("ready", 0, ATOMIC), Field("count", 4, INT)), 8)


@pytest.mark.parametrize(("type_", "offset", "name"), [
    (NODE, 8, "x.next"), (Array(NODE, 3), 24, "x[1].next"), (ATOMIC, 0, "x"), (PAIR, 0, "x.ready"),
    (PAIR, 4, "x.count"),
    (VECTOR, 0, "x._M_start"), (VECTOR, 8, "x._M_finish"), (MUTEX, 0, "x"), (None, 4, "x+4"),
])  # fmt: skip
def test_members_of_libraries_are_left_out(type_: DataType | None, offset: int, name: str) -> None:
    assert _inside("x", type_, offset)[0] == name


@pytest.mark.parametrize(("symbol", "name"), [
    ("main", "main"), ("_Z6workeri", "worker"), ("_ZN5Queue4pushEi", "Queue::push"),
    ("_ZNSt6thread11_State_implINS_8_InvokerISt5tupleIJZ4mainE3$_0EEEEE6_M_runEv", "main::lambda1"),
    ("_ZNSt6thread11_State_implINS_8_InvokerISt5tupleIJPFviEiEEEEE6_M_runEv", "thread"), ("_Znonsense", "_Znonsense"),
])  # fmt: skip
def test_functions_of_cpp(symbol: str, name: str) -> None:
    assert function_name(symbol) == name


def test_heap_objects_are_numbered_by_their_type() -> None:
    block = Malloc(Reg(0), Const(16), name="node", type=NODE)
    pieces = heap_pieces({100: 16, 200: 16, 300: 8}, {100: block, 200: block})
    assert [p.name for p in pieces.values()] == ["node#1", "node#2", "heap#1"]
    assert pieces[200].type == NODE and pieces[300].type is None


def test_the_inside_of_a_library_is_no_name() -> None:
    assert without_library("tuple<std::__1::unique_ptr<std::__1::__thread_struct> >") == "tuple<…>"
    assert without_library("node<int>") == "node<int>"


_HELD = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
typedef struct { _Atomic int *who; } slot_t;
slot_t *_Atomic shared;
void *visit(void *unused) {
  _Atomic int mine = 0;
  slot_t *s = atomic_load_explicit(&shared, memory_order_relaxed);
  s->who = &mine;
  return 0;
}
int main(void) {
  slot_t *made = malloc(sizeof *made);
  atomic_store(&shared, made);
  pthread_t a, b;
  pthread_create(&a, 0, visit, 0);
  pthread_create(&b, 0, visit, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
"""


def test_variables_of_two_threads_and_structs_without_a_name_are_told_apart(tmp_path: Path) -> None:
    """Both threads have a `mine`; the struct has only the name of its typedef."""
    (tmp_path / "held.c").write_text(_HELD)
    verdict = fencepost.check(tmp_path / "held.c", fix=False)
    text = verdict.story()
    assert "data race on slot_t#1.who" in text
    assert "writes slot_t#1.who = &mine@visit#1" in text and "writes slot_t#1.who = &mine@visit#2" in text


def test_a_place_that_nobody_knows_is_not_told(tmp_path: Path) -> None:
    """The value that a global variable gets before main has no line; what std::thread hands over is nobody's news."""
    (tmp_path / "early.cpp").write_text(
        "#include <thread>\nint *given = new int(1);\nint main() {\n  int *mine = given;\n"
        "  std::thread t([mine] { *mine = 2; });\n  delete given;\n  t.join();\n}\n"
    )
    text = fencepost.check(tmp_path / "early.cpp", fix=False).story()
    assert "use after free" in text and "()" not in text and "tuple" not in text
