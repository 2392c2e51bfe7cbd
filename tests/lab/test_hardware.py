"""The campaign of hardware models, a little of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from hardware import KINDS, MODELS, compare, explored, kinds_of, program_of, run

from fencepost.explore import native
from fencepost.explore.engines import TUNED_MODELS, engine_of
from fencepost.models.registry import find

#: Programs of which executions were lost once.
LOST = {"imm": (62, 1611, 2397, 2467), "armv7": (1050, 1295, 1765, 1921, 1942)}


@pytest.mark.parametrize("model", LOST)
def test_what_was_lost_once_is_found(model: str) -> None:
    for seed in LOST[model]:
        found = compare(program_of(model, "loops", seed), model)
        assert found is not None and found.equal, (seed, str(found))


@pytest.mark.parametrize("model", MODELS)
def test_explorer_and_enumeration_find_the_same_executions(model: str) -> None:
    total = run([model], list(KINDS), 500_000, 600, 5)[model]
    assert total.programs >= 30 and total.sums["executions"] > 100 and total.bad == []


@pytest.mark.parametrize("model", TUNED_MODELS)
def test_a_tuned_judge_says_what_the_models_file_says(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = set(range(510_000, 510_005)) - {510_003}  # of which one program takes minutes under armv7
    programs = [program_of(model, kind, seed) for seed in sorted(seeds) for kind in kinds_of(model)]
    programs = [p for p in programs if engine_of(find(model), p).explores]
    tuned = [explored(program, model) for program in programs]
    monkeypatch.setattr(native, "TUNED_MODELS", ())
    assert tuned == [explored(program, model) for program in programs]
    assert sum(found.total() for found, _, _ in tuned) > 300 and sum(dead for _, _, dead in tuned) > 5


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_explorer_and_enumeration_find_the_same_executions_in_many_programs(model: str) -> None:
    total = run([model], list(KINDS), 600_000, 3600, 3000)[model]
    assert total.programs >= 20_000 and total.bad == []
