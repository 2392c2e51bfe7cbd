"""The parts of the search, each against something simple."""

from __future__ import annotations

from itertools import chain, combinations
from pathlib import Path
from random import Random

import pytest
from spaces import CASES, space_of

import fencepost
from fencepost.api import find_model, model_names
from fencepost.execution.execution import Execution
from fencepost.repair.hitting import HittingSet
from fencepost.repair.monotone import objections
from fencepost.repair.oracle import has_race
from fencepost.repair.refit import differences, refit


@pytest.mark.parametrize("seed", range(60))
def test_the_cheapest_set_is_one_of_all_sets(seed: int) -> None:
    rng = Random(seed)
    atoms = list(range(rng.randint(1, 8)))
    weights = {a: rng.randint(1, 6) for a in atoms}
    below = {a: [b for b in atoms if b < a and b // 3 == a // 3] if rng.random() < 0.5 else [] for a in atoms}
    below = {a: sorted({c for b in bs for c in [b, *below[b]]}) for a, bs in below.items()}
    clauses = [rng.sample(atoms, rng.randint(1, min(3, len(atoms)))) for _ in range(rng.randint(0, 6))]
    solver = HittingSet(atoms, weights, below)
    for clause in clauses:
        solver.add(clause)
    found = solver.cheapest()
    assert found is not None and all(set(c) & found for c in clauses) and all(set(below[a]) <= found for a in found)
    everything = chain.from_iterable(combinations(atoms, n) for n in range(len(atoms) + 1))
    good = [s for s in everything if all(set(c) & set(s) for c in clauses) and all(set(below[a]) <= set(s) for a in s)]
    assert sum(weights[a] for a in found) == min(sum(weights[a] for a in s) for s in good)


def test_an_empty_clause_has_no_answer() -> None:
    solver = HittingSet(["a"], {"a": 1}, {"a": ()})
    solver.add([])
    assert solver.cheapest() is None


#: Their sets of accesses are exact: a repair under them says that it is not proved.
NOT_PROVED = ("lkmm", "bpf")


@pytest.mark.parametrize("name", model_names())
def test_which_models_of_ours_are_proved_monotone(name: str) -> None:
    assert (objections(find_model(name)) == ()) is (name not in NOT_PROVED)


@pytest.mark.parametrize(("name", "proved"), [("my", False), ("n1", False), ("n2", False), ("n3", True),
                                              ("my2", True), ("tag", False)])  # fmt: skip
def test_models_that_are_not_monotone_are_refused(name: str, proved: bool) -> None:
    """my: exact sets of modes. n1: po without what follows an sc event. n2: immediate po, which a fence breaks. tag: an
    exact mode of accesses with a tag."""
    assert (objections(find_model(str(CASES / f"{name}.cat"))) == ()) is proved


@pytest.mark.parametrize("model", ["rc11", "tso", "power", "armv8", "riscv"])
@pytest.mark.parametrize("name", ["petersonna", "mcs", "dekker", "tas", "sb"])
def test_an_execution_refitted_to_its_own_program_is_the_same(name: str, model: str) -> None:
    verdict = fencepost.check(CASES / f"{name}.fp", model=model)
    if verdict.witness is None:
        return
    assert verdict.witness.program is not None
    again = refit(verdict.witness.program, verdict.witness.execution)
    assert again is not None
    assert differences(verdict.witness.execution, again.execution) == []


def test_a_refit_keeps_the_error_and_loses_it_with_the_orders() -> None:
    space, explorer = space_of(CASES / "mpna.fp", "rc11", "accesses")
    witness = explorer.check(frozenset()).witness
    assert witness is not None and explorer.bad(witness, frozenset())
    assert not explorer.bad(witness, space.top)
    assert isinstance(witness.execution, Execution) and has_race(witness.execution)


def test_a_fence_of_exactly_one_kind_is_found(tmp_path: Path) -> None:
    """A model may ask for a fence that is exactly a release: joining it with another one would lose the repair."""
    path = tmp_path / "mp.fp"
    path.write_text(
        "var x, f\nthread P { x := 1; f := 1 }\nthread Q { r := f.acq; s := x }\n~exists (Q:r == 1 && Q:s == 0)\n"
    )
    found = fencepost.repair(path, model=str(CASES / "my2.cat"), only="fences")
    assert found.answer.value == "PASS" and "fence.rel" in found.patch
