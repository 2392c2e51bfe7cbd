"""Explorer, reference and enumeration give the same executions on random programs (`compare.py` runs for longer)."""

from __future__ import annotations

import pytest
from oracles import compare, instructions, shrink

from fencepost.explore import executions
from fencepost.frontends.pseudo import read
from fencepost.generate.random_programs import SHAPES, random_program
from fencepost.program import instructions as ins
from fencepost.reference import trust

PLANS = [
    ("c11", 45, ("sc", "tso", "pso", "ra", "rc11", "rc11-cpp20", "wrc11")),
    ("relaxed", 20, ("rc11", "wrc11")),
    ("x86", 20, ("sc", "tso", "pso")),
    ("power", 40, ("power",)),
    ("power-exclusive", 25, ("power",)),
    ("c11", 25, ("power",)),
    ("armv8", 25, ("armv8",)),
    ("riscv", 25, ("riscv",)),
]


@pytest.mark.parametrize(
    ("shape", "seed", "models"),
    [(shape, first, models) for shape, count, models in PLANS for first in range(0, count, 5)],
)
def test_the_three_agree(shape: str, seed: int, models: tuple[str, ...]) -> None:
    for s in range(seed, seed + 5):
        program = random_program(s, SHAPES[shape], size=5)
        for model in models:
            found = compare(program, model)
            assert found is None, f"seed {s}, {found}"


@pytest.mark.parametrize(("shape", "count"), [("blocks", 30), ("blocks-relaxed", 30), ("blocks-racy", 10)])
def test_atomic_blocks_are_explored_as_they_are_enumerated(shape: str, count: int) -> None:
    for s in range(count):
        program = random_program(s, SHAPES[shape], size=5)
        for model in ("sc", "tso", "pso", "ra", "rc11"):
            found = compare(program, model, ("explorer", "enumeration"))
            assert found is None, f"seed {s}, {found}"


def test_a_broken_way_is_found_and_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison itself: a reference that never revisits must be caught, and shrunk to a read and a write."""
    monkeypatch.setattr(trust.Trust, "maximal", lambda *_: False)
    ways = ("reference", "enumeration")
    seed = next(s for s in range(100) if compare(random_program(s, SHAPES["relaxed"]), "rc11", ways))
    small = shrink(random_program(seed, SHAPES["relaxed"]), "rc11", ways)
    left = [i for i in instructions(small) if not isinstance(i, ins.Return)]
    assert len(left) == 2
    assert any(isinstance(i, ins.Store | ins.Rmw) for i in left)


@pytest.mark.parametrize("model", ["tso", "pso"])
def test_a_compare_exchange_drains_the_buffer_also_where_it_fails(model: str) -> None:
    """Store buffering whose loads are compare-exchanges that fail: x86 locks the instruction either way."""
    program = random_program(2492, SHAPES["c11"])
    assert compare(program, model) is None


def test_release_acquire_orders_sc_fences_and_lets_non_atomics_synchronise_nothing() -> None:
    """Store buffering with fences, and random-96, where an acquire reads what a non-atomic write comes after."""
    fenced = read(
        "var x, y\nthread A { x := 1; fence.sc; r := y }\nthread B { y := 1; fence.sc; r := x }\n", "sb+fences.fp"
    )
    assert compare(fenced, "ra") is None
    assert len(list(executions(fenced, "ra"))) == 3
    assert compare(random_program(96, SHAPES["c11-racy"]), "ra") is None
