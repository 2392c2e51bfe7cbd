"""A robust program is explored under SC only, and the answer is that of the whole exploration."""

from __future__ import annotations

import pytest

import fencepost
from fencepost.errors import UsageError
from fencepost.frontends.pseudo import read as read_fp
from fencepost.generate.random_programs import C11, random_program
from fencepost.verdict import Answer

MANY = "var x\nthread T(i in 1..4) { r := FADD(x, 1); s := x.acq; assert(s > r) }\n"
WEAK = (
    "var x, y\nthread A { x.rlx := 1; y.rlx := 1 }\nthread B { r := y.rlx; if r == 1 { s := x.rlx; assert(s == 1) } }\n"
)


def test_a_robust_program_goes_by_way_of_sc() -> None:
    verdict = fencepost.check(read_fp(MANY, "many.fp"), model="rc11", via_robustness=True)
    whole = fencepost.check(read_fp(MANY, "many.fp"), model="rc11")
    assert verdict.answer is whole.answer is Answer.PASS
    assert (verdict.extra["via"], verdict.model) == ("robustness", "rc11")
    assert verdict.reason.startswith("robust against rc11")


def test_another_program_is_explored_under_its_model() -> None:
    verdict = fencepost.check(read_fp(WEAK, "mp.fp"), model="rc11", via_robustness=True)
    assert (verdict.answer, verdict.extra["via"]) == (Answer.FAIL, "exploration")
    assert verdict.witness is not None and verdict.witness.model == "rc11"


def test_models_that_nobody_decides_robustness_against() -> None:
    with pytest.raises(UsageError, match="not power"):
        fencepost.check(read_fp(MANY, "many.fp"), model="power", via_robustness=True)
    with pytest.raises(UsageError, match="--unroll"):
        fencepost.check(read_fp(MANY, "many.fp"), model="rc11", via_robustness=True, unroll=3)


@pytest.mark.parametrize("model", ["rc11", "tso", "ra"])
def test_the_answers_of_random_programs(model: str) -> None:
    ways = set()
    for seed in range(60):
        program = random_program(seed, C11)
        whole = fencepost.check(program, model=model, fix=False)
        short = fencepost.check(program, model=model, fix=False, via_robustness=True)
        assert (short.answer, short.model) == (whole.answer, model), seed
        ways.add(short.extra["via"])
    assert ways == {"robustness", "exploration"}
