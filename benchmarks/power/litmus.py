"""RSMC on as many litmus tests as its paper ran: python benchmarks/power/litmus.py [--count 8070] [--first 0]

The paper's 8070 tests are those published with Herding Cats. Here the critical cycles of POWER come from our own
generator, the shortest first; RSMC must find as many executions as the candidates have that `power.cat` allows.
"""

from __future__ import annotations

import argparse
import sys
from itertools import islice
from time import process_time

from fencepost.enumerate import enumerate_executions
from fencepost.explore import explore
from fencepost.generate.litmus_tests import family
from fencepost.models.registry import find
from fencepost.options import CheckOptions

SIZE = 8  # edges in a cycle
PAPER = 8070


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=PAPER)
    parser.add_argument("--first", type=int, default=0, help="how many of them to pass over")
    options = parser.parse_args()
    power = find("power")
    tests = wrong = traces = blocked = 0
    searched = enumerated = 0.0
    for test in islice(family("ppc", SIZE), options.first, options.first + options.count):
        program = test.program()
        started = process_time()
        verdict = explore(program, "power", CheckOptions(algorithm="rsmc"))
        between = process_time()
        expected = sum(1 for _ in enumerate_executions(program, power))
        searched, enumerated = searched + between - started, enumerated + process_time() - between
        tests, traces, blocked = tests + 1, traces + verdict.executions, blocked + verdict.blocked
        if verdict.executions != expected:
            wrong += 1
            print(f"{test.name} ({test.cycle}): rsmc {verdict.executions}, enumeration {expected}", flush=True)
    print(f"{tests} tests, {traces} traces, {blocked} blocked runs, {wrong} differ; "
          f"rsmc {searched:.0f} CPU s, enumeration {enumerated:.0f} CPU s")  # fmt: skip
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
