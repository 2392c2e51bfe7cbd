"""What an execution costs in large clients: stacks and queues as libraries have them, with hundreds of events.

    python benchmarks/clients.py [--executions 2000]

prints a table: events of the first execution, and CPU milliseconds for each execution beyond the first hundred."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import fencepost

HERE = Path(__file__).parent / "clients"
ROWS = [
    (name, ["-DN=2", "-DK=8"] if small else ["-DN=3", "-DK=16"])
    for name in ("epoch_stack.c", "elimination.c", "unbounded_queue.c")
    for small in (True, False)
]


def cpu(path: Path, flags: list[str], executions: int) -> tuple[float, int]:
    """Seconds, and how many executions were visited."""
    before = time.process_time()
    verdict = fencepost.check(path, flags=flags, max_executions=executions, fix=False)
    return time.process_time() - before, verdict.executions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--executions", type=int, default=2000)
    most = parser.parse_args().executions
    print("| client (rc11) | events | ms an execution |\n|---|---|---|")
    for name, flags in ROWS:
        first = next(iter(fencepost.executions(HERE / name, flags=flags)))
        few, less = cpu(HERE / name, flags, 100)
        many, more = cpu(HERE / name, flags, most)
        cost = 1000 * (many - few) / max(more - less, 1)
        print(f"| {name} {' '.join(flags)} | {len(first.events)} | {cost:.2f} |", flush=True)


if __name__ == "__main__":
    main()
