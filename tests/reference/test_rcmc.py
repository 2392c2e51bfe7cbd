"""RCMC's own algorithm finds what TruSt finds; twice only where the paper says so."""

from __future__ import annotations

from dataclasses import replace

import pytest
from paper_programs import X, ainc, binc, casrot, casw, fetch_add, program, read, readers, store_buffering, write

from fencepost.generate.random_programs import C11, RELAXED, random_program
from fencepost.program.instructions import Mode
from fencepost.program.program import Program
from fencepost.reference import rcmc, trust


@pytest.mark.parametrize(
    ("p", "expected"),
    [(readers(4), 16), (casrot(4), 14), (ainc(4), 24), (binc(3), 36), (casw(3), 66), (store_buffering(Mode.SC), 3)],
    ids=["readers", "casrot", "ainc", "binc", "casw", "sb-sc"],
)
def test_counts(p: Program, expected: int) -> None:
    assert len(rcmc.explore(p).seen) == expected


def test_weak_rc11_needs_no_coherence_order() -> None:
    assert [len(rcmc.explore(casw(n), "wrc11").seen) for n in (3, 4)] == [24, 200]


def test_the_papers_example_of_a_duplicate() -> None:
    """§4.6: two increments and a write of 42."""
    found = rcmc.explore(program([fetch_add(X)], [fetch_add(X)], [write(X, 42)]))
    assert found.duplicates > 0
    assert found.seen == trust.explore(program([fetch_add(X)], [fetch_add(X)], [write(X, 42)]), "rc11").seen


def test_optimal_without_read_modify_writes_and_sc() -> None:
    shape = {"rmw": 0, "cas": 0, "blocking_cas": 0, "awaits": 0}
    for seed in range(40):
        p = random_program(seed, replace(RELAXED, **shape), size=6)
        found = rcmc.explore(p)
        assert found.duplicates == 0, f"seed {seed}"
        assert found.seen == trust.explore(p, "rc11").seen, f"seed {seed}"


@pytest.mark.parametrize("model", ["rc11", "rc11-cpp20", "wrc11"])
def test_the_same_executions_as_trust(model: str) -> None:
    for seed in range(60):
        p = random_program(seed, C11, size=5)
        complete = {x.canonical() for x in rcmc.explore(p, model).complete}
        assert complete == {x.canonical() for x in trust.explore(p, model).complete}, f"seed {seed}"


def test_coherence_of_reads() -> None:
    p = program([read(0, X), read(1, X)], [write(X, 1)])
    values = {tuple(e.value for e in x.events if e.is_read) for x in rcmc.explore(p).complete}
    assert values == {(0, 0), (0, 1), (1, 1)}
