"""Workers in this process that lose, repeat and delay as real ones do, by chance, and a coordinator over them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import fencepost
from fencepost.cluster import worker
from fencepost.cluster.coordinator import Coordinator, new_run
from fencepost.cluster.pool import Arrival, Trouble
from fencepost.cluster.tasks import open_task
from fencepost.explore.begin import begin
from fencepost.explore.native import Report
from fencepost.models.registry import find
from fencepost.options import CheckOptions

PROGRAMS = Path(__file__).parent.parent.parent / "benchmarks" / "programs"


class FakePool:
    """Implements Pool. A task runs for a number of executions, so that a retry is cut elsewhere."""

    def __init__(
        self, seed: int, *, loss: float = 0.0, twice: float = 0.0, timed: float = 0.0, threads: int = 3
    ) -> None:
        self.chance, self.loss, self.twice, self.timed = random.Random(seed), loss, twice, timed
        self.threads, self.gone, self.unfit = threads, "", {}
        self.waiting: list[tuple[int, bytes]] = []
        self.late: list[Arrival] = []
        self.lost = self.repeated = self.tasks = 0

    def submit(self, number: int, content: bytes, *, first: bool = False) -> None:
        self.tasks += 1
        self.waiting.append((number, content))

    def arrivals(self, seconds: float) -> list[Arrival]:
        self.chance.shuffle(self.waiting)
        found = []
        while self.waiting and self.chance.random() < 0.8:
            number, content = self.waiting.pop()
            found += self._ran(number, content)
        if self.late and self.chance.random() < 0.5:
            found.append(self.late.pop())
        return found

    def _ran(self, number: int, content: bytes) -> list[Arrival]:
        if self.chance.random() < self.loss:
            self.lost += 1
            if self.chance.random() < 0.5:  # it was done, and comes after all
                self.late.append(self._work(number, content))
            return [Arrival(number, trouble=self.chance.choice(list(Trouble)))]
        if self.chance.random() < self.twice:
            self.repeated += 1
            return [self._work(number, content), self._work(number, content)]
        return [self._work(number, content)]

    def _work(self, number: int, content: bytes) -> Arrival:
        task = open_task(content)
        parts = max(task.parts, self.chance.randint(1, 3))
        if self.timed and self.chance.random() < self.timed:  # after its time, what is small is done at once
            seconds, some = 0.0002, task.executions
        else:
            seconds, some = 100.0, min(task.executions, self.chance.randint(1, 400))
        changed = type(task)(
            task.run, task.fingerprint, task.number, task.piece, seconds, some, parts, task.job, task.version
        )
        return Arrival(number, worker.work(changed.packed()))

    def stop_running(self) -> None: ...
    def close(self) -> None: ...


def coordinate(name: str, pool: Any, *, flags: tuple[str, ...] = (), model: str = "rc11", **options: Any) -> Report:
    """An exploration by this pool from its very first execution."""
    asked, under = CheckOptions(digest=True, **options), find(model)
    prepared, engine = begin(fencepost.read(PROGRAMS / f"{name}.fp", flags=flags), under, asked)
    assert prepared is not None
    return Coordinator(prepared, under, engine, asked, pool, new_run()).report()
