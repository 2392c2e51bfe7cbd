"""What is left of waiting loops: executions with all rules, without shortcuts, and with every round within a bound.

    python benchmarks/loops.py [--limit 20]

prints a table. Identical threads are not taken for one another, so that the numbers show the loops only."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import fencepost
from fencepost.verdict import Answer

HERE = Path(__file__).parent / "loops"
ROWS = [
    ("cas_lock.c", ["-DN=6"]), ("counter.c", ["-DN=5"]), ("ttas.c", ["-DN=4"]), ("peeled.c", ["-DN=6"]),
    ("two_exchanges.c", ["-DN=4"]), ("qrcu.c", []), ("linuxrwlocks_both.c", ["-DN=2"]), ("spsc_cache.c", []),
    ("counter.fp", ["-DN=5"]), ("cas_lock.fp", ["-DN=6"]), ("peeled.fp", []),
]  # fmt: skip


def told(path: Path, flags: list[str], **options: Any) -> str:
    verdict = fencepost.check(path, flags=flags, fix=False, symmetry=False, **options)
    sure = verdict.answer in (Answer.PASS, Answer.BOUNDED) or bool(verdict.errors)
    return f"{'' if sure else 'over '}{verdict.executions:,} + {verdict.blocked:,}, {verdict.seconds:.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=20)
    limit = parser.parse_args().limit
    print("| program | all rules | `--no-shortcuts` | `--no-spin-detection --unroll 4` |\n|---|---|---|---|")
    for name, flags in ROWS:
        cells = [
            told(HERE / name, flags, time_limit=limit, **options)
            for options in ({}, {"shortcuts": False}, {"spin_detection": False, "unroll": 4})
        ]
        print(f"| {name} {' '.join(flags)} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
