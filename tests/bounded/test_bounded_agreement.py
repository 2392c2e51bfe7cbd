"""Translation + SMT ⇔ the operational machine, on generated programs. `python tests/bounded/long_run.py` does more."""

from __future__ import annotations

from dataclasses import replace

import pytest
from agreement import POWER_FENCES, disagreement, with_assertion

from fencepost.generate.random_programs import POWER, POWER_EXCLUSIVE, RELAXED, random_program

PLAIN = replace(POWER, fences=POWER_FENCES, threads=(2, 3))
EXCLUSIVE = replace(POWER_EXCLUSIVE, fences=POWER_FENCES, threads=(2, 2))
RMW = replace(RELAXED, threads=(2, 2), rmw=6, cas=3, loads=4, stores=4)


@pytest.mark.parametrize("seed", range(36))
def test_plain_programs(seed: int) -> None:
    program = random_program(seed, PLAIN, size=4)
    assert disagreement(program, 4, open_schedule=seed % 2 == 0) is None


@pytest.mark.parametrize("seed", range(12))
def test_assertions(seed: int) -> None:
    program = with_assertion(random_program(seed, PLAIN, size=4), seed)
    assert disagreement(program, 4, open_schedule=seed % 2 == 0) is None


@pytest.mark.parametrize("seed", range(8))
def test_reservations(seed: int) -> None:
    assert disagreement(random_program(seed, EXCLUSIVE, size=3), 4, open_schedule=seed % 2 == 0) is None


@pytest.mark.parametrize("seed", range(8))
def test_read_modify_writes(seed: int) -> None:
    assert disagreement(random_program(seed, RMW, size=3), 3, open_schedule=seed % 2 == 0) is None


@pytest.mark.parametrize("seed", range(3))
def test_the_other_solver(seed: int) -> None:
    pytest.importorskip("z3")
    assert disagreement(random_program(seed, PLAIN, size=4), 3, open_schedule=True, backend="z3") is None
