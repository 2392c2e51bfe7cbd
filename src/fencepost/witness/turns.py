"""The same story with the fewest changes from one thread to another.

An order of the steps is given. Steps of which one must come before the other keep their places; the others may swap.
Whoever is on may go on as long as it can: a step of the same thread that is moved forward, to where it may already
happen, can only make a later turn shorter or needless. So only the choice of the next thread is searched, by the number
of turns: the first end that is reached has the fewest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from fencepost.execution.execution import Pair

Unit = tuple[int, ...]
Needs = list[list[dict[int, int]]]  # of each thread's units: how far other threads must have come
At = tuple[int, ...]

#: How many ways to go on are looked at: a fixed amount of work.
_MOST = 20_000


def fewest_turns(order: list[Unit], thread_of: Mapping[int, int], kept: Iterable[Pair]) -> list[Unit]:
    """`order` itself where nothing is better, or where the search would be long. The pairs `kept` are those of events
    that stay as they are in `order`; so do those of one thread."""
    threads = sorted({thread_of[unit[0]] for unit in order})
    lines: list[list[Unit]] = [[u for u in order if thread_of[u[0]] == t] for t in threads]
    turns = sum(thread_of[a[0]] != thread_of[b[0]] for a, b in pairwise(order)) + 1
    if turns <= len(threads):
        return order
    found = _search(lines, _needs(order, lines, kept), turns)
    return order if found is None else found


def _needs(order: list[Unit], lines: list[list[Unit]], kept: Iterable[Pair]) -> Needs:
    rank = {e: n for n, unit in enumerate(order) for e in unit}
    place = {e: (t, i) for t, line in enumerate(lines) for i, unit in enumerate(line) for e in unit}
    needs: Needs = [[{} for _ in line] for line in lines]
    for pair in kept:
        if all(e in rank for e in pair):
            first, second = sorted(pair, key=rank.__getitem__)
            (t, i), (u, j) = place[first], place[second]
            if t != u:
                needs[u][j][t] = max(needs[u][j].get(t, 0), i + 1)
    return needs


def _search(lines: list[list[Unit]], needs: Needs, turns: int) -> list[Unit] | None:
    """Level by level; None where no order has fewer than so many turns, or the search was long."""
    start: At = tuple(0 for _ in lines)
    end: At = tuple(len(line) for line in lines)
    came: dict[At, tuple[At, int]] = {}
    level = [start]
    for _ in range(turns - 1):
        following: list[At] = []
        for at in level:
            for t in range(len(lines)):
                after = _run(at, t, needs)
                if after != at and after not in came:
                    came[after] = (at, t)
                    following.append(after)
        if end in came:
            return _told(end, came, lines)
        if len(came) > _MOST:
            return None
        level = following
    return None


def _run(at: At, t: int, needs: Needs) -> At:
    """Where all stand when this thread has gone as far as it can."""
    i, line = at[t], needs[t]
    while i < len(line) and all(at[u] >= far for u, far in line[i].items()):
        i += 1
    return (*at[:t], i, *at[t + 1 :])


def _told(end: At, came: Mapping[At, tuple[At, int]], lines: list[list[Unit]]) -> list[Unit]:
    blocks: list[list[Unit]] = []
    while end in came:
        before, t = came[end]
        blocks.append(lines[t][before[t] : end[t]])
        end = before
    return [unit for block in reversed(blocks) for unit in block]
