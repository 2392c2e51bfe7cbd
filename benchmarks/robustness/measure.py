"""Our search against SPIN on the programs of Figure 7: python benchmarks/robustness/measure.py [NAME ...]

Times are end to end: ours is the whole command with its start, SPIN's generating, compiling (-O2) and running, at most
300 s and 6 GB. CPU seconds, so that a busy machine does not blur them.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from fencepost.errors import UnsupportedError, UsageError
from fencepost.frontends import read_file
from fencepost.robustness.promela import emit
from fencepost.robustness.spin import SpinRun, run_spin

HERE = Path(__file__).parent
LITMUS = {"2+2w", "2rmw", "barrier-busy", "iriw", "mp", "sb", "sb+rmws"}


def cpu(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def ours(path: Path) -> tuple[dict[str, Any], float]:
    started = cpu(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "fencepost", "robust", str(path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout), cpu(resource.RUSAGE_CHILDREN) - started


def spin(path: Path) -> tuple[SpinRun | None, float]:
    started = cpu(resource.RUSAGE_CHILDREN)
    try:
        found = run_spin(emit(read_file(path)), 6000, 300)
    except (UnsupportedError, UsageError) as problem:
        print(f"{path.stem}: {problem}", file=sys.stderr)
        return None, 0.0
    return found, cpu(resource.RUSAGE_CHILDREN) - started


def main() -> int:
    names = sys.argv[1:] or sorted(p.stem for p in HERE.glob("*.fp") if p.stem not in LITMUS)
    ratios, wrong = [], 0
    print(f"{'program':22} robust    states  bytes/state      s |  SPIN   states bytes/state      s   ratio")
    for name in names:
        path = HERE / f"{name}.fp"
        found, seconds = ours(path)
        states, robust = found["states"], found["robust"]
        size = found["search"]["bytes"] / max(1, states)
        line = f"{name:22} {robust!s:6} {states:9} {size:12.0f} {seconds:6.2f}"
        theirs, their_seconds = spin(path)
        if theirs is not None:
            ratios.append(their_seconds / seconds)
            wrong += theirs.robust is not None and theirs.robust is not robust
            their_size = theirs.bytes / max(1, theirs.states)
            line += (
                f" | {theirs.robust!s:6} {theirs.states:8} {their_size:11.0f} {their_seconds:6.2f} {ratios[-1]:7.1f}"
            )
        print(line, flush=True)
    if ratios:
        print(f"SPIN / ours: median {statistics.median(ratios):.1f}, least {min(ratios):.1f}; {wrong} disagree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
