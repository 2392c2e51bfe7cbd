"""Tables 3 and 4 of the Power2SC paper with our times: python benchmarks/bounded/tables.py [--only NAME] [--limit S]

Unsafe programs must fail at the context bound CB and not one context earlier; fenced ones must hold at CB.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from time import monotonic

import fencepost.api as api
from fencepost.verdict import Answer

HERE = Path(__file__).parent
LOOP_BOUND = 8

#: Program, CB, and the seconds that Power2SC with CBMC 5.1 needed for the unsafe and the safe version (t/o: over 1800).
ROWS = (
    ("bakery", 3, "1", "20"),
    ("burns", 3, "1", "767"),
    ("dekker", 2, "1", "1133"),
    ("simple_dekker", 2, "1", "6"),
    ("dijkstra", 3, "5", "t/o"),
    ("szymanski", 4, "1", "36"),
    ("fib_bench", 6, "4", "5"),
    ("lamport", 3, "1", "t/o"),
    ("peterson", 3, "1", "4"),
    ("peterson3", 4, "3", "50"),
    ("pgsql", 2, "1", "18"),
    ("pgsql_bnd", 2, "1", "4"),
)


def _cpu() -> float:
    """Of this process and of those that it has waited for: the solver is one of them."""
    return sum(os.times()[:4])


def run(name: str, kind: str, contexts: int, limit: float) -> tuple[Answer, float, float]:
    """The answer, with the seconds and the processor seconds that it took, compilation included."""
    wall, cpu = monotonic(), _cpu()
    verdict = api.bounded(HERE / f"{name}-{kind}.c", contexts=str(contexts), unroll=LOOP_BOUND, time_limit=limit)
    return verdict.answer, monotonic() - wall, _cpu() - cpu


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="one program")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for each question")
    parser.add_argument("--kind", choices=("unsafe", "safe"), default="", help="one of the two tables")
    options = parser.parse_args()
    rows = [row for row in ROWS if not options.only or row[0] == options.only]
    wrong = 0
    if options.kind != "safe":
        print("| unsafe program | CB | at CB-1 | at CB | seconds | CPU | Power2SC |\n|---|---|---|---|---|---|---|")
        for name, contexts, theirs, _ in rows:
            before = run(name, "unsafe", contexts - 1, options.limit)[0]
            answer, wall, cpu = run(name, "unsafe", contexts, options.limit)
            wrong += (before, answer) != (Answer.BOUNDED, Answer.FAIL)
            print(f"| {name} | {contexts} | {before.value} | {answer.value} | {wall:.1f} | {cpu:.1f} | {theirs} |",
                  flush=True)  # fmt: skip
    if options.kind != "unsafe":
        print("\n| fenced program | CB | at CB | seconds | CPU | Power2SC |\n|---|---|---|---|---|---|")
        for name, contexts, _, theirs in rows:
            answer, wall, cpu = run(name, "safe", contexts, options.limit)
            wrong += answer is not Answer.BOUNDED
            print(f"| {name} | {contexts} | {answer.value} | {wall:.1f} | {cpu:.1f} | {theirs} |", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
