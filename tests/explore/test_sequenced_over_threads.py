"""Thread creation and joining are sequenced-before, also for the order of seq-cst accesses."""

from __future__ import annotations

import pytest

from fencepost import api
from fencepost.frontends.pseudo import read

JOINED = """var x, y
fn a() { local r; x.sc := 1; r := x.acq }
fn b() { y.sc := 1; FADD(x.sc, 0) }
thread Main { h := spawn a(); k := spawn b(); join(h); y.sc := 0 }
"""
SPAWNED = """var x, y
fn a() { local r; r := y.sc }
fn b() { y.sc := 1; r := x.sc }
thread Main { k := spawn b(); x.sc := 1; h := spawn a() }
"""


@pytest.mark.parametrize("source", [JOINED, SPAWNED], ids=["joined", "spawned"])
def test_seq_cst_accesses_follow_spawn_and_join(source: str) -> None:
    program = read(source, "threads.fp")
    assert api.check(program, model="rc11").executions == api.check(program, model="sc").executions
