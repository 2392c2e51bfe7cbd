"""Graphs that no model may allow, whoever made them: engines never build some of them, so no comparison of engines asks
the models about them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fencepost.enumerate import enumerate_program
from fencepost.execution.execution import Execution
from fencepost.frontends.pseudo import read
from fencepost.models.registry import find, names
from fencepost.program.passes.mapping import map_for_model

UPDATE = "var x\nthread P { r := XCHG(x.rlx, 1) }\nthread Q { x.rlx := 2 }\nobserve P:r, x\n"


def updated(model: str) -> Execution:
    """An execution in which the update comes first."""
    program = map_for_model(read(UPDATE, "t.fp"), model)
    return next(x for x in enumerate_program(program, find(model)).complete if x.outcome["P:r"] == 0)


@pytest.mark.parametrize("model", [n for n in names() if n not in ("wrc11", "lkmm")])
def test_nothing_comes_between_an_update_and_what_it_read(model: str) -> None:
    execution = updated(model)
    assert find(model).judge(execution).consistent
    (address, (first, *later)) = next(iter(execution.coherence.items()))
    assert len(later) == 2
    turned = replace(execution, coherence={**execution.coherence, address: (first, *reversed(later))})
    assert not find(model).judge(turned).consistent
