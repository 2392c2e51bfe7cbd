"""The search against trying every assignment: the same cost, and more order never breaks anything."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from programs import random_program
from spaces import brute, count, space_of

from fencepost.repair.search import Ending, search

MODELS = ("rc11", "rc11-cpp20", "ra", "sra", "imm", "tso", "pso", "power", "armv8", "armv7", "riscv")


def compare(rng: Random, model: str, folder: Path, most: int) -> bool:
    """One random program; false where it says nothing."""
    path = folder / "program.fp"
    if not random_program(rng, model, path):
        return False
    only = rng.choice(("accesses", "fences"))
    space, explorer = space_of(path, model, only)
    if not space.atoms or count(space) > most:
        return False
    found = search(space, explorer)
    best, broken = brute(space, explorer)
    assert not broken, f"{path.read_text()}\n{broken}"
    assert found.ending is (Ending.NONE if best is None else Ending.FOUND), path.read_text()
    if best is not None:
        assert space.cost(found.chosen) == best, f"{path.read_text()} {only} {model}"
    return True


@pytest.mark.parametrize("model", MODELS)
def test_the_search_finds_what_trying_everything_finds(model: str, tmp_path: Path) -> None:
    rng = Random(5)
    done = sum(compare(rng, model, tmp_path, 30) for _ in range(8))
    assert done or model in ("ra", "sra", "tso"), "the programs should say something about this model"


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("seed", range(10))
def test_the_search_finds_what_trying_everything_finds_on_many_programs(model: str, seed: int, tmp_path: Path) -> None:
    rng = Random(1000 + seed)
    done, tried = 0, 0
    while done < 20 and tried < 400:
        tried += 1
        done += compare(rng, model, tmp_path, 300)
