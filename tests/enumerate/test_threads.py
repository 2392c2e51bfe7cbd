"""Threads that are spawned and joined: the same graphs as the explorer, under every model that it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import explore
from fencepost.enumerate import enumerate_program
from fencepost.frontends.pseudo import read
from fencepost.generate.random_programs import SHAPES, random_program
from fencepost.models.registry import find, names
from fencepost.prepare.ready import ready

PROGRAM = read(
    """
    var x, y
    fn child(k) { x := k; r := y; return r + k }
    thread main { local a, b, t1, t2
      y := 1
      t1 := spawn child(1)
      t2 := spawn child(2)
      y := 2
      a := join(t1)
      b := join(t2)
      c := x }
    observe main:a, main:b, main:c
    """,
    "threads.fp",
)


@pytest.mark.parametrize("name", names())
def test_what_is_spawned_sees_the_past_and_what_joins_sees_it_all(name: str) -> None:
    """Each child reads y = 1 or 2 after the parent's first write; the parent never reads x = 0 after the joins."""
    model = find(name)
    found = enumerate_program(ready(PROGRAM, model), model)
    assert (len(found.complete), len(found.blocked)) == (8, 0)
    if explore.knows(model) and name in ("sc", "tso", "pso", "ra", "rc11", "rc11-cpp20"):
        explored = {e.canonical() for e in explore.executions(PROGRAM, model)}
        assert explored == {e.canonical() for e in found.complete}


def test_a_thread_that_is_never_joined_by_a_blocked_one() -> None:
    program = read(
        "var x\n fn child() { wait(x == 1) }\n thread main { local t\n t := spawn child()\n r := join(t) }", "t.fp"
    )
    found = enumerate_program(program, find("sc"))
    assert (len(found.complete), len(found.blocked)) == (0, 1)
    assert set(found.blocked[0].blocked) == {0, 1}


@pytest.mark.parametrize("name", ["sc", "tso", "pso", "ra", "rc11", "rc11-cpp20"])
@pytest.mark.parametrize("shape", ["c11", "relaxed", "ra"])
def test_the_same_graphs_and_blocked_executions_as_the_explorer(shape: str, name: str) -> None:
    model = find(name)
    for seed in range(12):
        program = random_program(seed, SHAPES[shape], size=7)
        found = enumerate_program(ready(program, model), model)
        explored = explore.outcomes(program, model)
        assert {e.canonical() for e in explore.executions(program, model)} == {e.canonical() for e in found.complete}
        assert (explored.executions, explored.blocked) == (len(found.complete), len(found.blocked)), f"seed {seed}"


def test_a_wait_for_what_is_gone_is_a_deadlock() -> None:
    """It could have been served earlier, but whoever looks at the end never goes on."""
    program = read("var x = 2\n thread A { x := 0 }\n thread B { wait(x == 2) }", "t.fp")
    found = enumerate_program(program, find("sc"))
    assert (len(found.complete), len(found.blocked)) == (1, 1)


def test_a_model_that_knows_no_threads_gets_them_as_program_order(tmp_path: Path) -> None:
    """Otherwise every model written for herd would find a race between a child and who joined it."""
    (tmp_path / "m.cat").write_text("acyclic po-loc | rf | co | fr\nacyclic po | rf\n")
    found = enumerate_program(PROGRAM, find(tmp_path / "m.cat"))
    assert len(found.complete) == 8
