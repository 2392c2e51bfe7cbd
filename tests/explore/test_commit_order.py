"""Models that let events commit out of program order: the explorer against enumeration on random programs of the shapes
in which an order of exploration loses executions, or finds one twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from fencepost.enumerate.enumeration import Status, enumerate_all
from fencepost.explore.driver import outcomes
from fencepost.generate.random_programs import SHAPES, Shape, random_program
from fencepost.models.registry import find
from fencepost.options import ExploreOptions
from fencepost.prepare.ready import ready
from fencepost.program.instructions import Mode
from fencepost.program.program import Program

State = tuple[tuple[str, int], ...]
MODELS = ("power", "armv8", "riscv", "armv7", "imm")
KINDS = ("compares", "forwards", "buffers", "exclusives", "waits")


def _shape(model: str, kind: str) -> Shape:
    base = SHAPES["c11" if model == "imm" else "armv8" if model == "armv7" else model]
    if model == "armv7":  # which knows no modes
        base = replace(base, load_modes=(Mode.RLX,), store_modes=(Mode.RLX,), rmw_modes=(Mode.RLX,))
    few = replace(base, values=1, initial=False, awaits=0, blocking_cas=0, exclusives=0)
    relaxed = replace(
        few,
        load_modes=(Mode.RLX,) * 6 + tuple(base.load_modes),
        store_modes=(Mode.RLX,) * 4 + tuple(base.store_modes),
    )
    match kind:
        case "compares":
            return replace(few, threads=(2, 3), locations=(2, 3), cas=4, rmw=1, branches=2, loads=8, stores=9)
        case "forwards":
            return replace(relaxed, threads=(2, 2), locations=(2, 3), fence=0, cas=0, rmw=2, loads=10, stores=10)
        case "buffers":
            return replace(relaxed, threads=(3, 3), locations=(2, 3), fence=1, cas=1, rmw=1, loads=9, stores=9)
        case "exclusives":
            return replace(few, threads=(2, 3), locations=(1, 3), exclusives=6, fence=2)
        case _:
            return replace(base, awaits=3, blocking_cas=2)


def _program(model: str, kind: str, seed: int) -> Program:
    return random_program(seed, _shape(model, kind), size=6 + seed % 3)


def _listed(program: Program, model: str) -> tuple[Counter[State], int]:
    """The final states by enumeration, and how many executions are blocked."""
    found: Counter[State] = Counter()
    blocked = 0
    options = ExploreOptions(model=model)
    for f in enumerate_all(ready(program, find(model), options), find(model)):
        if f.status is Status.COMPLETE:
            found[tuple(f.execution.outcome.items())] += 1
        blocked += f.status is Status.BLOCKED
    return found, blocked


def _compare(model: str, kind: str, seeds: range) -> None:
    for seed in seeds:
        program = _program(model, kind, seed)
        found = outcomes(program, find(model), ExploreOptions(model=model))
        assert found.engine == "explore"
        assert (found.states, found.blocked) == _listed(program, model), (model, kind, seed)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", MODELS)
def test_the_explorer_finds_each_execution_once(model: str, kind: str) -> None:
    _compare(model, kind, range(20))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", MODELS)
def test_the_explorer_finds_each_execution_once_in_many_programs(model: str, kind: str) -> None:
    _compare(model, kind, range(20, 1020))
