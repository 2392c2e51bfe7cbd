"""Relations between many events take ways of their own: they say what the short ways say."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from fencepost.execution import relations as rel
from fencepost.execution.relations import Rows

MANY = rel.LARGE + 22


def _some(rng: random.Random, count: int, wanted: Callable[[int, int], bool]) -> Rows:
    pairs = [(rng.randrange(MANY), rng.randrange(MANY)) for _ in range(count)]
    return rel.relation([(a, b) for a, b in pairs if wanted(a, b)], MANY)


def _shapes(rng: random.Random) -> Iterator[Rows]:
    for count in (MANY // 2, 2 * MANY, 8 * MANY):
        yield _some(rng, count, lambda a, b: True)  # with cycles
        yield _some(rng, count, lambda a, b: a < b)
        yield _some(rng, count, lambda a, b: a > b)
    threads = [range(60), range(60, 61), range(61, MANY)]
    yield rel.total_orders(threads, MANY)  # program order
    yield rel.total_orders([[*reversed(threads[2]), 3], rng.sample(threads[0], 50)], MANY)  # coherence
    yield rel.reflexive(rel.total_orders(threads, MANY))


def _answers(a: Rows, b: Rows) -> tuple[Rows, Rows, bool]:
    return rel.sequence(a, b), rel.closure(a), rel.is_acyclic(a)


@pytest.mark.parametrize("seed", range(3))
def test_many_events_are_related_like_few(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    shapes = list(_shapes(random.Random(seed)))
    pairs = [(a, b) for a in shapes for b in shapes[:: 3 + seed]]
    large = [_answers(a, b) for a, b in pairs]
    monkeypatch.setattr(rel, "LARGE", MANY + 1)
    assert large == [_answers(a, b) for a, b in pairs]
    assert {acyclic for _, _, acyclic in large} == {True, False}


def test_total_orders_are_all_their_pairs() -> None:
    assert set(rel.pairs(rel.total_orders([(2, 0, 3), (), (1, 4)], 5))) == {(2, 0), (2, 3), (0, 3), (1, 4)}
