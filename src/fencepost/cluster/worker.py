"""What runs on a worker. Only bytes come in and go out; the core works outside Python's lock."""

from __future__ import annotations

import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fencepost import _core
from fencepost._version import __version__
from fencepost.cluster.tasks import ENDS, End, Return, Task, open_job, open_task

_MOST_JOBS = 4  # that a worker remembers
_CRUMB = 0.02  # seconds: what takes less is not worth a task
_NAME = uuid.uuid4().hex[:12]  # of this process, whatever its address

_lock = threading.Lock()  # guards the two below
_jobs: OrderedDict[str, tuple[_core.Bytecode, _core.ExploreOptions]] = OrderedDict()
_running: dict[str, set[Callable[[], object]]] = {}  # what ends each piece of work, by coordinator


def work(content: bytes) -> bytes:
    """Runs the piece of one task for its time."""
    task = open_task(content)
    if task.version != __version__:
        return _refused(task, f"it has fencepost {__version__}").packed()
    try:
        job = _job(task)
    except Exception as error:  # whatever this machine cannot do, others may
        return _refused(task, f"it cannot run the job: {type(error).__name__}: {error}").packed()
    if job is None:
        return Return(task.number, End.LACKS_JOB, _core.CoreResults(), worker=_NAME).packed()
    return _explored(task, *job).packed()


class VersionError(Exception):
    """This worker has another version; says which."""


def require(version: str) -> None:
    """Asked of every worker before it gets work. What it says is in how it ends: nothing has to be fetched, which would
    wait for ever where the worker has died since."""
    if version != __version__:
        raise VersionError(__version__)


def stop(run: str) -> None:
    """Ends what runs here for that coordinator; what was found and what is left are returned."""
    with _lock:
        for end in _running.get(run, ()):
            end()


@contextmanager
def stoppable(run: str, end: Callable[[], object]) -> Iterator[None]:
    """Within the reach of `stop`, which calls `end` from another thread."""
    with _lock:
        _running.setdefault(run, set()).add(end)
    try:
        yield
    finally:
        with _lock:
            _running[run].discard(end)
            if not _running[run]:
                del _running[run]


def _refused(task: Task, why: str) -> Return:
    return Return(task.number, End.REFUSED, _core.CoreResults(), worker=_NAME, why=why)


def _job(task: Task) -> tuple[_core.Bytecode, _core.ExploreOptions] | None:
    with _lock:
        if task.fingerprint in _jobs:
            _jobs.move_to_end(task.fingerprint)
            return _jobs[task.fingerprint]
    if not task.job:
        return None
    made = open_job(task.job)
    with _lock:
        _jobs[task.fingerprint] = made
        while len(_jobs) > _MOST_JOBS:
            _jobs.popitem(last=False)
    return made


def _explored(task: Task, bytecode: _core.Bytecode, options: _core.ExploreOptions) -> Return:
    started = time.thread_time()
    exploration = _core.Exploration(bytecode, options)
    end = _run(exploration, task, [task.piece], task.seconds)
    if task.parts > 1:
        exploration.split(task.parts)
    left = exploration.remaining()
    if len(left) > 1 and end is End.PAUSED:
        end, left = _without_crumbs(exploration, task, left)
    cpu = time.thread_time() - started
    return Return(task.number, end, exploration.results(), tuple(left), _NAME, cpu)


def _run(exploration: _core.Exploration, task: Task, pieces: list[bytes], seconds: float) -> End:
    exploration.set_remaining(pieces)
    with stoppable(task.run, exploration.stop):
        end = exploration.run(seconds, max(task.executions - exploration.ended, 0), 1)
    return ENDS.get(end, End.PAUSED)


def _without_crumbs(exploration: _core.Exploration, task: Task, pieces: list[bytes]) -> tuple[End, list[bytes]]:
    """Many cuts give away next to nothing, and the way to another worker would cost more than the work: each piece is
    begun here. Says how that ended and what is left of all of them."""
    left: list[bytes] = []
    for k, piece in enumerate(pieces):
        end = _run(exploration, task, [piece], _CRUMB)
        left += exploration.remaining()
        if end is End.FAILED:
            return end, left + pieces[k + 1 :]
    return End.PAUSED if left else End.DONE, left
