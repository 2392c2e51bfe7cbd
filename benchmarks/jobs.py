"""How much sooner two jobs are done than one: seconds on the clock, of whole commands on a quiet machine.

python benchmarks/jobs.py [--jobs 2]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
ROWS = (("casw.fp", "-DN=7"), ("lastzero.fp", "-DN=20"), ("fib_bench.fp", "-DK=5"))


def seconds(program: str, flag: str, jobs: int) -> float:
    command = [sys.executable, "-m", "fencepost", "check", str(PROGRAMS / program), flag, "--jobs", str(jobs),
               "--no-reductions", "--no-cache", "--no-fix", "--keep-going"]  # fmt: skip
    began = time.perf_counter()
    subprocess.run(command, capture_output=True, check=False)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    jobs = parser.parse_args().jobs
    print(f"| program (rc11) | 1 job | {jobs} jobs | times faster |\n|---|---|---|---|")
    for program, flag in ROWS:
        one, more = seconds(program, flag, 1), seconds(program, flag, jobs)
        print(f"| {program} {flag} | {one:.2f} s | {more:.2f} s | {one / more:.2f} |", flush=True)


if __name__ == "__main__":
    main()
