"""A network that breaks: a scheduler, a worker and the coordinator in one network namespace, a second worker in another
one, and the only link between the two is taken down while they work.

    python tests/cluster/partition.py lastzero --flag=-DN=18 --cut 3 --cut 45     # as root; seconds without the link

Short cuts are waited for; after a long one the far worker is given up, and comes back when the link does. Count and
digest must be those of one thread; exit code 1 where they are not.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

from torture import FENCEPOST, ROOT, finished

NEAR, FAR = "fencepost-near", "fencepost-far"
HEAD = "10.99.77.1"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the name of one of benchmarks/programs")
    parser.add_argument("--flag", action="append", default=[])
    parser.add_argument("--cut", type=float, action="append", default=[], help="seconds without the link")
    asked = parser.parse_args()
    program = str(ROOT / "benchmarks" / "programs" / f"{asked.program}.fp")
    arguments = ["check", program, "--digest", "--json", "--no-fix"]
    flags = ["--", *asked.flag] if asked.flag else []
    one = finished(subprocess.Popen([*FENCEPOST, *arguments, *flags], stdout=subprocess.PIPE, text=True))
    with namespaces(), tempfile.TemporaryDirectory() as folder:
        secret = ["--certificates", f"{folder}/certificates"]
        address = f"tls://{HEAD}:8786"
        with (
            started(NEAR, "cluster", "--host", HEAD, "--port", "8786", "--workers", "1", *secret),
            started(FAR, "cluster", "--join", address, "--workers", "1", *secret),
        ):
            run = [*inside(NEAR), *FENCEPOST, *arguments, "--cluster", address, *secret, *flags]
            coordinator = subprocess.Popen(run, stdout=subprocess.PIPE, text=True)
            cuts = [cut(seconds, coordinator) for seconds in asked.cut]
            many = finished(coordinator)
    same = all(one[k] == many[k] for k in ("verdict", "executions", "blocked", "digest"))
    print(f"one thread {one['executions']}, cluster {many['executions']} executions, {sum(cuts)} cuts while it worked")
    print("the same" if same else f"NOT the same: {one['digest']} {many['digest']}")
    return int(not same or not any(cuts))


def cut(seconds: float, coordinator: subprocess.Popen[str]) -> bool:
    """Takes the link down for so long; whether the exploration was still under way."""
    time.sleep(6.0)
    ip("-n", FAR, "link", "set", "far", "down")
    working = coordinator.poll() is None
    time.sleep(seconds)
    ip("-n", FAR, "link", "set", "far", "up")
    return working


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)


def inside(namespace: str) -> list[str]:
    return ["ip", "netns", "exec", namespace]


@contextmanager
def namespaces() -> Iterator[None]:
    try:
        for name in (NEAR, FAR):
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
        ip("-n", NEAR, "link", "add", "near", "type", "veth", "peer", "name", "far", "netns", FAR)
        for name, device, address in ((NEAR, "near", HEAD), (FAR, "far", "10.99.77.2")):
            ip("-n", name, "address", "add", f"{address}/24", "dev", device)
            ip("-n", name, "link", "set", device, "up")
        yield
    finally:
        for name in (NEAR, FAR):
            subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL, check=False)


@contextmanager
def started(namespace: str, *arguments: str) -> Iterator[None]:
    """Until it has said that it is ready."""
    command = [*inside(namespace), *FENCEPOST, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"NO_COLOR": "1"}) as process:
        assert process.stdout is not None
        if not process.stdout.readline():
            raise SystemExit(f"it did not start: {' '.join(arguments)}")
        try:
            yield
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


if __name__ == "__main__":
    sys.exit(main())
