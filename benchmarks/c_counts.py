"""All counts of `counts.toml` again, from C: each case is compiled with its constants as -D options and explored.

    python benchmarks/c_counts.py             # everything; about as long as the counting itself takes
    python benchmarks/c_counts.py --most 5000 # only counts up to so many

Prints one line per count and ends with code 1 where one is not what the table says."""

from __future__ import annotations

import argparse
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fencepost import api

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Count:
    program: str
    constants: tuple[tuple[str, int], ...]
    model: str
    executions: int
    slow: bool

    def __str__(self) -> str:
        constants = ",".join(f"{k}={v}" for k, v in self.constants)
        return f"{self.program}({constants}) {self.model}"

    def explore(self) -> int:
        path = HERE / "programs" / "c" / f"{self.program}.c"
        return api.check(path, model=self.model, flags=[f"-D{k}={v}" for k, v in self.constants]).executions


def counts() -> Iterator[Count]:
    for case in tomllib.loads((HERE / "counts.toml").read_text())["case"]:
        for model, executions in case["counts"].items():
            slow = model in case.get("slow", ())
            yield Count(case["program"], tuple(case["with"].items()), model, executions, slow)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=2**62, help="leave out greater counts")
    most = parser.parse_args().most
    wrong = 0
    for count in counts():
        if count.executions > most:
            continue
        start = time.perf_counter()
        found = count.explore()
        wrong += found != count.executions
        note = "" if found == count.executions else f"  WRONG: {count.executions} expected"
        print(f"{count!s:45} {found:>9} {time.perf_counter() - start:8.2f} s{note}", flush=True)
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
