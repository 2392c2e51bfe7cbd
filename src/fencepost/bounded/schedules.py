"""Who is active in which context."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise, product

from fencepost.bounded.views import Schedule

#: With more schedules than this, one formula in which the schedule is guessed beats one formula for each (measured).
MAX_SCHEDULES = 12


def schedules(processes: int, contexts: int) -> Iterator[Schedule | None]:
    """Who is active when: every way without two contexts of the same process in a row, which would be one. None stands
    for all of them at once."""
    if processes == 1:
        yield (0,)
    elif _many(processes, contexts):
        yield None
    else:
        yield from _turns(range(processes), contexts)


def likely(processes: int, contexts: int, watcher: int | None) -> Iterator[Schedule]:
    """Where there are many schedules and one process only watches: those in which it comes last, once. It most likely
    sees then what it should not, and each of them is decided much sooner than all at once."""
    others = [p for p in range(processes) if p != watcher]
    if watcher is None or not 1 < len(others) < contexts or not _many(processes, contexts):
        return
    if not _many(len(others), contexts - 1):
        yield from ((*schedule, watcher) for schedule in _turns(others, contexts - 1))


def _many(processes: int, contexts: int) -> bool:
    return bool(processes * (processes - 1) ** (contexts - 1) > MAX_SCHEDULES)


def _turns(processes: Iterable[int], contexts: int) -> Iterator[Schedule]:
    return (s for s in product(processes, repeat=contexts) if all(a != b for a, b in pairwise(s)))
