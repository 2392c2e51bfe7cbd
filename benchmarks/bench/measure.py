"""Running a command: how long, how much memory, how many instructions."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

os.environ["FENCEPOST_CACHE"] = "off"  # what is measured is done, not remembered


@dataclass(frozen=True, slots=True)
class Sample:
    """One run of a whole command, start-up included. Memory in MiB."""

    wall: float
    cpu: float
    memory: float
    code: int
    output: str


def fencepost(*arguments: str) -> list[str]:
    """Our own command line, by the interpreter that runs the benchmarks. The counts of the papers are without
    reductions."""
    whole = ["--no-reductions"] if arguments[:1] == ("check",) else []
    return [sys.executable, "-c", "from fencepost.cli import main; main()", *arguments[:1], *whole, *arguments[1:]]


def run_once(command: Sequence[str], timeout: float, patience: float = 10) -> Sample:
    """Runs to the end, or kills after `timeout` CPU seconds of one process, or `patience` times as long by the clock on
    a machine that has other things to do (then the code is -9)."""
    with tempfile.TemporaryFile("w+") as out:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, text=True, start_new_session=True,
                                   preexec_fn=lambda: _limit(timeout))  # fmt: skip
        try:
            status, usage = _wait(process.pid, patience * timeout)
        except KeyboardInterrupt:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode == -signal.SIGXCPU:
            process.returncode = -9
        out.seek(0)
        return Sample(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode, out.read())


def _limit(seconds: float) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (ceil(seconds), ceil(seconds) + 1))


def _wait(pid: int, timeout: float) -> tuple[int, resource.struct_rusage]:
    deadline = time.perf_counter() + timeout
    pause = 0.0005
    while True:
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            return status, usage
        if time.perf_counter() > deadline:
            os.killpg(pid, 9)  # with everything that it started
            _, status, usage = os.wait4(pid, 0)
            return status, usage
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)


def instructions(command: Sequence[str]) -> int | None:
    """Instructions by callgrind: the same on every run, unlike the clock. None without valgrind."""
    if shutil.which("valgrind") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--trace-children=no"]
        subprocess.run([*valgrind, *command], capture_output=True, check=False)
        found = re.search(r"^(?:summary|totals): (\d+)", out.read_text() if out.exists() else "", re.MULTILINE)
        return int(found[1]) if found else None


def profile(command: Sequence[str], top: int = 8) -> list[tuple[float, str]] | None:
    """Where the instructions of the core go: (share of them in percent, function) by callgrind, the largest first."""
    if shutil.which("valgrind") is None or shutil.which("callgrind_annotate") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--trace-children=no"]
        subprocess.run([*valgrind, *command], capture_output=True, check=False)
        if not out.exists():
            return None
        annotate = ["callgrind_annotate", "--threshold=99.9", str(out)]
        listed = subprocess.run(annotate, capture_output=True, text=True, check=False).stdout
    rows = re.findall(r"^ *([\d,]+) \( *[\d.]+%\)  +(?:\S*?:)?(.*?) \[(.*?)\]$", listed, re.MULTILINE)
    cost: dict[str, int] = {}
    for count, name, where in rows:
        if "_core" in where:
            cost[_short(name)] = cost.get(_short(name), 0) + int(count.replace(",", ""))
    total = sum(cost.values()) or 1
    return [(100 * n / total, name) for name, n in sorted(cost.items(), key=lambda item: -item[1])[:top]]


def _short(name: str) -> str:
    """A C++ function without its arguments and template parameters."""
    name = re.sub(r"\(anonymous namespace\)::|fencepost::", "", name)
    while (shorter := re.sub(r"<[^<>]*>", "", name)) != name:
        name = shorter
    return re.sub(r"\(.*\).*", "", name).split(" ")[-1]


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    cpu = (
        re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text()) if Path("/proc/cpuinfo").exists() else None
    )
    return {
        "cpu": cpu[1] if cpu else "unknown",
        "processors": os.cpu_count(),
        "python": sys.version.split()[0],
        "date": time.strftime("%Y-%m-%d %H:%M"),
    }


def parsed(output: str) -> dict[str, Any]:
    """The JSON object a command printed; empty where there is none."""
    try:
        found = json.loads(output)
    except json.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}
