"""Models and compilation schemes against each other: what a stronger model allows, a weaker one must.

Hardware within IMM is the correctness of the compilation schemes (Podkopaev, Lahav, Vafeiadis, POPL 2019), so these
inclusions hold the scheme, the hardware model and IMM to each other."""

from __future__ import annotations

from itertools import islice

import pytest

from fencepost.enumerate import enumerate_program
from fencepost.generate import litmus_tests
from fencepost.generate.random_programs import SHAPES, random_program
from fencepost.models.registry import find
from fencepost.prepare.ready import ready
from fencepost.program.program import Program

STRONGER_AND_WEAKER = [
    ("sc", "tso"), ("tso", "pso"), ("sc", "sra"), ("sra", "ra"), ("sc", "power"), ("sc", "armv8"), ("sc", "riscv"),
    ("armv7", "power"), ("rc11", "rc11-cpp20"), ("rc11", "imm"), ("tso", "imm"), ("power", "imm"), ("armv7", "imm"),
    ("armv8", "imm"), ("riscv", "imm"),
]  # fmt: skip
MODELS = sorted({m for pair in STRONGER_AND_WEAKER for m in pair})
PROGRAMS: list[Program] = [
    *(t.program() for t in islice(litmus_tests.family("c", 4), 0, None, 6)),
    *(random_program(seed, SHAPES["c11"], size=6) for seed in range(12)),
]


@pytest.mark.parametrize("part", range(4))
def test_what_the_stronger_allows_the_weaker_does(part: int) -> None:
    for program in PROGRAMS[part::4]:
        outcomes = {m: set(enumerate_program(ready(program, find(m)), find(m)).outcomes) for m in MODELS}
        for stronger, weaker in STRONGER_AND_WEAKER:
            extra = outcomes[stronger] - outcomes[weaker]
            assert not extra, f"{program.name}: {stronger} allows {min(extra)}, {weaker} does not"
