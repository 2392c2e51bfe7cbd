"""What a cluster costs: CPU seconds against `--jobs`, the share of the time that workers are busy, bytes and messages.

    python tests/cluster/measure.py casw --flag=-DN=7 --workers 2
    ip netns add quiet; ip netns exec quiet ip link set lo up
    ip netns exec quiet python tests/cluster/measure.py casw --flag=-DN=7 --workers 2    # nobody else's bytes

CPU seconds are those of every process: coordinator, scheduler, workers and their nannies. What starting Python and dask
takes is measured with a program of two executions, and told apart.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from distributed import Client

ROOT = Path(__file__).parents[2]
FENCEPOST = [sys.executable, "-m", "fencepost"]
os.environ["FENCEPOST_CACHE"] = "off"  # what is measured is done, not remembered
_TICK = os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="a file, or the name of one of benchmarks/programs")
    parser.add_argument("--flag", action="append", default=[])
    parser.add_argument("--option", action="append", default=[], help="of check, such as --option=--digest")
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    named = ROOT / "benchmarks" / "programs" / f"{asked.program}.fp"
    program = str(named if named.exists() else Path(asked.program).resolve())
    flags = ["--", *asked.flag] if asked.flag else []
    check = [*FENCEPOST, "check", program, "--json", "--no-fix", *asked.option]
    small = [*FENCEPOST, "check", str(ROOT / "benchmarks/programs/casw.fp"), "--json"]
    command = [*FENCEPOST, "cluster", "--port", "0", "--workers", str(asked.workers)]
    cluster = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert cluster.stdout is not None
    address = cluster.stdout.readline().split()[1].rstrip(",")
    try:
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(asked.workers)
            compare(check, small, flags, asked.workers, address, cluster.pid, client)
    finally:
        cluster.send_signal(signal.SIGINT)
        cluster.wait(30)
    return 0


def compare(
    check: list[str], small: list[str], flags: list[str], workers: int, address: str, tree: int, client: Client
) -> None:
    start_here = timed([*small, "--", "-DN=2"])[1]
    start_there = timed([*small, "--cluster", address, "--", "-DN=2"])[1]
    jobs, cpu_jobs, wall_jobs = timed([*check, "--jobs", str(workers), *flags])
    client.get_task_stream()
    began, before, bytes_, packets = time.time(), cpu_of(tree), *network()
    many, cpu, wall = timed([*check, "--cluster", address, *flags])
    there, now = cpu_of(tree) - before, network()
    tasks = [t for t in client.get_task_stream(start=began) if "fencepost-explore" in t["key"]]
    spans = [(s["start"], s["stop"]) for t in tasks for s in t["startstops"] if s["action"] == "compute"]
    first, last = min(a for a, _ in spans), max(b for _, b in spans)
    busy = sum(b - a for a, b in spans) / (workers * (last - first))
    assert jobs["executions"] == many["executions"], (jobs, many)
    own, coordinator = cpu_jobs - start_here, cpu - start_there
    print(f"{many['executions']} executions")
    print(f"--jobs {workers}: {own:.2f} s of CPU and {start_here:.2f} s to start, {wall_jobs:.1f} s on the clock")
    print(f"cluster: {there:.2f} s of workers and scheduler, {coordinator:.2f} s of the coordinator")
    print(f"and {start_there:.2f} s to start it, {wall:.1f} s on the clock")
    print(f"overhead in CPU: {100 * ((there + coordinator) / own - 1):.1f} %")
    print(f"busy: {busy:.3f} of the time from the first task to the end of the last")
    carried, sent = now[0] - bytes_, now[1] - packets
    print(f"{len(tasks)} tasks; on the loopback {carried} bytes and {sent} packets in {last - first:.1f} s")
    print(f"a task: {carried / len(tasks):.0f} bytes and {sent / len(tasks):.1f} packets")


def timed(command: list[str]) -> tuple[dict[str, Any], float, float]:
    """What it says, its CPU seconds, and its time on the clock."""
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    out = process.stdout.read()
    _, _, used = os.wait4(process.pid, 0)
    return json.loads(out), used.ru_utime + used.ru_stime, time.monotonic() - started


def cpu_of(pid: int) -> float:
    """CPU seconds of a process and of all below it."""
    try:
        used = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        lists = [t / "children" for t in Path(f"/proc/{pid}/task").iterdir()]
        children = {int(p) for found in lists for p in found.read_text().split()}
    except OSError:
        return 0.0
    return (int(used[11]) + int(used[12])) / _TICK + sum(map(cpu_of, children))


def network() -> tuple[int, int]:
    """Bytes and packets that the loopback has carried."""
    line = next(x for x in Path("/proc/net/dev").read_text().splitlines() if x.strip().startswith("lo:"))
    numbers = line.partition(":")[2].split()
    return int(numbers[0]), int(numbers[1])


if __name__ == "__main__":
    sys.exit(main())
