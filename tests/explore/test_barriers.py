"""Who comes first to a barrier is nobody's business: one execution for all orders, nothing lost where it matters."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "lab"))

from reductions import AnyMaker, Tally, WithBarrier

import fencepost

HERE = Path(__file__).parent / "barriers"
SERIAL = Path(__file__).parent / "symmetry" / "serial_thread.c"


@pytest.mark.parametrize("model", ["sc", "tso", "ra", "rc11"])
@pytest.mark.parametrize(("n", "rounds"), [(2, 1), (3, 2), (6, 1), (12, 1)])
def test_one_execution_however_many_arrive(n: int, rounds: int, model: str) -> None:
    verdict = fencepost.check(HERE / "rounds.c", flags=[f"-DN={n}", f"-DR={rounds}", f"-DCOUNT={n}"], model=model)
    assert (verdict.answer.value, verdict.executions, verdict.blocked) == ("PASS", 1, 0)
    assert verdict.extra["reductions"] == ["barriers"] and verdict.extra["representing"] is None


def test_without_it_every_order_counts() -> None:
    flags = ["-DN=3", "-DR=1", "-DCOUNT=3"]
    for switch in ({"reductions": False}, {"barriers": False}):
        verdict = fencepost.check(HERE / "rounds.c", flags=flags, **switch)
        assert (verdict.executions, "reductions" in verdict.extra) == (132, False)


@pytest.mark.parametrize(("name", "flags", "kind"), [
    ("rounds", ["-DN=2", "-DR=1", "-DCOUNT=3"], "deadlock"),
    ("looks", [], "assertion"),
    ("early_destroy", [], "bad-call"),
    ("left_out", [], "assertion"),
    ("which_came", [], "assertion"),
    ("between_rounds", [], "assertion"),
])  # fmt: skip
@pytest.mark.parametrize("model", ["sc", "rc11"])
def test_where_order_matters_it_is_explored(name: str, flags: list[str], kind: str, model: str) -> None:
    for barriers in (True, False):
        verdict = fencepost.check(HERE / f"{name}.c", flags=flags, model=model, barriers=barriers, fix=False,
                                  keep_going=True)  # fmt: skip
        assert verdict.answer.value == "FAIL" and kind in [e.kind.value for e in verdict.errors]


@pytest.mark.parametrize(("asked", "answer"), [("2", "FAIL"), ("1", "FAIL"), ("1 || who == 2", "PASS")])
def test_a_result_that_is_used_is_explored(tmp_path: Path, asked: str, answer: str) -> None:
    """One of the two is told, whichever."""
    path = tmp_path / "serial.c"
    path.write_text(SERIAL.read_text().replace("who == 2", f"who == {asked}"))
    verdict = fencepost.check(path, fix=False)
    assert verdict.answer.value == answer
    assert [e.kind.value for e in verdict.errors] == ["assertion"] * (answer == "FAIL")


@pytest.mark.parametrize("count", [2, 3, 4])
def test_too_few_and_too_many(count: int) -> None:
    """The same executions up to the order of arrival, for as many threads as the barrier is for, and for others."""
    text = "var x, y, z\nmutex m\nmutex bar\n" + "".join(
        f"thread P{n} {{ r0 := x; lock(bar); x := {n} }}\n" for n in range(3)
    )
    assert Tally().compare(WithBarrier(text, (), None, count), "rc11") == []


def test_random_programs() -> None:
    """`python tests/lab/reductions.py` runs thousands."""
    tally = Tally()
    wrong = [w for seed in range(14) for w in tally.compare(AnyMaker(seed).made(), ("sc", "rc11")[seed % 2])]
    assert wrong == [] and tally.visited["barriers"] < tally.executions
