"""Known cheapest repairs."""

from __future__ import annotations

import pytest
from spaces import CASES, space_of

from fencepost.repair.search import Ending, search

MINIMA = [
    ("mp", "rc11", "accesses", 4), ("mp", "rc11", "fences", 6), ("mp", "armv8", "accesses", 4),
    ("mp", "power", "accesses", 4), ("mp", "power", "fences", 10), ("mp", "armv8", "fences", 8),
    ("mp", "riscv", "fences", 8), ("mp", "tso", "", 0), ("mpna", "rc11", "", 4),
    ("sb", "rc11", "accesses", 24), ("sb", "rc11", "fences", 26), ("sb", "tso", "fences", 20),
    ("sb", "power", "fences", 22), ("sb", "armv8", "accesses", 8),
    ("iriw", "rc11", "accesses", 36), ("iriw", "rc11", "fences", 26), ("iriw", "rc11", "", 26),
    ("iriw", "power", "fences", 22), ("iriw", "armv8", "accesses", 4), ("iriw", "tso", "", 0),
    ("tas", "rc11", "accesses", 4), ("tas", "power", "fences", 10), ("tas", "armv8", "fences", 8),
    ("ticket", "rc11", "accesses", 4), ("peterson", "tso", "fences", 20), ("peterson2", "tso", "fences", 20),
    ("petersonna", "rc11", "accesses", 40), ("peterson2", "rc11", "accesses", 44),
    ("petersonna", "armv8", "accesses", 12), ("petersonna", "power", "accesses", 28),
    ("dekker", "rc11", "accesses", 28), ("dekker2", "rc11", "accesses", 40), ("dekker", "tso", "fences", 20),
    ("dekker", "armv8", "accesses", 12), ("mcs", "rc11", "accesses", 16), ("mcs2", "rc11", "accesses", 16),
    ("mp", "lkmm", "accesses", 4), ("mp", "lkmm", "fences", 6), ("mpna", "lkmm", "", 4), ("sb", "lkmm", "", 26),
    ("iriw", "lkmm", "fences", 26), ("tas", "lkmm", "accesses", 4),
]  # fmt: skip


@pytest.mark.parametrize(("name", "model", "only", "cost"), MINIMA)
def test_the_cheapest_repair_is_the_known_one(name: str, model: str, only: str, cost: int) -> None:
    space, explorer = space_of(CASES / f"{name}.fp", model, only)
    found = search(space, explorer)
    assert found.ending is Ending.FOUND
    assert space.cost(found.chosen) == cost
