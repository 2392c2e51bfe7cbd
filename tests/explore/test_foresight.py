"""Of which compare-exchanges the explorer chooses the success before they read: of few."""

from __future__ import annotations

import pytest

from fencepost.explore.foresight import foreseen
from fencepost.frontends import read_text

BEFORE = "var x, y\nthread P { "


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("a := CAS(y, 1, 0); s := y", 1),
        ("a := CAS(y, 1, 0); s := x", 0),
        ("a := CAS(y, 1, 0); if (a) { x := 1 }; s := y", 0),
        ("b := x; a := CAS(y, 1, 0); if (b) { x := 1 }; s := y", 1),
        ("a := CAS(y, 1, 0); dmb.sy; s := y", 0),
        ("a := CAS(y, 1, 0); dmb.st; s := y", 1),
        ("a := CAS(y.acq, 1, 0); s := y", 0),
        ("a := CAS(y, 1, 0); s := y.acq", 0),
        ("a := CAS(y, 1, 0); b := CAS(y, 0, 1)", 1),
    ],
)
def test_where_a_later_read_may_see_what_it_wrote(code: str, wanted: int) -> None:
    program = read_text(BEFORE + code + " }\n")
    assert len(foreseen(program, "armv8")) == wanted
    assert foreseen(program, "power") == []


def test_modes_order_nothing_under_armv7() -> None:
    program = read_text(BEFORE + "a := CAS(y.acq, 1, 0); s := y.acq }\n")
    assert (len(foreseen(program, "armv8")), len(foreseen(program, "armv7"))) == (0, 1)
