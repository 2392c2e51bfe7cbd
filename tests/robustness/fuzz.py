"""Holds the search against two oracles on random programs. As a command: python tests/robustness/fuzz.py --count 5000

Without loops: a program is robust exactly if every execution that the weaker model allows, found by enumeration with
its cat file, is one that SC allows. With loops (and without): the native search agrees with the paper's monitor in
plain Python. A program that tells two of them apart is printed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import replace
from itertools import chain
from random import Random

from toy import Line, build

from fencepost.enumerate import enumerate_program
from fencepost.generate.random_programs import C11, RELEASE_ACQUIRE, random_program
from fencepost.models.registry import find
from fencepost.options import RobustOptions
from fencepost.program.printer import print_program
from fencepost.program.program import Program
from fencepost.reference import scm
from fencepost.robustness import check_robustness
from fencepost.robustness.prepare import passes

#: Programs of the shared generator: modes and weak fences too, which robustness reads as release/acquire.
SHAPE = replace(RELEASE_ACQUIRE, threads=(2, 3), size=12, rmw=2, cas=2, awaits=1, values=1)
MODES = replace(C11, threads=(2, 3), size=10, values=1)


def robust_by_enumeration(program: Program, against: str) -> bool | None:
    """None where the enumeration met a bound of its own."""
    found = enumerate_program(passes(program, against), find(against))
    if found.bounds:
        return None
    executions = chain(found.complete, found.blocked, (f.execution for f in found.erroneous))
    sc = find("sc")
    return all(sc.judge(x, all_violations=False).consistent for x in executions)


def random_straight(seed: int) -> Program:
    """Accesses without loops, dense enough that a good part of the programs is not robust."""
    if seed % 4 == 3:
        return random_program(seed, (SHAPE, MODES)[seed % 8 == 3])
    random = Random(seed)
    places = "xyz"[: random.choice((2, 2, 2, 3))]
    threads = random.choice((2, 2, 3))
    length = {2: (3, 5), 3: (2, 3)}[threads]
    return build(f"straight-{seed}", *([_line(random, places, 0) for _ in range(random.randint(*length))]
                                       for _ in range(threads)))  # fmt: skip


def random_loops(seed: int) -> Program:
    """Two or three threads of a few accesses, some of which jump back while a register is 0 or 1."""
    random = Random(seed)
    places = "xyz"[: random.randint(2, 3)]
    return build(f"loops-{seed}", *([_line(random, places, k) for k in range(random.randint(2, 4))]
                                    for _ in range(random.randint(2, 3))))  # fmt: skip


def _line(random: Random, places: str, k: int) -> Line:
    """One line; from the second on (k > 0) it may jump back."""
    x, v, w = random.choice(places), random.randint(0, 1), random.randint(0, 1)
    choices: list[tuple[int, Line]] = [
        (8, ("W", x, v)), (7, ("R", "r", x)), (1, ("XCHG", "r", x, v)), (2, ("CAS", "r", x, v, w)),
        (1, ("WAIT", x, v)), (1, ("BCAS", x, v, w)), (1, ("FENCE",)), (1, ("W", x, "r")), (1, ("FADD", "r", x, 0)),
        (4 if k else 0, ("IF", ("eq", "r", v), random.randint(0, max(0, k - 1)))),
    ]  # fmt: skip
    return random.choices([line for _, line in choices], [weight for weight, _ in choices])[0]


def disagreement(seed: int, counts: Counter[str]) -> str:
    """What is wrong for this seed; empty where all agree."""
    program = random_straight(seed)
    for against in ("ra", "sra", "tso"):
        ours = check_robustness(program, RobustOptions(against=against)).extra["robust"]
        counts[against] += ours is True
        expected = robust_by_enumeration(program, against)
        if expected is not None and ours is not expected:
            return f"{against}: search {ours}, enumeration {expected}\n{print_program(program)}"
        if against == "ra" and scm.check(program).robust is not ours:
            return f"ra: search {ours}, reference {not ours}\n{print_program(program)}"
    return loop_disagreement(seed, counts)


def loop_disagreement(seed: int, counts: Counter[str]) -> str:
    program = random_loops(seed)
    verdict = check_robustness(program)
    counts["ra with loops"] += verdict.extra["robust"] is True
    if verdict.extra["robust"] is None:
        return ""  # a loop that never touches memory runs into the bound of the machine
    expected = scm.check(program)
    diverges = verdict.extra["robust"] is False
    steps = len(verdict.witness.run) - 1 if diverges and verdict.witness is not None else 0
    length = len(expected.violation.trace) if expected.violation is not None else 0
    # Steps that concern one thread only go first in the native search, so its traces may have a few more of them.
    if verdict.extra["robust"] is not expected.robust or steps < length:
        ours = verdict.extra["robust"]
        return f"ra: search {ours} in {steps}, reference {expected.robust} in {length}\n{print_program(program)}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    given = parser.parse_args()
    started, counts = time.monotonic(), Counter[str]()
    for seed in range(given.seed, given.seed + given.count):
        wrong = disagreement(seed, counts)
        if wrong:
            print(f"seed {seed}: {wrong}")
            return 1
        if (seed + 1) % 250 == 0:
            robust = ", ".join(f"{n} {name}" for name, n in counts.items())
            print(f"{seed + 1 - given.seed} programs; robust: {robust}; {time.monotonic() - started:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
