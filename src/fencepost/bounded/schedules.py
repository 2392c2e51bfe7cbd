"""Who is active in which context."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

from fencepost.bounded.views import Schedule

#: With more schedules than this, one formula in which the schedule is guessed beats one formula for each (measured).
MAX_SCHEDULES = 12


def schedules(processes: int, contexts: int) -> Iterator[Schedule | None]:
    """Who is active when: every way without two contexts of the same process in a row, which would be one. None stands
    for all of them at once."""
    if processes == 1:
        yield (0,)
        return
    if processes * (processes - 1) ** (contexts - 1) > MAX_SCHEDULES:
        yield None
        return
    for schedule in product(range(processes), repeat=contexts):
        if all(a != b for a, b in pairwise(schedule)):
            yield schedule
