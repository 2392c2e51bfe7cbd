"""Plain declarations that become atomic ones, as text."""

from __future__ import annotations

import pytest

from fencepost.repair.text.c import CText
from fencepost.repair.text.edits import apply
from fencepost.repair.text.pseudo import Pseudo

C = [
    ("int x;", "_Atomic int x;"),
    ("static volatile int x = 3; // int x", "static _Atomic volatile int x = 3; // int x"),
    ("struct node *x, *y;", "struct node *_Atomic x;\nstruct node *y;"),
    ("int a = 1, x = f(1, 2), b;", "int a = 1;\n_Atomic int x = f(1, 2);\nint b;"),
    ("struct s { int a; unsigned x[4]; };", "struct s { int a; _Atomic unsigned x[4]; };"),
    ("void f(void) { int x = 0; x = 1; }", "void f(void) { _Atomic int x = 0; x = 1; }"),
    (
        "int x;\nint f(void) { int y = x, z = x; return y; }",
        "_Atomic int x;\nint f(void) { int y = x, z = x; return y; }",
    ),
    ("int x = 1, y = 2, *p = &x;", "_Atomic int x = 1;\nint y = 2, *p = &x;"),
    ("unsigned long x = 0;\nint g(void) { return x; }", "_Atomic unsigned long x = 0;\nint g(void) { return x; }"),
]
REFUSED = [
    "int x; void f(void) { int x; }",  # which one?
    "struct s { int x : 3; };",
    "_Atomic int x;",
    "atomic_int x;",
    "const int x = 3;",
    "int (*x)(void);",
    "void f(int x) { return; }",
    "int y = x;",
]


@pytest.mark.parametrize(("before", "after"), C)
def test_c(before: str, after: str) -> None:
    declared = CText(False).made_atomic(before, "x")
    assert declared is not None and apply(before, declared.edits) == after


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_certain_is_left_alone(text: str) -> None:
    assert CText(False).made_atomic(text, "x") is None


def test_cxx_loads_a_pointer_before_it_follows_it() -> None:
    text = "#include <thread>\nnode *x = nullptr;\nint f() { return x ? x->v : 0; }\n"
    declared = CText(True).made_atomic(text, "x")
    assert declared is not None
    assert apply(text, declared.edits) == (
        "#include <atomic>\n#include <thread>\nstd::atomic<node *> x = nullptr;\n"
        "int f() { return x ? x.load()->v : 0; }\n"
    )


def test_fp_accesses_are_plain_one_by_one() -> None:
    text = "var x\nthread t { x.na := 1; y.na := x.na; a[x.na].na := 2 } // x.na\n"
    declared = Pseudo().made_atomic(text, "x")
    assert declared is not None
    assert apply(text, declared.edits) == "var x\nthread t { x := 1; y.na := x; a[x].na := 2 } // x.na\n"
