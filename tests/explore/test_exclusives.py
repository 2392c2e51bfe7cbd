"""Exclusive pairs under models whose hand-tuned checkers do not know them: their plan is run instead."""

from __future__ import annotations

import pytest

from fencepost.explore import outcomes
from fencepost.frontends import read_text
from fencepost.models.registry import find
from fencepost.options import ExploreOptions
from fencepost.suite.engine import enumerated

PROGRAMS = {
    "counter": "var x\nthread T(i in 1..2) { r := LDX(x); ok := STX(x, r + 1) }\nobserve x, T1:ok, T2:ok",
    "elsewhere": "var x, y\nthread P { r := LDX(x); ok := STX(y, r + 1) }\nthread Q { x := 2 }\nobserve P:ok, P:r, y",
    "between": "var x\nthread P { r := LDX(x); x := 5; ok := STX(x, r + 1) }\nthread Q { x := 2 }\nobserve P:ok, x",
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("model", ["sc", "tso", "pso", "ra", "rc11", "rc11-cpp20", "wrc11"])
def test_the_explorer_agrees_with_enumeration(name: str, model: str) -> None:
    program, options = read_text(PROGRAMS[name]), ExploreOptions(model=model)
    explored, listed = outcomes(program, model, options), enumerated(program, find(model), options)
    assert not explored.reason and explored.executions == listed.executions > 0
    assert explored.states == listed.states
    assert explored.why
