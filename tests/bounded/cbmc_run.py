"""CBMC against the embedded solver on generated programs: python tests/bounded/cbmc_run.py [COUNT] [FIRST SEED]

Needs cbmc on PATH. Prints every disagreement with its seed and ends with exit code 1 if there was one.
"""

from __future__ import annotations

import sys
from time import monotonic

from agreement import with_assertion

from fencepost.bounded import check_bounded
from fencepost.generate.random_programs import POWER, RELAXED, random_program
from fencepost.options import BoundedOptions
from fencepost.verdict import Answer


def answer(seed: int, backend: str) -> tuple[Answer, object]:
    program = with_assertion(random_program(seed, POWER if seed % 2 else RELAXED, size=4), seed)
    verdict = check_bounded(program, BoundedOptions(contexts="1..3", unroll=2, backend=backend))
    return verdict.answer, verdict.extra["contexts"]


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    wrong, failing, started = 0, 0, monotonic()
    for seed in range(first, first + count):
        ours, theirs = answer(seed, "smt"), answer(seed, "cbmc")
        failing += ours[0] is Answer.FAIL
        if ours != theirs:
            wrong += 1
            print(f"seed {seed}: smt {ours}, cbmc {theirs}", flush=True)
    print(f"{count} programs, {failing} of them fail, {wrong} disagreements, {monotonic() - started:.0f} s")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
