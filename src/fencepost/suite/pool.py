"""Tests over processes. Apart from suite/run.py, since a short run in one process has no use for what this imports."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children
from typing import TypeVar

Job = TypeVar("Job")
Row = TypeVar("Row")


def in_parallel(
    run: Callable[[Job], Row],
    died: Callable[[Job], Row],
    jobs: list[Job],
    count: int,
    *,
    collect: int,
) -> Iterator[Row]:
    """Over processes. Where one of them dies, the next test in line is tried alone: if that kills its process too,
    `died` makes its row; then the others go on."""
    done = 0
    while done < len(jobs):
        try:
            for result in _pooled(run, jobs[done:], count, collect):
                done += 1
                yield result
        except BrokenProcessPool:
            yield _alone(run, died, jobs[done], collect)
            done += 1


def _alone(run: Callable[[Job], Row], died: Callable[[Job], Row], item: Job, collect: int) -> Row:
    try:
        return next(_pooled(run, [item], 1, collect))
    except BrokenProcessPool:
        return died(item)


def _pooled(run: Callable[[Job], Row], jobs: list[Job], count: int, collect: int) -> Iterator[Row]:
    """Whoever stops asking, by an interrupt too, ends the processes at once."""
    others = set(active_children())
    pool = ProcessPoolExecutor(count, initializer=_begin_worker, initargs=(collect,))
    try:
        yield from pool.map(run, jobs, chunksize=max(1, min(4, len(jobs) // (4 * count))))
    finally:
        for process in set(active_children()) - others:
            process.terminate()
        pool.shutdown(wait=False, cancel_futures=True)


def _begin_worker(collect: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent stops everybody
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # by this one
    gc.set_threshold(collect)
