"""The order of a story: the fewest changes of thread among all orders that agree on what must come first."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest

import fencepost
from fencepost.execution.execution import Pair
from fencepost.verdict import Verdict
from fencepost.witness.cycles import shortest_cycle
from fencepost.witness.relations import Relations
from fencepost.witness.story import tell
from fencepost.witness.turns import Unit, fewest_turns


def _turns(order: list[Unit], thread_of: dict[int, int]) -> int:
    return sum(thread_of[a[0]] != thread_of[b[0]] for a, b in pairwise(order)) + 1


def _all_orders(lines: list[list[int]], kept: set[Pair]) -> list[list[int]]:
    if not any(lines):
        return [[]]
    left = {e for line in lines for e in line}
    found = []
    for t, line in enumerate(lines):
        if line and not any(b == line[0] and a in left for a, b in kept):
            rest = [x[1:] if u == t else x for u, x in enumerate(lines)]
            found += [[line[0], *tail] for tail in _all_orders(rest, kept)]
    return found


@pytest.mark.parametrize("seed", range(40))
def test_the_fewest_turns_of_all_orders(seed: int) -> None:
    rng = random.Random(seed)
    thread_of: dict[int, int] = {}
    lines: list[list[int]] = []
    for t in range(rng.choice([2, 3])):
        lines.append([len(thread_of) + i for i in range(rng.randint(1, 4))])
        thread_of |= dict.fromkeys(lines[-1], t)
    queues, shuffled = [list(line) for line in lines], []
    while any(queues):
        shuffled.append(rng.choice([q for q in queues if q]).pop(0))
    rank = {e: n for n, e in enumerate(shuffled)}
    pairs = [(a, b) for a in rank for b in rank if rank[a] < rank[b] and thread_of[a] != thread_of[b]]
    kept = set(rng.sample(pairs, min(len(pairs), rng.randint(0, 5))))
    order = [(e,) for e in shuffled]
    told = fewest_turns(order, thread_of, kept)
    place = {unit[0]: n for n, unit in enumerate(told)}
    assert sorted(told) == sorted(order)
    assert all(place[a] < place[b] for a, b in kept)
    assert all(place[a] < place[b] for line in lines for a, b in pairwise(line))
    orders = _all_orders(lines, kept)
    assert _turns(told, thread_of) == min(_turns([(e,) for e in o], thread_of) for o in orders)
    if _turns(order, thread_of) == _turns(told, thread_of):
        assert told == order


def _check(text: str, tmp_path: Path, model: str = "rc11") -> Verdict:
    file = tmp_path / "p.fp"
    file.write_text(text)
    return fencepost.check(file, model=model, fix=False)


def _steps(verdict: Verdict) -> list[str]:
    assert verdict.witness is not None
    story = tell(verdict.witness)
    names = {c.thread: c.name for c in story.columns}
    return [f"{names[m.thread]} {m.text}" for m in story.moments]


HAND_OVER = """\
var p, x, y
thread a {
  p := 1
  x := 1
  r := y
  assert(r != 1, "early")
}
thread b {
  s := x
  y := s + 1
}
"""

THREE = """\
var p, x, y, z
thread a {
  p := 1
  x := 1
  r := z
  assert(r != 1, "early")
}
thread b {
  s := x
  y := s + 1
}
thread c {
  t := y
  z := t
}
"""

NEEDS_NONE = """\
var x, y, z
thread a {
  z := 2
  y := 2
  r := z
  assert(r != 0, "own")
}
thread b {
  x := 2
  z := 2
  z := 2
  s := y
  assert(s != 0, "late")
}
"""

MESSAGE = """\
var data, flag
thread writer {
  data := 42
  flag := 1
}
thread reader {
  f := flag
  d := data
  assert(f == 0 || d == 42, "there")
}
"""


def test_who_is_waited_for_goes_first(tmp_path: Path) -> None:
    assert _steps(_check(HAND_OVER, tmp_path)) == [
        "b reads x = 0", "b writes y = 1", "a writes x = 1", "a reads y = 1", "a early",
    ]  # fmt: skip


def test_three_threads_take_one_turn_each(tmp_path: Path) -> None:
    assert _steps(_check(THREE, tmp_path)) == [
        "b reads x = 0", "b writes y = 1", "c reads y = 1", "c writes z = 1",
        "a writes x = 1", "a reads z = 1", "a early",
    ]  # fmt: skip


@pytest.mark.parametrize("model", ["rc11", "tso", "power"])
def test_an_error_that_needs_no_weak_memory_is_told_without_it(model: str, tmp_path: Path) -> None:
    verdict = _check(NEEDS_NONE, tmp_path, model)
    assert verdict.witness is not None and verdict.witness.model == model
    assert _steps(verdict) == ["b reads y = 0", "a writes y = 2", "b late"]
    assert not shortest_cycle(Relations(verdict.witness.execution))
    assert verdict.errors == (verdict.witness.error,)
    assert verdict.why.startswith("no reordering is needed")
    assert verdict.witness.notes == (
        "the error needs no weak memory: an execution in which the threads take turns is told",
    )


def test_one_that_needs_it_is_told_with_it(tmp_path: Path) -> None:
    verdict = _check(MESSAGE, tmp_path)
    assert verdict.witness is not None and shortest_cycle(Relations(verdict.witness.execution))
    assert verdict.witness.notes == ()
    assert _steps(verdict) == [
        "writer writes data = 42", "writer writes flag = 1", "reader reads flag = 1", "reader reads data = 0",
        "reader there",
    ]  # fmt: skip
