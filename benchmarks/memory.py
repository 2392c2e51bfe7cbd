"""Holds memory against time: explores for ten minutes and looks once a second at what the process occupies.

    python benchmarks/memory.py                                # casw(8) under rc11, 600 seconds
    python benchmarks/memory.py --program fib_bench --define K=8 LIMIT=2584 --model sc --seconds 60 --jobs 2

Memory is linear in the size of an execution, so it must stay within 64 MiB of what it was after the first second; exit
code 1 where it does not.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from bench.measure import fencepost
from bench.suites import HERE

_MEBIBYTE = 1 << 20


def resident(process: int) -> float:
    """MiB; 0 where the process has ended."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096 / _MEBIBYTE
    except (OSError, IndexError):
        return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="casw")
    parser.add_argument("--define", nargs="*", default=["N=8"])
    parser.add_argument("--model", default="rc11")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    command = fencepost(
        "check", str(HERE / "programs" / f"{options.program}.fp"), "--model", options.model, "--jobs",
        str(options.jobs), "--time-limit", str(options.seconds), "--", *(f"-D{d}" for d in options.define),
    )  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    time.sleep(1)
    samples = [resident(process.pid)]
    while process.poll() is None:
        time.sleep(1)
        samples.append(resident(process.pid) or samples[-1])
    assert process.stdout is not None, "the output was asked for"
    print(process.stdout.read().strip())
    growth = max(samples) - samples[0]
    print(f"{len(samples)} s: {samples[0]:.1f} MiB after the first second, {max(samples):.1f} at most, +{growth:.1f}")
    return int(growth > 64)


if __name__ == "__main__":
    sys.exit(main())
