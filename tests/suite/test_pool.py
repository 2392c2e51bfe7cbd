"""Jobs over processes: every row once, in order, whoever dies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fencepost.suite.pool import in_parallel


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("jobs", [0, 1, 5, 60])
def test_each_job_has_its_row_in_order(count: int, jobs: int) -> None:
    rows = in_parallel(lambda n: (n, "x" * 10 * n), lambda n: (n, ""), list(range(jobs)), count, collect=1000)
    assert list(rows) == [(n, "x" * 10 * n) for n in range(jobs)]


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("deadly", [{0}, {7}, {19}, {3, 4, 5, 11}, set(range(20))])
def test_a_job_that_kills_its_process_has_a_row_and_the_others_theirs(count: int, deadly: set[int]) -> None:
    def run(n: int) -> str:
        if n in deadly:
            os._exit(9)
        return str(n)

    rows = list(in_parallel(run, lambda n: f"died {n}", list(range(20)), count, collect=1000))
    assert rows == [f"died {n}" if n in deadly else str(n) for n in range(20)]


def test_a_job_that_dies_once_is_tried_again(tmp_path: Path) -> None:
    def run(n: int) -> int:
        mark = tmp_path / str(n)
        if n == 4 and not mark.exists():
            mark.touch()
            os._exit(9)
        return n

    assert list(in_parallel(run, lambda n: -1, list(range(10)), 2, collect=1000)) == list(range(10))


def test_rows_larger_than_a_pipe() -> None:
    rows = in_parallel(lambda n: "x" * 300_000 + str(n), lambda n: "", list(range(6)), 2, collect=1000)
    assert [row[-1] for row in rows] == list("012345")


def test_who_stops_asking_ends_the_processes() -> None:
    rows = in_parallel(lambda n: os.getpid(), lambda n: 0, list(range(50)), 2, collect=1000)
    process = next(rows)
    assert process != os.getpid()
    rows.close()  # type: ignore[attr-defined] # it is a generator
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
