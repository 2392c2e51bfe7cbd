"""The way to a cluster: an address, a client that the user has, or workers of our own on this machine."""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import closing, nullcontext, suppress
from typing import TYPE_CHECKING, Any

from fencepost.cluster.certificates import security
from fencepost.cluster.coordinator import Coordinator, new_run
from fencepost.cluster.pool import DaskPool
from fencepost.cluster.reach import quiet, refuse_silent
from fencepost.errors import UsageError
from fencepost.explore.engines import Engine
from fencepost.explore.native import Report, Watch
from fencepost.models.registry import Model
from fencepost.options import ExploreOptions
from fencepost.prepare.encoded import Prepared

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local"
_ADDRESS = re.compile(r"(tcp|tls)://[^/:\s]+(:\d+)?|(tcp|tls)://\[[0-9a-fA-F:]+\](:\d+)?")
_TIMEOUT = 10.0  # seconds for an answer: a busy machine takes its time
_NO_WORKERS = 20.0  # seconds for the first worker to come

_clients: dict[tuple[str, str | None, int], Any] = {}


def run(
    prepared: Prepared, model: Model, engine: Engine, options: ExploreOptions, progress: Watch | None = None, *,
    keep: int = 0,
) -> Report:  # fmt: skip
    """Explores on the cluster that the options name. Takes the place of `fencepost.explore.native.run`."""
    assert keep == 0, "executions should not be asked of a cluster"
    workers = options.jobs if options.jobs > 1 else len(os.sched_getaffinity(0))
    client = connect(options.cluster, options.certificates, workers)
    name = new_run()
    with quiet() if isinstance(options.cluster, str) else nullcontext(), closing(DaskPool(client, name)) as pool:
        wait_for_workers(pool, name_of(options.cluster))
        return Coordinator(prepared, model, engine, options, pool, name, progress).report()


def connect(where: object, certificates: str | None = None, workers: int = 1) -> Client:
    """A client: the one given, or one for the address, which is kept until this process ends. Raises UsageError where
    nobody answers."""
    try:
        import distributed
    except ImportError as error:
        raise UsageError(f"--cluster needs distributed: pip install 'fencepost[cluster]' ({error})") from None
    if isinstance(where, distributed.Client):
        return where
    asked = str(where)
    key = asked, certificates, workers if asked == LOCAL else 1
    if key in _clients and _clients[key].status == "running":
        return _clients[key]
    address = _start_here(workers) if asked == LOCAL else _checked(asked)
    _clients[key] = _client(address, certificates)
    atexit.register(_quit, _clients[key])
    return _clients[key]


def name_of(cluster: object) -> str:
    """What a person calls it: the word given, or the address behind a client."""
    scheduler = getattr(cluster, "scheduler", None)
    return str(getattr(scheduler, "address", cluster))


def _checked(address: str) -> str:
    if not _ADDRESS.fullmatch(address):
        raise UsageError(f"--cluster {address}: expected local, tcp://HOST:PORT or tls://HOST:PORT")
    return address


def _client(address: str, certificates: str | None) -> Client:
    import distributed

    if address.startswith("tcp:") and certificates is not None:
        raise UsageError(f"--cluster {address}: certificates are for tls://, and this is open to everybody")
    settings = security(certificates)
    refuse_silent("--cluster", address, settings)
    try:
        return distributed.Client(address, timeout=_TIMEOUT, security=settings, set_as_default=False, name="fencepost")
    except (OSError, TimeoutError) as error:
        raise UsageError(f"--cluster {address}: the scheduler does not answer any more: {error}") from None


def wait_for_workers(pool: DaskPool, named: str) -> None:
    """Raises UsageError where no worker can take our work."""
    end = time.monotonic() + _NO_WORKERS
    while not pool.threads and time.monotonic() < end and (not pool.workers or pool.undecided) and not pool.gone:
        time.sleep(0.02)
    if pool.threads:
        return
    if pool.gone:
        raise UsageError(f"--cluster {named}: {pool.gone}")
    if pool.unfit:
        address, why = min(pool.unfit.items())
        raise UsageError(f"--cluster {named}: no worker can be used; {address}: {why}")
    raise UsageError(
        f"--cluster {named}: the scheduler has no workers; start some: fencepost cluster --join {named}"
        if not pool.workers
        else f"--cluster {named}: its {pool.workers} workers do not answer: they may be busy with other work"
    )


# --- workers of our own


def _start_here(workers: int) -> str:
    """A scheduler and workers in processes of their own; they end with this one, however it ends."""
    command = [sys.executable, "-m", "fencepost.cluster.serve", str(workers)]
    with tempfile.TemporaryFile("w+", prefix="fencepost-") as log:
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
        )
        atexit.register(_end, child)
        assert child.stdout is not None, "its output should be a pipe"
        line = child.stdout.readline()
        if not line:
            log.seek(0)
            said = (log.read().strip() or "no reason is known").splitlines()[-1]
            raise UsageError(f"--cluster local: the workers did not start: {said}")
    address: str = json.loads(line)["address"]
    return address


def _end(child: subprocess.Popen[str]) -> None:
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            pipe.close()
    try:
        child.wait(5)
    except subprocess.TimeoutExpired:
        child.kill()


def _quit(client: Client) -> None:
    with suppress(Exception), quiet():  # at the end nobody minds who is no longer there
        client.close(timeout=2)
