"""The same exploration on one thread and on a cluster that is shot at: workers by SIGKILL, and the coordinator once.

    python tests/cluster/torture.py casw --flag=-DN=7 --kills 20
    python tests/cluster/torture.py lastzero --flag=-DN=18 --kills 20
    python tests/cluster/torture.py benchmarks/algorithms/containers/michael_scott.c --kills 20

Counts and digests must agree; exit code 1 where they do not. The cluster is `fencepost cluster`, which starts workers
again; the coordinator is `fencepost check --save`, and after its death `--resume`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from distributed import Client

ROOT = Path(__file__).parents[2]
FENCEPOST = [sys.executable, "-m", "fencepost"]
os.environ["FENCEPOST_CACHE"] = "off"  # what is measured is done, not remembered


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="a file, or the name of one of benchmarks/programs")
    parser.add_argument("--flag", action="append", default=[])
    parser.add_argument("--option", action="append", default=[], help="of check, such as --option=--model=sc")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.0, help="between two shots")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    named = ROOT / "benchmarks" / "programs" / f"{asked.program}.fp"
    program = str(named if named.exists() else Path(asked.program).resolve())
    arguments = ["check", program, "--digest", "--json", "--no-fix", *asked.option]
    flags = ["--", *asked.flag] if asked.flag else []
    started = time.monotonic()
    one = finished(subprocess.Popen([*FENCEPOST, *arguments, *flags], stdout=subprocess.PIPE, text=True))
    alone = time.monotonic() - started
    print(f"one thread: {one['executions']} executions, digest {one['digest']}, {alone:.1f} s", flush=True)
    pause = asked.seconds or max(alone / asked.workers / asked.kills / 2, 0.3)
    many, kills = shot_at(arguments, flags, asked, pause)
    print(f"{kills} kills of workers and one of the coordinator: {many['executions']} executions")
    print(f"digest {many['digest']}")
    same = all(one[k] == many[k] for k in ("verdict", "executions", "blocked", "digest"))
    print("the same" if same else f"NOT the same: {one['verdict']} {many['verdict']}")
    return int(not same)


def finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, _ = process.communicate()
    found: dict[str, Any] = json.loads(out)
    if "executions" not in found:
        raise SystemExit(f"no verdict: {out}")
    return found


def shot_at(
    arguments: list[str], flags: list[str], asked: argparse.Namespace, pause: float
) -> tuple[dict[str, Any], int]:
    chance, kills, coordinator_dies = random.Random(asked.seed), 0, asked.kills // 2
    command = [*FENCEPOST, "cluster", "--port", "0", "--workers", str(asked.workers)]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as cluster,
    ):
        try:
            assert cluster.stdout is not None
            address = cluster.stdout.readline().split()[1].rstrip(",")
            client = Client(address, set_as_default=False)
            state = f"{folder}/state"
            run = [*FENCEPOST, *arguments, "--cluster", address, "--save", state]
            coordinator = subprocess.Popen([*run, *flags], stdout=subprocess.PIPE, text=True)
            seen = b""
            while True:
                time.sleep(pause * chance.uniform(0.5, 1.5))
                if coordinator.poll() is not None:
                    return finished(coordinator), kills
                if kills >= coordinator_dies >= 0 and Path(state).exists():
                    coordinator_dies = -1
                    coordinator.kill()
                    coordinator.communicate()
                    print(
                        f"the coordinator is dead after {kills} kills of workers; it goes on from its journal",
                        flush=True,
                    )
                    coordinator = subprocess.Popen([*run, "--resume", state, *flags], stdout=subprocess.PIPE, text=True)
                elif kills < asked.kills and (now := content(state)) != seen:  # it has got further since the last shot
                    seen = now
                    kills += shoot(client, chance)
        finally:
            client.close()
            cluster.send_signal(signal.SIGINT)
            cluster.wait(30)


def content(file: str) -> bytes:
    try:
        return Path(file).read_bytes()[-64:]
    except OSError:
        return b""


def shoot(client: Client, chance: random.Random) -> bool:
    """One worker that has joined."""
    try:
        workers = sorted(client.run(os.getpid, on_error="ignore").values())
        os.kill(chance.choice(workers), signal.SIGKILL)
    except (IndexError, ProcessLookupError, OSError):  # none is there, or it is gone already
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
