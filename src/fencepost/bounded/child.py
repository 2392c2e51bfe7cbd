"""Work in a child process: a solver can neither be interrupted nor held to a time limit from inside, a process can."""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import threading
from collections.abc import Callable
from time import monotonic
from typing import NoReturn, TypeVar

from fencepost.errors import UnsupportedError

Result = TypeVar("Result")


def in_child(work: Callable[[], Result], seconds: float | None) -> Result | None:
    """What `work` returns, or None where the time ran out; what it raises is raised here. Ctrl-C ends it at once.
    Where a process cannot be copied safely (other threads run, or the system has no fork) the work is done here."""
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return work()
    sys.stdout.flush()
    sys.stderr.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _work_and_leave(work, writer)
    os.close(writer)
    try:
        answer = _read(reader, None if seconds is None else monotonic() + seconds)
    finally:
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if answer is None:
        return None
    if not answer:
        ended = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"status {os.WEXITSTATUS(status)}"
        raise UnsupportedError(f"the solver ended without an answer ({ended}): too little memory?")
    good, result = pickle.loads(answer)  # our own child wrote it
    if not good:
        raise result
    return result  # type: ignore[no-any-return]


def _work_and_leave(work: Callable[[], object], writer: int) -> NoReturn:
    for number in (signal.SIGINT, signal.SIGTERM):  # they may reach both; only the parent has something to say
        signal.signal(number, signal.SIG_DFL)
    status = 1
    try:
        try:
            answer = pickle.dumps((True, work()))
        except Exception as error:
            answer = pickle.dumps((False, error))
        with os.fdopen(writer, "wb") as out:
            out.write(answer)
        status = 0
    finally:
        os._exit(status)  # the parent's buffers and exit handlers are not ours to run


def _read(reader: int, deadline: float | None) -> bytes | None:
    """Everything that comes until the other end is closed, or None where the time ran out first."""
    parts: list[bytes] = []
    while True:
        left = None if deadline is None else max(0.0, deadline - monotonic())
        if not select.select([reader], [], [], left)[0]:
            return None
        part = os.read(reader, 1 << 16)
        if not part:
            return b"".join(parts)
        parts.append(part)
