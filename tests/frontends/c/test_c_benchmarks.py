"""The C benchmarks end as their first lines say: verdict, kind and line of the error, exact number of executions."""

from __future__ import annotations

import pytest

from c_runs import ROOT, Run, all_runs, runs_of

COUNTING = all_runs("programs/c")
ALGORITHMS = all_runs("algorithms")


@pytest.mark.parametrize("run", COUNTING, ids=str)
def test_counts_of_the_papers(run: Run) -> None:
    assert run.complaint(run.check()) is None


@pytest.mark.parametrize("run", ALGORITHMS, ids=str)
def test_algorithms(run: Run) -> None:
    assert run.complaint(run.check()) is None


def test_every_benchmark_says_what_it_expects() -> None:
    folders = [ROOT / "benchmarks" / name for name in ("programs/c", "algorithms")]
    sources = [p for folder in folders for p in folder.rglob("*") if p.suffix in (".c", ".cpp")]
    assert sources and not [p for p in sources if not runs_of(p)]


def test_every_algorithm_has_a_version_that_fails() -> None:
    by_file = {run.path: [] for run in ALGORITHMS}
    for run in ALGORITHMS:
        by_file[run.path].append(run.wanted["expect"])
    assert not [p.name for p, found in by_file.items() if not {"pass", "fail"} <= set(found)]
