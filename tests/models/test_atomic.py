"""Atomic blocks: what stands inside one cannot be split by another thread, under any model."""

from __future__ import annotations

import pytest

from fencepost.enumerate import enumerate_program
from fencepost.frontends.pseudo import read
from fencepost.models.registry import find, names
from fencepost.program.passes.mapping import map_for_model

LOST_UPDATE = """
var x
thread A { atomic { a := x; x := a + 1 } }
thread B { atomic { b := x; x := b + 1 } }
observe x
"""


@pytest.mark.parametrize("model", [n for n in names() if n != "wrc11"])
def test_no_update_is_lost(model: str) -> None:
    found = enumerate_program(map_for_model(read(LOST_UPDATE, "t.fp"), model), find(model))
    assert {dict(o)["x"] for o in found.outcomes} == {2}
    assert len(found.complete) == 2


def test_without_blocks_an_update_is_lost() -> None:
    text = LOST_UPDATE.replace("atomic {", "").replace("} }", "}")
    found = enumerate_program(read(text, "t.fp"), find("sc"))
    assert {dict(o)["x"] for o in found.outcomes} == {1, 2}
