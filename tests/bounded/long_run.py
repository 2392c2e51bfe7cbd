"""The agreement of translation and machine on many programs: python tests/bounded/long_run.py [COUNT] [FIRST SEED]

Prints every disagreement with its seed and ends with exit code 1 if there was one.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from time import monotonic

from agreement import POWER_FENCES, disagreement, with_assertion

from fencepost.errors import UnsupportedError
from fencepost.generate.random_programs import POWER, POWER_EXCLUSIVE, RELAXED, random_program

CONTEXTS = 5
SHAPES = (
    replace(POWER, fences=POWER_FENCES, threads=(2, 3)),
    replace(POWER, fences=POWER_FENCES, threads=(2, 2), fence=8),
    replace(POWER_EXCLUSIVE, fences=POWER_FENCES, threads=(2, 2)),
    replace(RELAXED, threads=(2, 2), rmw=6, cas=3, loads=4, stores=4),
)


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    agreed = too_large = wrong = 0
    started = monotonic()
    for seed in range(first, first + count):
        program = random_program(seed, SHAPES[seed % 8 if seed % 8 < len(SHAPES) else 0], size=4 + seed % 2)
        if seed % 5 == 4:
            program = with_assertion(program, seed)
        try:
            found = disagreement(program, CONTEXTS, open_schedule=seed % 3 > 0 or len(program.threads) > 2)
        except UnsupportedError:
            too_large += 1
            continue
        agreed += found is None
        if found is not None:
            wrong += 1
            print(f"seed {seed}: {found}", flush=True)
        if seed % 50 == 49:
            print(f"{seed + 1 - first} programs, {monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    print(f"{agreed} agree, {too_large} too large for the machine, {wrong} disagree, {monotonic() - started:.0f} s")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
