"""Tests over processes that are copies of this one: a copy is made in a few thousandths of a second, and has loaded
all that this one has. (The pools of the standard library take longer to load than a hundred tests to run.)"""

from __future__ import annotations

import gc
import os
import pickle
import select
import signal
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Generic, TypeVar

Job = TypeVar("Job")
Row = TypeVar("Row")

_NUMBER = 4  # bytes of a number in a pipe
_AHEAD = 4  # jobs that a process has at most


def in_parallel(
    run: Callable[[Job], Row], died: Callable[[Job], Row], jobs: list[Job], count: int, *, collect: int
) -> Iterator[Row]:
    """The rows in the order of the jobs, as they come. A job over which a process dies is tried once more, in a fresh
    one; if that dies too, `died` makes its row. Whoever stops asking, by an interrupt too, ends the processes."""
    pool = _Pool(run, died, jobs, collect)
    try:
        for _ in range(min(count, len(jobs))):
            pool.start()
        for number in range(len(jobs)):
            while number not in pool.rows:
                pool.wait()
            yield pool.rows.pop(number)
    finally:
        for worker in pool.workers:
            worker.end()


class _Pool(Generic[Job, Row]):
    """`waiting`: the numbers of the jobs that nobody has; `suspects`: those over which a process has died."""

    def __init__(
        self, run: Callable[[Job], Row], died: Callable[[Job], Row], jobs: list[Job], collect: int
    ) -> None:  # fmt: skip
        self.run, self.died, self.jobs, self.collect = run, died, jobs, collect
        self.waiting, self.suspects = deque(range(len(jobs))), set[int]()
        self.rows: dict[int, Row] = {}
        self.workers: list[_Worker] = []

    def start(self) -> None:
        """One more process, with a job."""
        asked, answers = os.pipe(), os.pipe()
        process = os.fork()
        if process == 0:
            os.close(asked[1])
            os.close(answers[0])
            self._work(asked[0], answers[1])
        os.close(asked[0])
        os.close(answers[1])
        worker = _Worker(process, asked[1], answers[0])
        self.workers.append(worker)
        self._ask(worker)

    def _work(self, asked: int, answers: int) -> None:
        """What a process does until it is told to end."""
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent stops everybody
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            gc.set_threshold(self.collect)
            while asking := os.read(asked, _NUMBER):
                row = pickle.dumps(self.run(self.jobs[int.from_bytes(asking)]))
                _write(answers, len(row).to_bytes(_NUMBER) + row)
        finally:
            os._exit(0)

    def _ask(self, worker: _Worker) -> None:
        """Gives it a few jobs, so that it need not wait for the next. What may kill it is given alone."""
        most = max(1, min(_AHEAD, len(self.waiting) // (4 * len(self.workers))))
        while self.waiting and len(worker.has) < most:
            alone = self.suspects.intersection([self.waiting[0], *worker.has])
            if worker.has and alone:
                return
            worker.has.append(self.waiting.popleft())
            with suppress(BrokenPipeError):  # it has died: that is seen where its next row is read
                os.write(worker.asked, worker.has[-1].to_bytes(_NUMBER))

    def wait(self) -> None:
        """Until some process has a row, or has died."""
        ready, _, _ = select.select([w.answers for w in self.workers], [], [])
        for worker in [w for w in self.workers if w.answers in ready]:
            row = worker.read()
            if row is None:
                self._bury(worker)
            else:
                self.rows[worker.has.popleft()] = pickle.loads(row)
                self._ask(worker)

    def _bury(self, worker: _Worker) -> None:
        self.workers.remove(worker)
        worker.end()
        first, *others = worker.has
        self.waiting.extendleft(reversed(others))
        if first in self.suspects:
            self.rows[first] = self.died(self.jobs[first])
        else:
            self.suspects.add(first)
            self.waiting.appendleft(first)
        if self.waiting:
            self.start()


class _Worker:
    """A process, the pipes to and from it, and the numbers of the jobs that it has, in order."""

    def __init__(self, process: int, asked: int, answers: int) -> None:
        self.process, self.asked, self.answers = process, asked, answers
        self.has: deque[int] = deque()

    def read(self) -> bytes | None:
        """Its next row; None where it has died."""
        size = _read(self.answers, _NUMBER)
        return None if size is None else _read(self.answers, int.from_bytes(size))

    def end(self) -> None:
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.asked)
        os.close(self.answers)


def _read(pipe: int, size: int) -> bytes | None:
    found = bytearray()
    while len(found) < size:
        more = os.read(pipe, size - len(found))
        if not more:
            return None
        found += more
    return bytes(found)


def _write(pipe: int, content: bytes) -> None:
    while content:
        content = content[os.write(pipe, content) :]
