"""The workers of a dask cluster as the coordinator sees them: bytes go out, bytes or a problem come back.

Each submission has a key of its own, so that dask never takes one return for another; what dask runs again by itself
after a loss is one more return of the same piece, and the ledger drops what comes too late.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from itertools import count
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from fencepost._version import __version__
from fencepost.cluster import worker
from fencepost.cluster.entry import enter
from fencepost.records import dataclass

if TYPE_CHECKING:
    from distributed import Client, Future

_WORKER = worker.__name__
_LOOK = 1.0  # seconds between two looks at who is there
_SILENCE = 15.0  # seconds without a word after which the scheduler is gone


Work: TypeAlias = str | Callable[[bytes], bytes]


class Trouble(Enum):
    """KILLED: workers died while they had it. UNFIT: this worker cannot run our work. LOST: dask forgot about it."""

    KILLED = "killed"
    UNFIT = "unfit"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Arrival:
    """What came back of the piece with this number."""

    number: int
    content: bytes = b""
    trouble: Trouble | None = None
    why: str = ""


class Pool(Protocol):
    """Whoever runs tasks."""

    @property
    def threads(self) -> int:
        """How many pieces run at the same time."""

    @property
    def gone(self) -> str:
        """Why nothing will ever come back; empty while there is hope."""

    @property
    def unfit(self) -> dict[str, str]:
        """The workers that cannot run our work, and why."""

    def submit(self, number: int, content: bytes, *, first: bool = False) -> None: ...
    def arrivals(self, seconds: float) -> list[Arrival]: ...
    def stop_running(self) -> None: ...
    def close(self) -> None: ...


class DaskPool:
    """Implements Pool. `run` names this coordinator. `work` is the place of the function that workers call with the
    bytes that they get, as `module:function`; or, for what workers cannot import, a function that dask carries there.
    """

    def __init__(self, client: Client, run: str, work: Work = f"{_WORKER}:work") -> None:
        self.client, self.run, self.work = client, run, work
        self.unfit: dict[str, str] = {}
        self._fit: set[str] = set()
        self._asked: dict[str, Future[Any]] = {}
        self._threads: dict[str, int] = {}
        self._flying: dict[str, tuple[int, Future[Any]]] = {}
        self._done: SimpleQueue[str] = SimpleQueue()
        self._open: dict[str, Future[Any]] = {}  # of which nobody has heard yet
        self._attempts = count()
        self._heard = time.monotonic()
        self._closed = threading.Event()
        self._first_look = threading.Event()
        threading.Thread(target=self._watch, daemon=True, name="fencepost-cluster").start()
        self._first_look.wait(_SILENCE)

    # --- who is there

    @property
    def threads(self) -> int:
        return sum(n for address, n in self._threads.items() if address in self._fit)

    @property
    def workers(self) -> int:
        return len(self._threads)

    @property
    def undecided(self) -> bool:
        """Whether some worker has not yet said which version it has."""
        return any(a not in self._fit and a not in self.unfit for a in self._threads)

    @property
    def gone(self) -> str:
        if self.client.status in ("closed", "closing"):
            return "the connection to the scheduler is closed"
        if time.monotonic() - self._heard > _SILENCE:
            return f"the scheduler has not answered for {_SILENCE:g} seconds"
        return ""

    def _watch(self) -> None:
        while not self._closed.is_set():
            try:
                self._threads = dict(self.client.nthreads())
                self._heard = time.monotonic()
                for address in set(self._threads) - set(self._asked):
                    self._ask(address)
            except Exception:  # it may come back; `gone` says when not
                if self._closed.is_set():
                    return
            self._first_look.set()
            self._closed.wait(_LOOK)

    def _ask(self, address: str) -> None:
        """Which version a worker has, before it gets work."""
        key = f"fencepost-version-{self.run}-{next(self._attempts)}"
        asked = f"{_WORKER}:require", __version__
        future = self.client.submit(enter, *asked, key=key, workers=[address], pure=False, priority=10)
        self._asked[address] = future
        self._when_done(key, future, lambda: self._told(address, future))

    def _told(self, address: str, future: Future[Any]) -> None:
        """pre: on dask's own thread, which must not wait."""
        if future.status == "finished":
            self._fit.add(address)
        elif future.status == "error" and not _is_death(problem := future.exception()):
            self.unfit[address] = _unfit(problem)

    def _when_done(self, key: str, future: Future[Any], call: Callable[[], None]) -> None:
        """Dask tells on a thread of its own."""

        def told(_: object) -> None:
            self._open.pop(key, None)
            call()

        self._open[key] = future
        future.add_done_callback(told)

    # --- work

    def submit(self, number: int, content: bytes, *, first: bool = False) -> None:
        key = f"fencepost-explore-{self.run}-{number}-{next(self._attempts)}"
        only = sorted(self._fit & set(self._threads)) if self.unfit else None
        call = (enter, self.work) if isinstance(self.work, str) else (self.work,)
        future = self.client.submit(*call, content, key=key, workers=only or None, pure=False, priority=int(first))
        self._flying[key] = number, future
        self._when_done(key, future, lambda: self._done.put(key))

    def arrivals(self, seconds: float) -> list[Arrival]:
        """What has come back, after at most so many seconds."""
        keys = []
        try:
            keys.append(self._done.get(timeout=seconds))
            while True:
                keys.append(self._done.get_nowait())
        except Empty:
            pass
        done = [self._flying.pop(key) for key in keys if key in self._flying]
        whole = [(number, future) for number, future in done if future.status == "finished"]
        return [*self._gathered(whole), *(_trouble(n, f) for n, f in done if f.status != "finished")]

    def _gathered(self, done: list[tuple[int, Future[Any]]]) -> list[Arrival]:
        """All at once, which costs one message; one by one where one of them is in trouble."""
        if not done:
            return []
        try:
            contents = self.client.gather([future for _, future in done])
        except Exception:
            return [_fetched(number, future) for number, future in done]
        return [Arrival(number, content) for (number, _), content in zip(done, contents, strict=True)]

    def stop_running(self) -> None:
        """Tells every worker, and waits for a moment: one that has died would never answer."""
        there = sorted(self._fit & set(self._threads))
        told = threading.Thread(target=_quietly, args=(lambda: self._stop(there),), daemon=True)
        told.start()
        told.join(_LOOK)

    def _stop(self, workers: list[str]) -> None:
        if workers:
            self.client.run(enter, f"{_WORKER}:stop", self.run, workers=workers, on_error="ignore")

    def close(self) -> None:
        """Takes back what was not begun and ends what runs."""
        if self._closed.is_set() or self.gone:
            self._closed.set()
            return
        self._closed.set()
        self.stop_running()
        _quietly(lambda: self.client.cancel(list(self._open.values()), force=True))
        end = time.monotonic() + _LOOK
        while self._open and time.monotonic() < end:  # what dask tells after the end of Python's threads, it shouts
            time.sleep(0.01)
        self._flying.clear()


def _fetched(number: int, future: Future[Any]) -> Arrival:
    try:
        return Arrival(number, future.result(timeout=_SILENCE))
    except Exception:
        return _trouble(number, future)


def _trouble(number: int, future: Future[Any]) -> Arrival:
    if future.status != "error":
        return Arrival(number, trouble=Trouble.LOST)
    problem = future.exception()
    if _is_death(problem):
        return Arrival(number, trouble=Trouble.KILLED)
    return Arrival(number, trouble=Trouble.UNFIT, why=_unfit(problem))


def _is_death(problem: BaseException | None) -> bool:
    from distributed import KilledWorker

    return problem is None or isinstance(problem, KilledWorker)


def _unfit(problem: BaseException | None) -> str:
    if isinstance(problem, worker.VersionError):
        return f"it has fencepost {problem}, and this is {__version__}"
    if isinstance(problem, ImportError):
        return f"it lacks fencepost: {problem}"
    return f"{type(problem).__name__}: {problem}"


def _quietly(call: Callable[[], object]) -> None:
    """At the end nobody minds who is no longer there."""
    with suppress(Exception):
        call()
