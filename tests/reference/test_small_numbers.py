"""The papers' small counts by the reference algorithms and by enumeration."""

from __future__ import annotations

import pytest

from fencepost.enumerate import enumerate_program
from fencepost.models.registry import find
from fencepost.program.passes.mapping import map_for_model
from fencepost.program.passes.unroll import LoopBounds, unroll
from fencepost.program.program import Program
from fencepost.reference import trust, trust_cb
from numbers_table import Count, counts

SMALL = [c for c in counts() if c.executions <= 100]


def prepared(case: Count) -> Program:
    return map_for_model(unroll(case.read(), LoopBounds(None)), case.model)


@pytest.mark.parametrize("case", [c for c in SMALL if c.program not in ("indexer", "sb+10w")], ids=str)
def test_by_the_reference(case: Count) -> None:
    p = prepared(case)
    found = trust_cb.explore(p) if case.model == "power" else trust.explore(p, case.model)
    assert (len(found.complete), found.duplicates) == (case.executions, 0)


@pytest.mark.parametrize("case", [c for c in SMALL if c.program in ("corr2", "co2rrw", "lb+data", "casrot")], ids=str)
def test_by_enumeration(case: Count) -> None:
    if case.executions <= 72:
        assert len(enumerate_program(prepared(case), find(case.model)).complete) == case.executions
