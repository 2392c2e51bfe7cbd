"""The search against trying every assignment: the same cost, and more order never breaks anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from brute_force import MODELS, ROBUST, run


def differences(model: str, programs: int, seed: int, most: int, folder: Path) -> list[str]:
    row = run(model, programs, seed, most, folder)
    assert row.programs or model in ("ra", "sra", "tso"), "the programs should say something about this model"
    return row.differences


@pytest.mark.parametrize("model", MODELS)
def test_the_search_finds_what_trying_everything_finds(model: str, tmp_path: Path) -> None:
    assert differences(model, 3, 5, 30, tmp_path) == []


@pytest.mark.parametrize("model", ROBUST)
def test_the_cheapest_way_to_be_robust_is_found(model: str, tmp_path: Path) -> None:
    row = run(model, 2, 3, 60, tmp_path, robust=True)
    assert row.programs and row.differences == []


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("seed", range(10))
def test_the_search_finds_what_trying_everything_finds_on_many_programs(model: str, seed: int, tmp_path: Path) -> None:
    assert differences(model, 20, 1000 + seed, 300, tmp_path) == []
