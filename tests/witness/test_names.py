"""What people call things: C++ names, members that a library added, pointers, heap objects."""

from __future__ import annotations

import pytest

from fencepost.program.datatypes import Array, DataType, Field, Scalar, Struct
from fencepost.program.instructions import Malloc
from fencepost.program.operands import Const, Reg
from fencepost.witness.names import _inside, function_name, heap_pieces

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
