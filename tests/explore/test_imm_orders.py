"""What IMM forbids by one of its orders alone: with that order the value cannot come round, and without it it can."""

from __future__ import annotations

import pytest

from fencepost.explore.driver import explore
from fencepost.frontends.pseudo import read
from fencepost.options import CheckOptions
from fencepost.verdict import Answer

#: Each with what takes the order away, as text to be replaced.
FORBIDDEN = {
    "fences in one order": (
        """var x, y, z
        thread P { y := 1; fence.sc; x := 1 }
        thread Q { r := x; z := r }
        thread R { s := z; fence.sc; a := y; assert(s == 0 || a == 1) }""",
        ("thread R { s := z; fence.sc;", "thread R { s := z;"),
    ),
    "a detour": (
        """var x, y, z
        thread P { a := x; y := a + 10; b := y; z := b; assert(a != 2) }
        thread Q { y := 2 }
        thread R { c := z; x := c }""",
        ("y := a + 10", "y := 10"),
    ),
    "a detour over two writes": (
        """var x, y, z
        thread P { a := x; y := a + 10; y := 20; b := y; z := b; assert(a != 2) }
        thread Q { y := 2 }
        thread R { c := z; x := c }""",
        ("y := a + 10", "y := 10"),
    ),
    "what is forwarded": (
        """var x, y, z
        thread P { a := x; y := a; b := y; z := 1 + b - b; assert(a != 1) }
        thread R { c := z; x := c }""",
        ("y := a", "y := 3"),
    ),
    "a release and the next write of its place": (
        """var x, y
        thread P { a := x; y.rel := 1; y := 2; assert(a != 1) }
        thread Q { b := y; x := b - 1 }""",
        ("y.rel := 1", "y := 1"),
    ),
    "a release and the write after the next": (
        """var x, y
        thread P { a := x; y.rel := 1; y := 2; y := 3; assert(a != 2) }
        thread Q { b := y; x := b - 1 }""",
        ("y.rel := 1", "y := 1"),
    ),
    "what decides an exchange": (
        """var x, y, z
        thread P { a := x; _ := CAS(y, a - 1, 5); z := 1; assert(a != 1) }
        thread Q { c := z; x := c }""",
        ("a - 1", "0"),
    ),
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_one_order_alone_forbids(name: str) -> None:
    text, (ordered, loose) = FORBIDDEN[name]
    assert ordered in text
    options = CheckOptions(model="imm", fix=False)
    forbidden, allowed = (explore(read(t, "a.fp"), "imm", options) for t in (text, text.replace(ordered, loose)))
    assert (forbidden.answer, allowed.answer) == (Answer.PASS, Answer.FAIL), (forbidden.reason, allowed.reason)
