"""A scheduler and workers on this machine, or more workers for a scheduler elsewhere. Each worker is one process with
one thread, started again where it dies.

As a program, `python -m fencepost.cluster.serve N` serves whoever started it: it prints its address as JSON and ends
when its standard input does, so that nothing is left behind when the other process is killed.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from fencepost.cluster.certificates import security
from fencepost.cluster.reach import refuse_silent
from fencepost.errors import UsageError
from fencepost.records import dataclass

LOOPBACK = "127.0.0.1"
_PAGES = f"{LOOPBACK}:0"  # dask's own pages are for this machine only
_PATIENCE = 60.0  # seconds for a worker to start: a busy machine takes its time
_PAUSE = 1.0  # seconds before a worker is started again


@dataclass(frozen=True, slots=True)
class Served:
    """What runs now. `dashboard` is empty where dask has none."""

    address: str
    workers: int
    dashboard: str = ""


Ready = Callable[[Served], None]


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def serve(
    workers: int, host: str, port: int, certificates: str | None, ready: Ready, until: Callable[[], Awaitable[object]]
) -> None:
    """Runs until `until` returns. Dask's pages are never open to others: whoever needs them makes a tunnel."""
    if not is_loopback(host) and certificates is None:
        raise UsageError(f"--host {host}: beyond this machine a cluster needs --certificates FOLDER")
    _calm()
    asyncio.run(_served(workers, host, port, certificates, ready, until))


async def _served(
    workers: int, host: str, port: int, certificates: str | None, ready: Ready, until: Callable[[], Awaitable[object]]
) -> None:
    from distributed import Scheduler

    settings = security(certificates)
    scheduler = Scheduler(
        host=host, port=port, protocol="tls://" if certificates else "tcp://", security=settings,
        dashboard_address=_PAGES, dashboard=bool(_pages()),
    )  # fmt: skip
    try:
        await scheduler
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(f"a scheduler cannot be started at {host}:{port}: {error.__cause__ or error}") from None
    keepers = [asyncio.ensure_future(_keep(scheduler.address, settings)) for _ in range(workers)]
    try:
        while len(scheduler.workers) < workers and not any(k.done() for k in keepers):
            await asyncio.sleep(0.05)
        page = f"http://{LOOPBACK}:{scheduler.http_server.port}/status" if _pages() else ""
        ready(Served(scheduler.address, workers, page))
        await _first(asyncio.ensure_future(_returning(until())), *keepers)
    finally:
        await _ended(keepers)
        with suppress(Exception):
            await asyncio.wait_for(scheduler.close(), 5)


async def _returning(what: Awaitable[object]) -> None:
    await what


def _pages() -> bool:
    """Without bokeh dask has no pages to look at."""
    from importlib.util import find_spec

    return find_spec("bokeh") is not None


def join(address: str, workers: int, certificates: str | None, ready: Ready) -> None:
    """Workers for a scheduler elsewhere, until it is gone or Ctrl-C."""
    _calm()
    settings = security(certificates)
    refuse_silent("--join", address, settings)
    asyncio.run(_joined(address, workers, settings, ready))


async def _joined(address: str, workers: int, settings: Any, ready: Ready) -> None:
    keepers = [asyncio.ensure_future(_keep(address, settings)) for _ in range(workers)]
    ready(Served(address, workers))
    try:
        await _first(*keepers)
    finally:
        await _ended(keepers)


async def _keep(address: str, settings: Any) -> None:
    """A worker, and another where it dies, until the scheduler has been gone for a while."""
    from distributed import Nanny

    started = time.monotonic()
    while time.monotonic() - started < _PATIENCE:
        nanny = Nanny(address, nthreads=1, security=settings, death_timeout=_PATIENCE, dashboard_address=_PAGES)
        try:
            await asyncio.wait_for(nanny, _PATIENCE)
            await nanny.finished()
            started = time.monotonic()
        except (OSError, RuntimeError, ValueError, TimeoutError):
            pass  # it died before it was there
        finally:
            with suppress(Exception):
                await asyncio.wait_for(nanny.close(timeout=2), 5)
        await asyncio.sleep(_PAUSE)


async def _first(*tasks: asyncio.Task[None]) -> None:
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        task.result()


async def _ended(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _calm() -> None:
    """Dask and Python log nothing, and look at themselves rarely: profiling and monitors would cost more than our own
    tasks do. Here and in the processes of workers; before dask is imported."""
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)


_SETTINGS = {
    "DASK_LOGGING__DISTRIBUTED": "critical",
    "PYTHONWARNINGS": "ignore::UserWarning:multiprocessing.resource_tracker",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "5s",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__GIL__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__WORKER__MEMORY__MONITOR_INTERVAL": "1s",
}


def main() -> None:
    def tell(served: Served) -> None:
        print(json.dumps({"address": served.address}), flush=True)

    serve(int(sys.argv[1]), LOOPBACK, 0, None, tell, lambda: asyncio.to_thread(sys.stdin.read))


if __name__ == "__main__":
    main()
