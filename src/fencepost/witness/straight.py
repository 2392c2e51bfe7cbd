"""How far an order of a story is from threads that take turns, and the order that is nearest to it.

What a person has to put up with is counted: reads of a value that is told only later; reads that miss a newer one that
was told, and stores that take effect before one that was told, which are harder to follow; and last the changes from
one thread to another. An order
can be begun in many ways; what is still to come depends only on how far each thread has come and on who is on. So the
search goes over these states, the cheapest first, and the first end that it reaches is a best one."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from itertools import pairwise
from math import prod
from typing import NamedTuple

from fencepost.execution.execution import Pair
from fencepost.records import dataclass
from fencepost.witness.relations import Relations
from fencepost.witness.turns import At, Unit

#: States that are looked at: a fixed amount of work.
_MOST = 6_000

Place = tuple[int, int]  # a thread's number among those told, and how far it must have come


class Effort(NamedTuple):
    """What it takes to follow a story; less is better, from left to right."""

    early: int  # reads of what is told only later
    late: int  # reads that miss a newer value that was told, and the stores below
    sunk: int  # stores that take effect before one that was told
    turns: int

    @property
    def weak(self) -> bool:
        return self.early + self.late > 0


def effort(relations: Relations, order: list[Unit]) -> Effort:
    thread = [relations.events[unit[0]].thread for unit in order]
    turns = sum(a != b for a, b in pairwise(thread)) + bool(order)
    done: set[int] = set()
    early = late = sunk = 0
    told = {e for unit in order for e in unit}
    for unit in order:
        for e in unit:
            source = relations.execution.reads_from.get(e)
            if source in told and source not in done and source not in unit:
                early += 1
            elif done.intersection(relations.missed(e)):
                late += 1
            sunk += bool(done.intersection(_after(relations, e)))
        done.update(unit)
    return Effort(early, late + sunk, sunk, turns)


def straightest(relations: Relations, order: list[Unit], kept: Iterable[Pair]) -> list[Unit]:
    """`order` itself where nothing is better, or where the search would be long. The pairs `kept` are those of events
    that stay as they are in `order`; so do those of one thread."""
    told = effort(relations, order)
    if not told.weak:
        return order
    threads = sorted({relations.events[unit[0]].thread for unit in order})
    lines = [[u for u in order if relations.events[u[0]].thread == t] for t in threads]
    if prod(len(line) + 1 for line in lines) * len(lines) > _MOST:
        return order
    found = _search(lines, _weights(relations, order, lines, kept))
    return found if effort(relations, found) < told else order


def _after(relations: Relations, write: int) -> tuple[int, ...]:
    """The stores after this one in coherence."""
    order = relations.execution.coherence.get(relations.events[write].address, ())
    return order[order.index(write) + 1 :] if write in order else ()


@dataclass(frozen=True, slots=True)
class _Weight:
    """Of a unit: what must have been told before it, what it reads from, and what should not have been told yet, of
    each read and of each store."""

    needs: tuple[Place, ...]
    sources: tuple[tuple[Place | None, tuple[Place, ...]], ...]
    later: tuple[tuple[Place, ...], ...]

    def may(self, at: At) -> bool:
        return all(at[t] >= far for t, far in self.needs)

    def cost(self, at: At) -> tuple[int, int, int]:
        early = late = 0
        for source, missed in self.sources:
            if source is not None and at[source[0]] < source[1]:
                early += 1
            else:
                late += any(at[t] >= far for t, far in missed)
        sunk = sum(any(at[t] >= far for t, far in after) for after in self.later)
        return early, late + sunk, sunk


def _weights(
    relations: Relations, order: list[Unit], lines: list[list[Unit]], kept: Iterable[Pair]
) -> list[list[_Weight]]:
    rank = {e: n for n, unit in enumerate(order) for e in unit}
    place = {e: (t, i + 1) for t, line in enumerate(lines) for i, unit in enumerate(line) for e in unit}
    before: dict[int, set[Place]] = {}
    for pair in kept:
        if all(e in rank for e in pair):
            first, second = sorted(pair, key=rank.__getitem__)
            before.setdefault(second, set()).add(place[first])
    reads_from = relations.execution.reads_from

    def places(events: Iterable[int]) -> tuple[Place, ...]:
        return tuple(place[e] for e in events if e in place)

    def weight(unit: Unit) -> _Weight:
        needs = {p for e in unit for p in before.get(e, ()) if p[0] != place[unit[0]][0]}
        sources = tuple(
            (None if reads_from[e] in unit else place.get(reads_from[e]), places(relations.missed(e)))
            for e in unit if e in reads_from
        )  # fmt: skip
        return _Weight(tuple(needs), sources, tuple(places(_after(relations, e)) for e in unit))

    return [[weight(unit) for unit in line] for line in lines]


def _search(lines: list[list[Unit]], weights: list[list[_Weight]]) -> list[Unit]:
    start: At = tuple(0 for _ in lines)
    end: At = tuple(len(line) for line in lines)
    first = (start, -1)
    came: dict[tuple[At, int], tuple[At, int]] = {}
    best = {first: Effort(0, 0, 0, 0)}
    queue = [(best[first], *first)]
    while queue:
        so_far, at, last = heappop(queue)
        if at == end:
            return _told(at, last, came, lines)
        if so_far > best[at, last]:
            continue
        for t, line in enumerate(lines):
            if at[t] == len(line) or not weights[t][at[t]].may(at):
                continue
            early, late, sunk = weights[t][at[t]].cost(at)
            next_ = ((*at[:t], at[t] + 1, *at[t + 1 :]), t)
            cost = Effort(so_far.early + early, so_far.late + late, so_far.sunk + sunk, so_far.turns + (t != last))
            if next_ not in best or cost < best[next_]:
                best[next_], came[next_] = cost, (at, last)
                heappush(queue, (cost, *next_))
    raise AssertionError("the order that is given should be one of them")


def _told(at: At, last: int, came: dict[tuple[At, int], tuple[At, int]], lines: list[list[Unit]]) -> list[Unit]:
    story: list[Unit] = []
    while last >= 0:
        at, before = came[at, last]
        story.append(lines[last][at[last]])
        last = before
    return story[::-1]
