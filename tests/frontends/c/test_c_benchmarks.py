"""The C benchmarks end as their first lines say: verdict, kind and line of the error, exact number of executions."""

from __future__ import annotations

import pytest

from c_runs import ROOT, Run, all_runs, runs_of
from fencepost import api
from numbers_table import counts

PROGRAMS = ROOT / "benchmarks" / "programs" / "c"
COUNTING = all_runs("programs/c")
ALGORITHMS = all_runs("algorithms")
LOOPS = all_runs("loops")


@pytest.mark.parametrize("run", COUNTING, ids=str)
def test_counts_of_the_papers(run: Run) -> None:
    assert run.complaint(run.check()) is None


@pytest.mark.parametrize("run", ALGORITHMS, ids=str)
def test_algorithms(run: Run) -> None:
    assert run.complaint(run.check()) is None


@pytest.mark.parametrize("run", LOOPS, ids=str)
def test_waiting_loops(run: Run) -> None:
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


QUICK = [c for c in counts() if c.executions <= 3000 and not c.slow]
CASES = sorted({(c.program, c.constants) for c in QUICK})


@pytest.mark.parametrize(("program", "constants"), CASES, ids=lambda v: v if isinstance(v, str) else str(dict(v)))
def test_the_table_of_counts_from_c(program: str, constants: tuple[tuple[str, int], ...]) -> None:
    """The counts that the pseudo-code programs have; `benchmarks/c_counts.py` runs the long ones too."""
    made = api.read(PROGRAMS / f"{program}.c", flags=[f"-D{k}={v}" for k, v in constants])
    for c in QUICK:
        if (c.program, c.constants) == (program, constants) and c.model in ("rc11", "wrc11", "power", "tso"):
            assert api.check(made, model=c.model, reductions=False).executions == c.executions, c.model
