"""A slice of `fuzz.py` in the suite, and what the search options must not change."""

from __future__ import annotations

from collections import Counter

import explored
import pytest

import fuzz
from fencepost._core import Against, RobustnessSearch, SearchStatus
from fencepost.options import RobustOptions
from fencepost.program.program import Program
from fencepost.robustness import check_robustness
from fencepost.robustness.prepare import prepare


@pytest.mark.parametrize("start", range(0, 200, 20))
def test_search_enumeration_and_reference_agree(start: int) -> None:
    counts: Counter[str] = Counter()
    for seed in range(start, start + 20):
        wrong = fuzz.disagreement(seed, counts)
        assert not wrong, f"seed {seed}: {wrong}"


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_options_do_not_change_the_answer(seed: int) -> None:
    program = fuzz.random_loops(seed)
    for against in ("ra", "sra", "tso"):
        plain = check_robustness(program, RobustOptions(against=against))
        if plain.extra["robust"] is None:
            continue
        deep = check_robustness(program, RobustOptions(against=against, depth_first=True))
        shared = check_robustness(program, RobustOptions(against=against, jobs=3))
        hashed = check_robustness(program, RobustOptions(against=against, hash_compact=True))
        assert deep.extra["robust"] is shared.extra["robust"] is plain.extra["robust"]
        if plain.extra["robust"]:
            assert plain.extra["states"] == deep.extra["states"] == shared.extra["states"] == hashed.extra["states"]
            assert hashed.extra["robust"] is None, "a hash is no proof"
        else:
            assert plain.witness is not None and hashed.witness is not None and shared.witness is not None
            assert len(plain.witness.run) == len(shared.witness.run) == len(hashed.witness.run)


def robust_without_forgetting(program: Program, against: str) -> tuple[bool, int]:
    bytecode = prepare(program, against).bytecode
    models = {"ra": Against.RA, "sra": Against.SRA, "tso": Against.TSO}
    search = RobustnessSearch(bytecode, models[against], memory=1 << 30, states=1 << 24, settle=False)
    while not search.advance(1.0):
        pass
    return search.status == SearchStatus.ROBUST, search.statistics.states


@pytest.mark.parametrize("against", ["ra", "sra", "tso"])
def test_what_a_monitor_forgets_does_not_matter(against: str) -> None:
    fewer = 0
    for seed in range(1000, 1200):
        program = fuzz.random_loops(seed)
        ours = check_robustness(program, RobustOptions(against=against))
        if ours.extra["robust"] is None:
            continue
        expected, states = robust_without_forgetting(program, against)
        assert ours.extra["robust"] is expected, f"seed {seed}"
        fewer += expected and ours.extra["states"] < states
    assert fewer > 50


def test_robust_against_ra_implies_the_stronger_models() -> None:
    for seed in range(150):
        program = fuzz.random_straight(seed)
        robust = {m: check_robustness(program, RobustOptions(against=m)).extra["robust"] for m in ("ra", "sra", "tso")}
        if robust["ra"]:
            assert robust["sra"], seed


@pytest.mark.parametrize("start", range(40, 100, 20))
def test_search_and_explorer_agree_on_programs_with_everything(start: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(start, start + 20):
        wrong = explored.disagreement(seed, seen)
        assert not wrong, f"seed {seed}: {wrong}"


@pytest.mark.parametrize("against", ["ra", "tso"])
@pytest.mark.parametrize("name", ["barrier", "barrier-busy", "peterson-tso", "peterson-ra-dmitriy", "spinlock", "rcu"])
def test_search_and_explorer_agree_on_short_runs_of_figure_7(name: str, against: str) -> None:
    program = explored.bounded(explored.read_file(explored.PROGRAMS / f"{name}.fp"), 1)
    counted = explored.count(program, against)
    assert counted is not None
    assert check_robustness(program, RobustOptions(against=against)).extra["robust"] is counted.robust
