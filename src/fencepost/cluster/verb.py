"""What `fencepost cluster` does, and what it tells those who want to join."""

from __future__ import annotations

import asyncio
import importlib.util
import os
from collections.abc import Callable
from pathlib import Path

from fencepost.cluster.certificates import make
from fencepost.cluster.serve import LOOPBACK, Served, is_loopback, join, serve
from fencepost.errors import UsageError
from fencepost.options import ClusterOptions


def run(options: ClusterOptions, ready: Callable[[list[str]], None]) -> None:
    """Serves until Ctrl-C, or until the scheduler that was joined ends. `ready` gets the lines to show."""
    if importlib.util.find_spec("distributed") is None:
        raise UsageError("fencepost cluster needs distributed: pip install 'fencepost[cluster]'")
    workers = len(os.sched_getaffinity(0)) if options.workers is None else options.workers
    folder = Path(options.certificates) if options.certificates is not None else None
    if options.join is not None:
        join(options.join, workers, options.certificates, lambda s: ready(_joined(s)))
        return
    if not is_loopback(options.host) and folder is None:
        raise UsageError(
            f"--host {options.host}: a scheduler runs whatever it is sent, so beyond this machine it asks for "
            "certificates: add --certificates FOLDER (a folder that does not exist is made, with a new set)"
        )
    fresh = folder is not None and not folder.exists()
    if folder is not None and fresh:
        make(folder)
    serve(
        workers, options.host, options.port, options.certificates, lambda s: ready(_served(s, folder, fresh)),
        _for_ever,
    )  # fmt: skip


async def _for_ever() -> None:
    await asyncio.Event().wait()


def _joined(served: Served) -> list[str]:
    return [f"{_workers(served.workers)} for {served.address}"]


def _workers(number: int) -> str:
    return f"{number} worker{'s' * (number != 1)}"


def _served(served: Served, folder: Path | None, fresh: bool) -> list[str]:
    also = f" --certificates {folder}" if folder is not None else ""
    lines = [f"scheduler {served.address}, {_workers(served.workers)}"]
    if served.dashboard:
        lines.append(f"dashboard {served.dashboard}")
    if fresh:
        lines.append(f"new certificates in {folder}: copy the folder to each machine; who has it may come in")
    lines += [
        f"use it:       fencepost check FILE --cluster {served.address}{also}",
        f"more workers: fencepost cluster --join {served.address}{also}",
    ]
    if LOOPBACK in served.address:
        lines.append("other machines cannot reach it; --host ADDRESS --certificates FOLDER opens it to them")
    return lines
