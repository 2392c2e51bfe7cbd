"""All counts of `counts.toml` again, from C: each case is compiled with its constants as -D options and explored.

    python benchmarks/c_counts.py             # everything; about as long as the counting itself takes
    python benchmarks/c_counts.py --most 5000 # only counts up to so many

Prints one line per count and ends with code 1 where one is not what the table says."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from bench.counts import counts

from fencepost import api


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=2**62, help="leave out greater counts")
    most = parser.parse_args().most
    wrong = 0
    for count in counts():
        if count.executions > most:
            continue
        start = time.perf_counter()
        found = api.check(count.read("c"), model=count.model, reductions=False).executions
        wrong += found != count.executions
        note = "" if found == count.executions else f"  WRONG: {count.executions} expected"
        print(f"{count!s:45} {found:>9} {time.perf_counter() - start:8.2f} s{note}", flush=True)
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
