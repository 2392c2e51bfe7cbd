"""All ways to order the writes of one location and to let its reads read, with coherence and atomicity.

Coherence (SC per location) speaks of one location at a time, so the candidates of a program are the product of these.
Accesses are numbered 0, 1, ... within the location, the initial write being 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fencepost.enumerate.traces import INITIAL
from fencepost.records import dataclass


class Access(NamedTuple):
    """`pair` is the number of the read half, for the write of a read-modify-write. (A tuple: it is a key, often.)"""

    thread: int
    write: bool
    value: int
    pair: int | None = None


@dataclass(frozen=True, slots=True)
class Solution:
    """`sources`: read -> write. `order`: the writes in coherence order; just the initial one if none is asked for."""

    sources: tuple[tuple[int, int], ...]
    order: tuple[int, ...]


def solve(accesses: tuple[Access, ...], *, coherent: bool, ordered: bool) -> list[Solution]:
    """`coherent`: only what SC per location allows. `ordered`: with every order of the writes."""
    reads = [i for i, a in enumerate(accesses) if not a.write]
    found = []
    for order in _orders(accesses, coherent) if ordered else [(0,)]:
        if coherent:
            sources_list = _coherent_sources(accesses, order)
        else:
            sources_list = _any_sources(accesses, reads, 0, {})
        for sources in sources_list:
            if not ordered or _atomic(accesses, order, sources):
                found.append(Solution(tuple(sorted(sources.items())), order))
    return found


def _orders(accesses: tuple[Access, ...], coherent: bool) -> Iterator[tuple[int, ...]]:
    """Total orders of the writes, the initial one first; with `coherent` those that agree with program order."""
    threads: dict[int, list[int]] = {}
    for i, a in enumerate(accesses):
        if a.write and a.thread != INITIAL:
            threads.setdefault(a.thread if coherent else i, []).append(i)
    queues = list(threads.values())

    def extend(taken: list[int], order: list[int]) -> Iterator[tuple[int, ...]]:
        done = True
        for q, queue in enumerate(queues):
            if taken[q] < len(queue):
                done = False
                w = queue[taken[q]]
                if accesses[w].pair is not None and not _follows_its_source(accesses, order, w):
                    continue
                taken[q] += 1
                order.append(w)
                yield from extend(taken, order)
                order.pop()
                taken[q] -= 1
        if done:
            yield (0, *order)

    yield from extend([0] * len(queues), [])


def _follows_its_source(accesses: tuple[Access, ...], order: list[int], write: int) -> bool:
    """Whether this read-modify-write may have read a write that comes before it: one of the value that it read."""
    a = accesses[write]
    assert a.pair is not None, "only the write of a read-modify-write should be asked"
    wanted = accesses[a.pair].value
    own = foreign = False
    for w in (*reversed(order), 0):
        if accesses[w].value == wanted and (own or not foreign):
            return True
        own, foreign = own or accesses[w].thread == a.thread, foreign or accesses[w].thread != a.thread
    return False


def _coherent_sources(accesses: tuple[Access, ...], order: tuple[int, ...]) -> Iterator[dict[int, int]]:
    position = {w: p for p, w in enumerate(order)}
    suppliers: dict[int, list[int]] = {}
    for w in order:
        suppliers.setdefault(accesses[w].value, []).append(w)

    def extend(i: int, floor: dict[int, int], sources: dict[int, int]) -> Iterator[dict[int, int]]:
        """floor: how far each thread has seen. Accesses of a thread come in program order."""
        if i == len(accesses):
            yield dict(sources)
            return
        a = accesses[i]
        seen = floor.get(a.thread, 0)
        if a.write:
            if a.thread != INITIAL and position[i] <= seen:
                return
            if a.pair is not None and not _between(accesses, order, position[sources[a.pair]], position[i], a.thread):
                return
            yield from extend(i + 1, {**floor, a.thread: position[i]}, sources)
            return
        for w in suppliers.get(a.value, ()):
            if position[w] >= seen:
                sources[i] = w
                yield from extend(i + 1, {**floor, a.thread: position[w]}, sources)
                del sources[i]

    yield from extend(0, {}, {})


def _between(accesses: tuple[Access, ...], order: tuple[int, ...], first: int, last: int, thread: int) -> bool:
    """Whether nothing lies strictly between two positions, or something of the thread itself: then models differ in
    whether something of another thread may be there, too, and are asked (armv8 allows it)."""
    between = [accesses[w].thread for w in order[first + 1 : last]]
    return not between or thread in between


def _any_sources(
    accesses: tuple[Access, ...], reads: list[int], k: int, sources: dict[int, int]
) -> Iterator[dict[int, int]]:
    if k == len(reads):
        yield dict(sources)
        return
    for w, a in enumerate(accesses):
        if a.write and a.value == accesses[reads[k]].value:
            sources[reads[k]] = w
            yield from _any_sources(accesses, reads, k + 1, sources)
            del sources[reads[k]]


def _atomic(accesses: tuple[Access, ...], order: tuple[int, ...], sources: dict[int, int]) -> bool:
    position = {w: p for p, w in enumerate(order)}
    return all(
        _between(accesses, order, position[sources[a.pair]], position[i], a.thread)
        and position[sources[a.pair]] < position[i]
        for i, a in enumerate(accesses)
        if a.pair is not None
    )
