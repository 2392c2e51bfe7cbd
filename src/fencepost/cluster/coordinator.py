"""Drives an exploration on a cluster: cuts it into pieces, keeps every worker busy, and adds up what comes back."""

from __future__ import annotations

import time
import uuid
from pathlib import Path

from fencepost import _core, reasons
from fencepost.cluster.ledger import Ledger
from fencepost.cluster.pool import Arrival, Pool, Trouble
from fencepost.cluster.tasks import ENDS, End, Job, Return, Task, job_of, open_return
from fencepost.errors import UsageError
from fencepost.explore import saved
from fencepost.explore.engines import Engine
from fencepost.explore.journal import Journal, load
from fencepost.explore.native import (
    PATIENCE,
    Report,
    Watch,
    as_estimate,
    interrupts,
    is_hopeless,
    native_settings,
    options_of,
    resident,
    without_limit,
)
from fencepost.explore.packed import DamagedError
from fencepost.models.registry import Model
from fencepost.options import ExploreOptions
from fencepost.prepare.encoded import Prepared
from fencepost.reasons import Reason
from fencepost.verdict import Estimate

_ALONE = 0.3  # seconds that this process explores by itself: small programs never leave it
_LOOK = 0.1  # seconds between two looks at the clock and the keyboard
_SHORT, _LONG, _LONGEST = 0.5, 2.0, 5.0  # seconds of a task: where work is short, as a rule, and for many workers
_MANY = 400  # workers from which tasks are longest
_AT_ONCE = 512  # pieces that are cut at once here
_PARTS, _MOST_PARTS = 8, 64  # that a worker cuts what it leaves into: at least, as cuts are uneven, and at most
_MOST_DEATHS = 12  # of workers over one piece in a row
_ALONE_FOR = 60.0  # seconds without any worker: those that died may be started again
_UNLIMITED = 2**62
_MEBIBYTE = 1 << 20
_FIRST_LOOK = 5.0  # seconds before what is left is estimated
_PROBING = 0.01  # the share of the time that goes into estimates


def new_run() -> str:
    """A name for one coordinator."""
    return uuid.uuid4().hex[:12]


class Coordinator:
    """One exploration. `pool` runs the tasks."""

    def __init__(
        self, prepared: Prepared, model: Model, engine: Engine, options: ExploreOptions, pool: Pool, run: str,
        progress: Watch | None = None,
    ) -> None:  # fmt: skip
        self.options, self.pool, self.run, self.progress = options, pool, run, progress
        self.started = time.perf_counter()
        settings = native_settings(prepared, model, engine, options, 0)
        self.job: Job = job_of(prepared, settings)
        self.here = _core.Exploration(prepared.bytecode, options_of(settings))
        self.probes = _core.Exploration(prepared.bytecode, options_of(settings))
        self.probed = 0.0
        self.notes: list[str] = []
        before = _core.CoreResults()
        pieces: tuple[bytes, ...] = (b"",)
        fingerprint = saved.fingerprint(prepared, model, options) if options.save or options.resume else ""
        if options.resume:
            before, pieces = self._resumed(Path(options.resume), fingerprint)
        self.cuts = prepared.program.cuts
        self.journal = Journal(Path(options.save), fingerprint, self.cuts) if options.save else None
        self.ledger = Ledger(before, pieces, self.journal)
        self.flying: dict[int, float] = {}  # numbers of pieces that somebody works on, since when
        self.deaths: dict[int, int] = {}
        self.knowing: set[str] = set()  # workers that have the job
        self.cpu = 0.0
        self.without_workers: float | None = None

    def _resumed(self, file: Path, fingerprint: str) -> tuple[_core.CoreResults, tuple[bytes, ...]]:
        state = load(file)
        saved.refuse_other(file, state, fingerprint)
        self.notes += saved.lost_note(file, state)
        return state.results, state.remaining

    # --- the whole

    def report(self) -> Report:
        with interrupts(self.here.stop) as came:
            try:
                reason = self._explored(came)
            finally:
                self.pool.close()
                if self.journal is not None:
                    if self.journal.behind:
                        self.journal.renew(self.ledger.results, self.ledger.pieces)
                    self.journal.close()
        estimate = self._estimate() if reason is not None else None
        unsaved = self.journal.problem if self.journal is not None else ""
        self.notes += [f"worker {address} is not used: {why}" for address, why in self.pool.unfit.items()]
        return Report(
            self.ledger.results, self._seconds(), reason, self.ledger.failed, estimate, unsaved, tuple(self.notes)
        )

    def _explored(self, came: list[int]) -> Reason | None:
        """Why it ended before its time; None where everything was explored or an error was found."""
        if (reason := self._ended(came)) is not None:
            return reason
        self._begin()
        while self.ledger.pieces and not self.ledger.failed:
            if (reason := self._ended(came)) is not None:
                return reason
            self._hand_out()
            for arrival in self.pool.arrivals(_LOOK):
                self._take(arrival)
            if self.journal is not None:
                self.journal.sync()
            self._tell()
        return None

    def _begin(self) -> None:
        """The first moments here: what is small never leaves, and what is large has choices to give away then."""
        if list(self.ledger.pieces.values()) != [b""]:
            return
        end = self.here.run(min(_ALONE, self._time_left()), self._budget(), 1)
        self.here.split(min(4 * max(self.pool.threads, 1), _AT_ONCE))
        (number,) = self.ledger.pieces
        self.ledger.ready.clear()
        left = tuple(self.here.remaining())
        self.ledger.commit(Return(number, ENDS.get(end, End.PAUSED), self.here.results(), left))

    # --- limits

    def _seconds(self) -> float:
        return time.perf_counter() - self.started

    def _time_left(self) -> float:
        return 1e9 if self.options.time_limit is None else max(self.options.time_limit - self._seconds(), 0.0)

    def _budget(self) -> int:
        most = self.options.max_executions
        return _UNLIMITED if most is None else most - self.ledger.visited

    def _ended(self, came: list[int]) -> Reason | None:
        """Why it should stop now; None where it should not."""
        options = self.options
        if came:
            return reasons.interrupted()
        if options.time_limit is not None and self._time_left() <= 0:
            return reasons.out_of_time(options.time_limit)
        if options.max_executions is not None and self._budget() <= 0:
            return reasons.out_of_executions(options.max_executions)
        if options.memory is not None and resident() > options.memory * _MEBIBYTE:
            return reasons.out_of_memory(options.memory)
        if without_limit(options) and self._seconds() > PATIENCE and self._is_hopeless():
            return reasons.hopeless(PATIENCE)
        return self._abandoned()

    def _is_hopeless(self) -> bool:
        return is_hopeless(self._estimate(), self.ledger.visited, self._seconds())

    def _abandoned(self) -> Reason | None:
        """Where nobody is left to work: the scheduler is gone, or has had no worker for a while."""
        if self.pool.gone:
            return reasons.cluster_gone(self.pool.gone)
        if self.pool.threads:
            self.without_workers = None
        elif self.without_workers is None:
            self.without_workers = time.monotonic()
        elif time.monotonic() - self.without_workers > _ALONE_FOR:
            why = "; ".join(f"{a}: {w}" for a, w in sorted(self.pool.unfit.items())[:3])
            return reasons.cluster_gone(f"no worker is left{f' ({why})' if why else ''}")
        return None

    # --- work

    def _hand_out(self) -> None:
        """Two pieces for each worker: one that it works on, and the next."""
        threads = self.pool.threads
        while self.ledger.ready and len(self.flying) < 2 * threads:
            number = self.ledger.ready.popleft()
            if number in self.ledger.pieces and number not in self.flying:
                self._submit(number, threads)

    def _submit(self, number: int, threads: int, *, with_job: bool = False) -> None:
        """Where there are few pieces, tasks are short and what they leave is cut."""
        pieces = len(self.ledger.pieces)
        scarce = pieces < 3 * threads
        seconds = _SHORT if scarce else _LONGEST if threads > _MANY else _LONG
        parts = min(max(-(-4 * threads // pieces), _PARTS), _MOST_PARTS) if scarce else 1
        seconds = min(seconds / 2 ** self.deaths.get(number, 0) or 0.01, self._time_left())
        job = self.job.content if with_job or len(self.knowing) < threads else b""
        task = Task(
            self.run, self.job.fingerprint, number, self.ledger.pieces[number], seconds, self._budget(), parts, job
        )
        self.flying[number] = time.monotonic()
        self.pool.submit(number, task.packed(), first=with_job)

    def _take(self, arrival: Arrival) -> None:
        self.flying.pop(arrival.number, None)
        if arrival.trouble is not None:
            return self._again(arrival.number, arrival.trouble)
        try:
            returned = open_return(arrival.content)
        except DamagedError:
            return self._again(arrival.number, Trouble.LOST)
        if returned.end is End.LACKS_JOB:
            if returned.number in self.ledger.pieces:
                self._submit(returned.number, self.pool.threads, with_job=True)
        elif returned.end is End.REFUSED:
            self._again(returned.number, Trouble.UNFIT)
        else:
            self.knowing.add(returned.worker)
            self.cpu += returned.cpu
            self.deaths.pop(returned.number, None)
            self.ledger.commit(returned)

    def _again(self, number: int, trouble: Trouble) -> None:
        """A piece whose workers keep dying is given up: it may need more memory than they have."""
        if trouble is Trouble.KILLED:
            self.deaths[number] = self.deaths.get(number, 0) + 1
            if self.deaths[number] > _MOST_DEATHS:
                raise UsageError(
                    f"workers die over the same piece of work again and again ({self.deaths[number]} times): they may "
                    f"be short of memory{self._kept()}"
                )
        self.ledger.give_back(number)

    def _kept(self) -> str:
        return f"; what was found is in {self.options.save}" if self.options.save else ""

    # --- what is told

    def _tell(self) -> None:
        if self.progress is not None:
            self.progress(self.ledger.visited, self._seconds(), self._estimate(), self.pool.threads)

    def _estimate(self) -> Estimate | None:
        """From samples of what is left, as on one machine: a hundredth of the time goes into them."""
        if self._seconds() > _FIRST_LOOK and self.probed <= _PROBING * self._seconds():
            before = time.perf_counter()
            self.probes.set_remaining(list(self.ledger.pieces.values()))
            self.probes.estimate(max(_PROBING * self._seconds(), 0.1))
            self.probed += time.perf_counter() - before
        outlook, results = self.probes.outlook, self.ledger.results
        return as_estimate(outlook, results, self._seconds(), results.choices) if outlook.any else None
