"""Which schedules are tried, and in which order."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost.bounded import check
from fencepost.bounded.attempt import Attempt, Found
from fencepost.bounded.prepare import prepare
from fencepost.bounded.schedules import MAX_SCHEDULES, likely, schedules
from fencepost.frontends import read_file
from fencepost.options import BoundedOptions
from fencepost.verdict import Answer
from numbers_table import BENCHMARKS

FIB = BENCHMARKS / "natural" / "fib.c"
ROUNDS = ["-DROUNDS=2", "-DMOST=8"]


def test_every_way_to_take_turns_or_all_at_once() -> None:
    assert list(schedules(1, 5)) == [(0,)]
    assert set(schedules(3, 2)) == {(a, b) for a in range(3) for b in range(3) if a != b}
    assert list(schedules(3, 4)) == [None] and MAX_SCHEDULES < 3 * 2**3


def test_who_watches_comes_last() -> None:
    assert list(likely(3, 5, 2)) == [(0, 1, 0, 1, 2), (1, 0, 1, 0, 2)]
    assert list(likely(3, 5, 0)) == [(1, 2, 1, 2, 0), (2, 1, 2, 1, 0)]
    assert not list(likely(3, 5, None)), "nobody watches"
    assert not list(likely(3, 2, 2)), "few schedules are all tried"
    assert not list(likely(4, 6, 3)), "there are too many of them"


def _watcher(flags: list[str]) -> int | None:
    return prepare(read_file(FIB, flags=[*ROUNDS, *flags]), 3, BoundedOptions()).watcher


def test_main_that_looks_on_without_joining_watches() -> None:
    assert _watcher([]) == 2
    assert _watcher(["-DJOIN"]) is None


@pytest.mark.parametrize(("flags", "answer"), [(["-DUNSAFE"], Answer.FAIL), (["-DFENCED"], Answer.BOUNDED)])
def test_all_schedules_are_tried_where_the_likely_ones_show_nothing(
    flags: list[str], answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A violation is found in one of them; without one the search goes on to all."""
    asked: list[list[object]] = []
    real = check._search

    def search(attempt: Attempt) -> Found:
        asked.append(list(attempt.plans))
        return real(attempt)

    monkeypatch.setattr(check, "_search", search)
    program = read_file(Path(FIB), flags=[*ROUNDS, *flags])
    verdict = check.check_bounded(program, BoundedOptions(contexts="5", unroll=3))
    assert verdict.answer is answer
    assert asked[0] == [(0, 1, 0, 1, 2), (1, 0, 1, 0, 2)]
    assert asked[1:] == ([] if answer is Answer.FAIL else [[None]])
