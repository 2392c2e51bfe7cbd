"""Random programs are valid, repeat by seed, and contain what their shape promises."""

from __future__ import annotations

from collections import Counter

import pytest

from fencepost.generate.random_programs import C11, SHAPES, random_program
from fencepost.program.instructions import Await, BlockingCas, Branch, Cas, Fence, Load, Rmw, Store, StoreConditional
from fencepost.program.printer import print_program
from fencepost.program.reader import read_program

VISIBLE = (Load, Store, Fence, Rmw, Cas, Await, BlockingCas, StoreConditional)


def kinds(program: object) -> Counter[type]:
    return Counter(type(i) for f in program.functions for i in f.code)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", SHAPES)
def test_they_survive_the_text_form_and_repeat(name: str) -> None:
    for seed in range(40):
        program = random_program(seed, SHAPES[name])
        assert read_program(print_program(program)) == program == random_program(seed, SHAPES[name])


@pytest.mark.parametrize("size", [2, 4, 8])
def test_size_bounds_the_visible_instructions(size: int) -> None:
    for seed in range(60):
        found = kinds(random_program(seed, SHAPES["power-exclusive"], size=size))
        threads = len(random_program(seed, SHAPES["power-exclusive"], size=size).threads)
        assert sum(found[k] for k in VISIBLE) <= max(size, threads) + threads


def test_c11_programs_contain_everything() -> None:
    found = sum((kinds(random_program(seed, C11)) for seed in range(200)), Counter())
    for kind in (Load, Store, Fence, Rmw, Cas, Await, BlockingCas, Branch):
        assert found[kind] > 10, kind


def test_branches_skip_something_and_stay_inside() -> None:
    taken = Counter(
        b.otherwise - index
        for seed in range(300)
        for f in random_program(seed).functions
        for index, b in enumerate(f.code)
        if isinstance(b, Branch)
    )
    assert all(jump >= 1 for jump in taken) and sum(taken[j] for j in taken if j > 1) > 20
