"""The options that shape a program count in every engine: exploration and enumeration make it ready in the same way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fencepost import api
from fencepost.enumerate.verdicts import check_by_enumeration, outcomes_by_enumeration
from fencepost.explore import executions, explore, outcomes
from fencepost.explore.driver import estimate
from fencepost.frontends.pseudo import read
from fencepost.models.registry import Model, find
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.program.instructions import ErrorKind
from fencepost.program.program import Program
from fencepost.verdict import Answer, Verdict

Check = Callable[[Program, Model, CheckOptions], Verdict]
ENGINES: list[Check] = [explore, check_by_enumeration]
BOTH = pytest.mark.parametrize("check", ENGINES, ids=["explored", "enumerated"])

COUNTING = """var x
thread A {
  r := 0
  while r < 3 {
    r := r + 1
    x := r
  }
}
"""
SPINNING = "var x, y\nthread A {\n  while x == 0 || y == 0 { }\n}\nthread B { x := 1; y := 1 }\n"
SLEEPING = """
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready;
void *waker(void *a) { pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waker, 0);
    pthread_mutex_lock(&m);
    if (!ready) pthread_cond_wait(&c, &m);
    assert(ready);
    pthread_mutex_unlock(&m);
}
"""


@BOTH
@pytest.mark.parametrize("place", ["A", "t.fp:4"])
def test_the_bound_of_one_loop(check: Check, place: str) -> None:
    program = read(COUNTING, "t.fp")
    assert check(program, find("sc"), CheckOptions()).answer is Answer.PASS
    verdict = check(program, find("sc"), CheckOptions(loop_bound=(f"{place}=2",)))
    assert verdict.answer is Answer.UNKNOWN and "t.fp:4" in verdict.reason
    assert check(program, find("sc"), CheckOptions(loop_bound=("B=2", f"{place}=4"))).answer is Answer.PASS


@BOTH
def test_the_bound_of_every_loop_gives_way_to_that_of_one(check: Check) -> None:
    program = read(COUNTING, "t.fp")
    assert check(program, find("sc"), CheckOptions(unroll=2)).answer is Answer.UNKNOWN
    assert check(program, find("sc"), CheckOptions(unroll=2, loop_bound=("A=4",))).answer is Answer.PASS


@BOTH
def test_spin_detection(check: Check) -> None:
    program = read(SPINNING, "t.fp")
    found = check(program, find("sc"), CheckOptions(unroll=3))
    assert found.answer is Answer.PASS
    without = check(program, find("sc"), CheckOptions(unroll=3, spin_detection=False))
    assert without.answer is Answer.BOUNDED and "t.fp:3" in without.reason


@BOTH
def test_spurious_wakeups(check: Check, tmp_path: Path) -> None:
    (tmp_path / "sleep.c").write_text(SLEEPING)
    program = api.read(tmp_path / "sleep.c")
    assert check(program, find("sc"), CheckOptions()).answer is Answer.PASS
    verdict = check(program, find("sc"), CheckOptions(spurious_wakeups=True))
    assert [e.kind for e in verdict.errors] == [ErrorKind.ASSERTION]


def test_all_ways_in_take_the_same_options() -> None:
    program = read(COUNTING + "observe x\n", "t.fp")
    cut = ExploreOptions(loop_bound=("A=2",))
    assert outcomes(program, "sc", cut).reason == outcomes_by_enumeration(program, find("sc"), cut).reason != ""
    for model in ("sc", "power"):
        assert list(executions(program, model, cut)) == []
        assert len(list(executions(program, model))) == 1
    whole, bounded = (estimate(program, "sc", o) for o in (ExploreOptions(), cut))
    assert whole is not None and bounded is not None
    assert (whole.executions, bounded.executions) == (1, 0)
