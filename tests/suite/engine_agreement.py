"""The explorer against enumeration on thousands of generated tests per model: executions, blocked ones and outcomes.

    python tests/suite/engine_agreement.py [--tests 2000] [--models sc,tso] [--seconds 10]

Half of the tests are critical cycles, the shortest first; the rest are random programs of the kinds that the model
judges. Tests go on until so many were compared. A test that enumeration does not finish within the seconds given is
left out and counted, and so is what the explorer hands to enumeration by itself: there is nothing to compare. The exit
code is 1 where any test differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from fencepost.errors import UnsupportedError
from fencepost.explore.driver import outcomes
from fencepost.generate.litmus_tests import family
from fencepost.generate.random_programs import SHAPES, random_program
from fencepost.models.registry import find, names
from fencepost.options import ExploreOptions
from fencepost.program.program import Program
from fencepost.reasons import nothing_completes
from fencepost.suite.engine import enumerated

MOST = 4  # random programs for each test wanted
#: Model: the architecture of its cycles, the shapes of its random programs.
KINDS = {
    "sc": ("c", ("c11", "power", "x86")),
    "tso": ("x86", ("x86", "c11")),
    "pso": ("x86", ("x86", "c11")),
    "ra": ("c", ("ra", "c11")),
    "sra": ("c", ("ra", "c11")),
    "rc11": ("c", ("c11", "c11-racy")),
    "rc11-cpp20": ("c", ("c11", "c11-racy")),
    "wrc11": ("c", ("c11", "c11-racy")),
    "imm": ("c", ("c11",)),
    "power": ("ppc", ("power", "power-exclusive")),
    "armv7": ("aarch64", ("armv8", "c11")),
    "armv8": ("aarch64", ("armv8",)),
    "riscv": ("riscv", ("riscv",)),
}


def programs(model: str, count: int) -> Iterator[Program]:
    arch, shapes = KINDS[model]
    cycles = [t.program() for t in islice(family(arch, 6), count // 2)]
    yield from cycles
    for number in range(MOST * count):
        yield random_program(number, SHAPES[shapes[number % len(shapes)]], size=3 + number % 5)


def judge(program: Program, model: str, seconds: float) -> str:
    """What became of one test: same, DIFFERENT, handed over, or out of time."""
    options = ExploreOptions(model=model, time_limit=seconds)
    fast = outcomes(program, find(model), options)
    if fast.engine != "explore":
        return "enumerated only"
    slow = enumerated(program, find(model), options)
    if {*fast.reasons, *slow.reasons} - {nothing_completes()}:
        return "out of time"
    same = (fast.states, fast.executions, fast.blocked) == (slow.states, slow.executions, slow.blocked)
    return "same" if same else "DIFFERENT"


def run(model: str, count: int, seconds: float) -> Counter[str]:
    found: Counter[str] = Counter()
    for program in programs(model, count):
        try:
            answer = judge(program, model, seconds)
        except UnsupportedError:
            answer = "unsupported"
        found[answer] += 1
        if answer == "DIFFERENT":
            print(f"{model}: {program.name} differs", file=sys.stderr)
        if found["same"] + found["DIFFERENT"] == count:
            break
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=int, default=2000)
    parser.add_argument("--models", default=",".join(names()))
    parser.add_argument("--seconds", type=float, default=10.0)
    asked = parser.parse_args()
    different = 0
    for model in asked.models.split(","):
        start = time.process_time()
        found = run(model, asked.tests, asked.seconds)
        different += found["DIFFERENT"]
        counts = ", ".join(f"{n} {what}" for what, n in found.most_common())
        print(
            f"{model:11} {sum(found.values())} tests: {counts}; {time.process_time() - start:.0f} s of CPU", flush=True
        )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
