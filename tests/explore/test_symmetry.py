"""Identical threads: one execution for all that differ in their names, and nothing lost."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "lab"))

from twins import MODELS, Made, Maker, Tally

import fencepost
from fencepost.frontends import pseudo
from fencepost.program.passes.anonymity import KNOWN, anonymous

HERE = Path(__file__).parent / "symmetry"
PROGRAMS = Path(__file__).parents[2] / "benchmarks" / "programs"

#: Parting at a read that a third thread's write is for: without coherence in porf the rule must ask for porf, too.
PARTED = "var x, y\nthread T(i in 1..2) { r := x; y := 1 }\nthread S { s := y; x := 2 }\nthread W { x := 3 }\n"
#: What must be there before an event has to be closed under earlier kin ...
CLOSED = (
    "var x, y\nmutex m\nthread T(i in 1..3) { r := y; lock(m); unlock(m) }\nthread S { s := x; if s == 0 { y := 3 } }\n"
)
#: ... and a read-modify-write is one.
HALVES = "var x\nthread T(i in 1..3) { r := FADD(x, 1); s := x }\nthread S { x := 1; r := x }\n"


@pytest.mark.parametrize("model", ["sc", "tso", "rc11"])
@pytest.mark.parametrize(("name", "n", "visited", "all_"), [
    ("ainc", 2, 1, 2), ("ainc", 6, 1, 720), ("binc", 2, 2, 4), ("binc", 3, 6, 36), ("readers", 6, 7, 64),
])  # fmt: skip
def test_counts(name: str, n: int, visited: int, all_: int, model: str) -> None:
    flags = [f"-DN={n}"]
    verdict = fencepost.check(PROGRAMS / f"{name}.fp", flags=flags, model=model)
    assert (verdict.executions, verdict.extra["representing"]) == (visited, all_)
    assert verdict.extra["reductions"] == ["symmetry"]
    whole = fencepost.check(PROGRAMS / f"{name}.fp", flags=flags, model=model, symmetry=False)
    assert whole.executions == all_ and "representing" not in whole.extra


@pytest.mark.parametrize("n", [2, 4, 6, 8])
def test_threads_in_a_loop_under_a_lock(n: int) -> None:
    verdict = fencepost.check(HERE / "in_a_loop.c", flags=[f"-DN={n}"])
    factorial = {2: 2, 4: 24, 6: 720, 8: 40320}[n]
    assert (verdict.answer.value, verdict.executions, verdict.extra["representing"]) == ("PASS", 1, factorial)


@pytest.mark.parametrize("name", ["join_value", "join_between", "own_name", "serial_thread"])
def test_threads_that_can_be_told_apart(name: str) -> None:
    for reductions in (True, False):
        verdict = fencepost.check(HERE / f"{name}.c", reductions=reductions, fix=False)
        assert verdict.answer.value == "FAIL" and verdict.errors[0].kind.value == "assertion"


def test_joining_one_of_them_ends_the_reduction() -> None:
    verdict = fencepost.check(HERE / "join_one.c")
    assert (verdict.answer.value, verdict.executions) == ("PASS", 6) and "representing" not in verdict.extra


@pytest.mark.parametrize(("text", "count", "model"), [
    (PARTED, 2, "rc11"), (PARTED, 2, "sc"), (CLOSED, 3, "sc"), (HALVES, 3, "sc"), (HALVES, 3, "rc11"),
])  # fmt: skip
def test_no_orbit_is_lost(text: str, count: int, model: str) -> None:
    tally = Tally()
    assert tally.compare(Made(text, (tuple(range(count)),)), model) is None
    assert tally.programs == 1 and tally.orbits < tally.executions


@pytest.mark.parametrize("model", MODELS)
def test_random_programs(model: str) -> None:
    tally = Tally()
    assert [w for seed in range(12) if (w := tally.compare(Maker(seed).made(), model)) is not None] == []
    assert tally.visited < tally.executions


def test_the_verdict_on_a_condition_is_of_all_executions() -> None:
    """Whose registers are observed is not renamed."""
    text = "var x\nthread T(i in 1..2) { r := FADD(x, 1) }\nexists (T1:r == 1 && T2:r == 0)\n"
    assert fencepost.check(pseudo.read(text, "t.fp")).answer.value == "PASS"
    states = fencepost.outcomes(pseudo.read(text, "t.fp")).states
    assert len(states) == 2


@pytest.mark.parametrize(("body", "expected"), [("x := i", 1), ("x := 1", 0), ("lock(m); unlock(m)", 0)])
def test_which_arguments_matter(body: str, expected: int) -> None:
    program = pseudo.read(f"var x\nmutex m\nthread T(i in 1..2) {{ {body} }}\n", "t.fp")
    assert anonymous(program)["T"] == expected


def test_what_tells_threads_apart() -> None:
    assert anonymous(fencepost.read(HERE / "own_name.c"))["work"] == KNOWN
    assert anonymous(fencepost.read(HERE / "join_value.c"))["work"] == 0


@pytest.mark.parametrize("model", ["sc", "tso", "rc11"])
def test_waiting_for_ever_is_told_where_kin_are_joined_last(model: str) -> None:
    """The one who joins has not joined the thread that ended: that changes nothing."""
    verdict = fencepost.check(HERE / "waits_for_ever.c", model=model, fix=False)
    assert [e.kind.value for e in verdict.errors] == ["liveness"]


@pytest.mark.parametrize(
    ("name", "flag"), [("ainc", "-DN=5"), ("binc", "-DN=3"), ("readers", "-DN=6"), ("casw", "-DN=3")]
)
@pytest.mark.parametrize("model", ["sc", "tso", "pso", "ra", "rc11"])
def test_all_executions_can_be_counted(name: str, flag: str, model: str) -> None:
    path = PROGRAMS / f"{name}.fp"
    every = fencepost.check(path, model=model, flags=[flag], reductions=False)
    counted = fencepost.check(path, model=model, flags=[flag], count="all")
    assert (counted.answer, counted.executions, counted.blocked) == (every.answer, every.executions, every.blocked)
    assert (
        counted.extra.get("visited", counted.executions) <= counted.executions and "representing" not in counted.extra
    )


def test_all_executions_of_increments_are_counted_from_one() -> None:
    path = PROGRAMS / "ainc.fp"
    found = fencepost.check(path, model="rc11", flags=["-DN=6"], count="all")
    assert (found.executions, found.extra["visited"]) == (720, 1)


def test_what_is_counted_has_two_names() -> None:
    with pytest.raises(fencepost.UsageError, match="visited or all"):
        fencepost.check(Path(__file__), count="some")
