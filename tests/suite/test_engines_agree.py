"""The explorer and enumeration count the same executions and reach the same states.

A sample by default; FENCEPOST_LONG=1 runs every test of the corpus that both engines can treat and 2000 generated tests
per model.
"""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import islice

import pytest

from corpus import litmus_files, needs_corpus
from fencepost import explore
from fencepost.explore.driver import knows
from fencepost.frontends.litmus import read
from fencepost.generate.litmus_tests import family
from fencepost.generate.random_programs import SHAPES, random_program
from fencepost.models.registry import find
from fencepost.options import ExploreOptions
from fencepost.program.program import Program
from fencepost.reasons import nothing_completes
from fencepost.suite.engine import enumerated

LONG = bool(os.environ.get("FENCEPOST_LONG"))
STEP = 1 if LONG else 9
#: Model, then the architecture of generated cycles and the shape of random programs that it judges.
MODELS = [m for m in (("sc", "c", "c11"), ("tso", "x86", "x86"), ("pso", "x86", "x86"), ("ra", "c", "ra"),
                      ("rc11", "c", "c11"), ("power", "ppc", "power"), ("armv8", "aarch64", "armv8"),
                      ("riscv", "riscv", "riscv")) if knows(m[0])]  # fmt: skip


def assert_agree(program: Program, model: str) -> None:
    options = ExploreOptions(model=model)
    fast = explore.outcomes(program, find(model), options)
    slow = enumerated(program, find(model), options)
    assert fast.reason == slow.reason
    assert fast.reasons in ((), (nothing_completes(),))
    assert dict(fast.states) == dict(slow.states), program.name
    assert (fast.executions, fast.blocked) == (slow.executions, slow.blocked), program.name


def test_what_follows_a_failed_store_conditional_may_come_before_its_load() -> None:
    """The failure depends on nothing, so the store of 1 + failure may be read before the load-reserve happens."""
    text = (
        "RISCV LB+fail\n{ 0:x7=x; 0:x8=y; 1:x7=x; 1:x8=y; }\n P0 | P1 ;\n lr.w x1,0(x7) | lw x4,0(x8) ;\n"
        " sc.w x2,x1,0(x7) | sw x4,0(x7) ;\n addi x3,x2,1 | ;\n sw x3,0(x8) | ;\n"
        "exists (0:x1=2 /\\ 0:x2=1 /\\ 1:x4=2)\n"
    )
    program = read(text, "t")
    assert_agree(program, "riscv")
    assert enumerated(program, find("riscv"), ExploreOptions(model="riscv")).holds


def test_annotations_of_riscv() -> None:
    """amoadd.rl: not only its write but also its read comes after whatever is before it. A plain store that releases
    may be overtaken by a load that acquires: those annotations are RCpc."""
    shape = replace(
        SHAPES["riscv"], threads=(2, 2), locations=(2, 3), values=1, initial=False, fence=1, rmw=2, branches=1,
        stores=9, exclusives=0, arithmetic=0, address_dependencies=0,
    )  # fmt: skip
    for seed in (142, 5590, *range(20)):
        assert_agree(random_program(seed, shape, size=9), "riscv")


CORPUS = [("X86", "tso"), ("C11", "rc11"), ("PPC", "power"), ("RISCV", "riscv"), ("AARCH64", "armv8")]


@needs_corpus
@pytest.mark.corpus
@pytest.mark.parametrize(("folder", "model"), CORPUS)
def test_on_the_corpus(folder: str, model: str) -> None:
    if not knows(model):
        pytest.skip(f"the explorer has no {model}")
    # accesses of different sizes that meet are not for the core
    paths = [p for p in litmus_files(folder) if "mixed" not in p.parts]
    for path in paths[:: STEP * (6 if folder in ("PPC", "RISCV", "AARCH64") and not LONG else 1)]:
        assert_agree(read(path.read_text(), path.name), model)


@pytest.mark.parametrize(("model", "arch", "_shape"), MODELS)
def test_on_generated_cycles(model: str, arch: str, _shape: str) -> None:
    edges = "Rfe Fre Coe Pod** Rmw" if model == "ra" else None  # the explorer's RA has no fences
    for test in islice(family(arch, 6 if LONG else 4, edges), 0, 1000 if LONG else None, STEP):
        assert_agree(test.program(), model)


@pytest.mark.parametrize(("model", "_arch", "shape"), MODELS)
def test_on_random_programs(model: str, _arch: str, shape: str) -> None:
    for seed in range(1000 if LONG else 25):
        assert_agree(random_program(seed, SHAPES[shape], size=5), model)
