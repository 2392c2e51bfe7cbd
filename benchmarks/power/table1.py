"""Prints Table 1 of the RSMC paper with our figures: for each program the loop bound, the verdict, the seconds, and for
TruSt and RSMC the traces (SS) and the blocked ones (B). An unsafe program is left at its first violation.

    python benchmarks/power/table1.py [--time-limit SECONDS] [PART OF A NAME]
"""

from __future__ import annotations

import argparse
import time
import tomllib
from pathlib import Path
from typing import Any

from fencepost.explore import explore
from fencepost.frontends import read_file
from fencepost.options import CheckOptions

HERE = Path(__file__).parent
COLUMNS = "{:28}{:>5}  {:8}{:>9}{:>7}{:>9}{:>11}{:>8}{:>9}"


def measure(row: dict[str, Any], algorithm: str, seconds: float) -> tuple[str, int, int, float]:
    program = read_file(HERE / f"{row['source']}.c", flags=row.get("flags", []))
    start = time.process_time()
    options = CheckOptions(unroll=row.get("bound"), algorithm=algorithm, time_limit=seconds)
    verdict = explore(program, "power", options)
    return verdict.answer.value, verdict.executions, verdict.blocked, time.process_time() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", default="")
    parser.add_argument("--time-limit", type=float, default=120)
    options = parser.parse_args()
    wrong = 0
    print(COLUMNS.format("program", "bound", "verdict", "SS", "B", "seconds", "RSMC: SS", "B", "seconds"))
    for row in tomllib.loads((HERE / "table1.toml").read_text())["program"]:
        if options.name not in row["name"]:
            continue
        answer, traces, blocked, spent = measure(row, "trust", options.time_limit)
        other, ss, b, taken = measure(row, "rsmc", options.time_limit)
        wrong += row["verdict"] != answer or other not in (answer, "UNKNOWN")
        print(
            COLUMNS.format(row["name"], row.get("bound", "-"), answer, traces, blocked, f"{spent:.2f}", ss, b,
                           f"{taken:.2f}" + ("+" if other == "UNKNOWN" else "")),
            flush=True,
        )  # fmt: skip
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
