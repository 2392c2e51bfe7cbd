"""Many small jobs on a cluster: bytes for each, bytes back, in any order. One that kills its workers is told, and the
others go on."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing

from fencepost.cluster.connection import connect, name_of, wait_for_workers
from fencepost.cluster.coordinator import new_run
from fencepost.cluster.pool import DaskPool, Trouble, Work
from fencepost.errors import UsageError

_LOOK = 0.1  # seconds
_MOST_DEATHS = 3  # of workers over one item


def share(
    where: object, certificates: str | None, workers: int, work: Work, items: Sequence[bytes], run: str = ""
) -> Iterator[tuple[int, bytes | None]]:
    """What `work` makes of each item, by its number, as it comes; None where workers died over it again and again.
    Raises UsageError where the cluster goes away. `work` (see DaskPool) should give the same however often it is
    asked. `run` is the name by which workers can be told to stop."""
    pool = DaskPool(connect(where, certificates, workers), run or new_run(), work)
    with closing(pool):
        wait_for_workers(pool, name_of(where))
        yield from _shared(pool, name_of(where), items)


def _shared(pool: DaskPool, where: str, items: Sequence[bytes]) -> Iterator[tuple[int, bytes | None]]:
    ready, flying, deaths = deque(range(len(items))), set[int](), dict[int, int]()
    while ready or flying:
        if pool.gone:
            raise UsageError(f"--cluster {where}: {pool.gone}")
        while ready and len(flying) < 2 * max(pool.threads, 1):
            flying.add(ready[0])
            pool.submit(ready[0], items[ready.popleft()])
        for arrival in pool.arrivals(_LOOK):
            if arrival.number not in flying:
                continue
            flying.remove(arrival.number)
            deaths[arrival.number] = deaths.get(arrival.number, 0) + (arrival.trouble is Trouble.KILLED)
            if arrival.trouble is None or deaths[arrival.number] >= _MOST_DEATHS:
                yield arrival.number, arrival.content if arrival.trouble is None else None
            elif arrival.trouble is Trouble.UNFIT and not pool.threads:
                raise UsageError(f"--cluster {where}: no worker can be used: {arrival.why}")
            else:
                ready.append(arrival.number)
