"""How many executions there will be: exact where everything is looked at, within its interval where it is sampled."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost
from fencepost.verdict import Estimate

PROGRAMS = Path(__file__).parent.parent.parent / "benchmarks" / "programs"
MORE_THAN_THERE_ARE = 1 << 40

SMALL = [
    ("readers", ["-DN=10"], "rc11"),
    ("casrot", ["-DN=6"], "sc"),
    ("binc", ["-DN=3"], "tso"),
    ("lastzero", ["-DN=5"], "ra"),
    ("fib_bench", [], "rc11"),
    ("fib_bench", [], "sc"),
    ("casw", ["-DN=3"], "wrc11"),
    ("indexer", ["-DN=12"], "pso"),
    ("corr2", [], "wrc11"),
    ("readers", ["-DN=4"], "power"),
    ("lastzero", ["-DN=3"], "armv8"),
]


@pytest.mark.parametrize(("name", "flags", "model"), SMALL)
def test_a_population_without_limit_counts_what_check_counts(name: str, flags: list[str], model: str) -> None:
    path = PROGRAMS / f"{name}.fp"
    verdict = fencepost.check(path, flags=flags, model=model, reductions=False)
    found = fencepost.estimate(path, flags=flags, model=model, seconds=60, population=MORE_THAN_THERE_ARE)
    assert found is not None and found.exact
    assert found.executions == verdict.executions + verdict.blocked


def test_blocked_executions_count_too(tmp_path: Path) -> None:
    path = tmp_path / "wait.fp"
    path.write_text("var x\nthread A(i in 1..3) { x := i }\nthread B { wait(x == 2); r := x }\n")
    verdict = fencepost.check(path, ignore=("deadlock",), reductions=False)
    found = fencepost.estimate(path, seconds=60, population=MORE_THAN_THERE_ARE)
    assert found is not None and verdict.blocked > 0
    assert found.executions == verdict.executions + verdict.blocked


@pytest.mark.parametrize(
    ("name", "flags", "executions"),
    [("readers", ["-DN=20"], 2**20), ("lastzero", ["-DN=14"], 69_632), ("casw", ["-DN=7"], 65_862_720)],
)
def test_a_sample_is_near(name: str, flags: list[str], executions: int) -> None:
    """lastzero: most executions hang under revisits, where single ways down see 266 100 of 1.38 million."""
    found = fencepost.estimate(PROGRAMS / f"{name}.fp", flags=flags, seconds=60, population=64)
    assert found is not None
    near = found.low if found.executions is None else found.executions
    assert near <= 3 * executions
    if found.executions is not None:
        assert executions <= 3 * found.executions and found.high is not None
        assert found.low <= executions <= found.high


def test_what_is_left_is_estimated_from_where_the_search_is(tmp_path: Path) -> None:
    """Found so far and what is left are all there is, and a second run knows how far the first one came."""
    state, path, flags = str(tmp_path / "state"), PROGRAMS / "readers.fp", ["-DN=18"]
    first = fencepost.check(path, flags=flags, save=state, max_executions=2**17, reductions=False)
    told = first.extra["estimate"]
    assert isinstance(told, dict) and told["low"] <= 2**18 <= told["high"]
    assert 0.4 < told["share"] < 0.6
    second = fencepost.check(path, flags=flags, resume=state, max_executions=2**17 + 2**16, reductions=False)
    told = second.extra["estimate"]
    assert isinstance(told, dict) and 0.65 < told["share"] < 0.85


def test_numbers_are_not_told_with_more_digits_than_are_known() -> None:
    assert str(Estimate(1_234_567, 987_654, 2_345_678)) == "about 1,200,000 (990,000 to 2,300,000)"
    assert str(Estimate(1_234_567, 1_234_567, 1_234_567)) == "1,234,567"
    assert str(Estimate(None, 1e40, None)) == "at least 10^40"
