"""The laboratory on a few seeds of each kind, and whether its machines are right where the answer is known.
`python tests/lab/campaign.py` runs for longer."""

from __future__ import annotations

import pytest
from kinds import kinds, machine_kind, shrink_little
from little import ORDERED, PLAIN, WEAK, Flavour, Little, Statement, little
from machines import outcomes
from mutants import ROOT, mutants

FEW = [k for k in kinds() if "from C" not in k.name]


@pytest.mark.parametrize("kind", FEW, ids=[f"{k.name} {k.model}" for k in FEW])
def test_every_kind_agrees(kind: object) -> None:
    for seed in range(500_000, 500_003):
        assert kind.judge(seed) is None  # type: ignore[attr-defined]


@pytest.mark.parametrize(("model", "flavour"), [("sc", PLAIN), ("rc11", WEAK)])
def test_machines_agree_with_the_checker_on_c(model: str, flavour: Flavour) -> None:
    judge = machine_kind(model, flavour, c="zig")
    assert [judge(seed) for seed in range(3)] == [None] * 3


def _store(x: str, value: int, mode: str) -> Statement:
    return Statement("store", location=x, value=value, mode=mode)


def _load(r: str, x: str, mode: str) -> Statement:
    return Statement("load", r, x, mode=mode)


BUFFERING = Little((
    (_store("x", 1, "relaxed"), _load("r1", "y", "relaxed")),
    (_store("y", 1, "relaxed"), _load("r1", "x", "relaxed")),
))  # fmt: skip
WRITES = Little((
    (_store("x", 1, "relaxed"), _store("y", 1, "relaxed")),
    (_load("r1", "y", "relaxed"), _load("r2", "x", "relaxed")),
))  # fmt: skip
PASSING = Little((
    (_store("x", 1, "relaxed"), _store("y", 1, "release")),
    (_load("r1", "y", "acquire"), _load("r2", "x", "relaxed")),
))  # fmt: skip


@pytest.mark.parametrize(
    ("program", "machine", "count"),
    [
        (BUFFERING, "sc", 3), (BUFFERING, "tso", 4), (BUFFERING, "ra", 4), (BUFFERING, "rc11", 4),
        (WRITES, "tso", 3), (WRITES, "pso", 4), (WRITES, "ra", 3), (WRITES, "rc11", 4), (PASSING, "rc11", 3),
    ],
)  # fmt: skip
def test_machines_on_what_is_known(program: Little, machine: str, count: int) -> None:
    assert len(outcomes(program, machine)) == count


def test_a_wrong_machine_is_found_and_the_program_made_small() -> None:
    """TSO held against SC: what is left of the first difference is two accesses in each of two threads."""
    different = (p for p in (little(s, PLAIN) for s in range(500)) if outcomes(p, "sc") != outcomes(p, "tso"))
    small = shrink_little(next(different), lambda p: outcomes(p, "sc") != outcomes(p, "tso"))
    assert len(small.threads) == 2
    assert len(small.statements()) == 4


def test_the_same_seed_gives_the_same_program() -> None:
    assert little(3, ORDERED) == little(3, ORDERED) != little(4, ORDERED)


def test_every_mutant_fits_the_sources() -> None:
    """A mutant that no longer fits is never run; `mutants.py` breaks, builds and asks."""
    assert [m.name for m in mutants() if not m.fits(ROOT)] == []
