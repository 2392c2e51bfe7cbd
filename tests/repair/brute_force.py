"""The search against trying every assignment, on as many random programs as one likes:

    python tests/repair/brute_force.py --programs 200 --seed 1 [--robust] [MODEL...]

One row per model: how many programs had a repair and how many none, the checks of both sides, and how often they
disagree. Ends with 1 where they do.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from programs import random_program
from spaces import brute, count, robust_space_of, space_of

from fencepost.errors import UnsupportedError
from fencepost.repair.search import Ending, search
from fencepost.verdict import Answer

MODELS = ("rc11", "rc11-cpp20", "ra", "sra", "imm", "tso", "pso", "power", "armv8", "armv7", "riscv", "lkmm")

ROBUST = ("ra", "sra", "tso")  # what robustness is asked against


@dataclass
class Row:
    repaired: int = 0
    hopeless: int = 0
    tried: int = 0
    brute_checks: int = 0
    checks: int = 0
    judgements: int = 0
    differences: list[str] = field(default_factory=list)

    @property
    def programs(self) -> int:
        return self.repaired + self.hopeless


def compare(rng: Random, model: str, path: Path, most: int, row: Row, robust: bool) -> bool:
    """One random program; false where it says nothing."""
    row.tried += 1
    if not random_program(rng, model, path):
        return False
    only = rng.choice(("accesses", "fences"))
    space, explorer = robust_space_of(path, model, only) if robust else space_of(path, model, only)
    if not space.atoms or count(space) > most:
        return False
    found = search(space, explorer)
    if found.first.answer is not Answer.FAIL:
        return False
    best, broken = brute(space, explorer)
    row.brute_checks += count(space)
    row.checks += found.checks
    row.judgements += found.judgements
    row.repaired += best is not None
    row.hopeless += best is None
    text = f"{path.read_text()}{only} {model}"
    row.differences += [f"{text}: {line}" for line in broken]
    cost = space.cost(found.chosen) if found.ending is Ending.FOUND else None
    if found.ending is Ending.UNKNOWN or cost != best:
        row.differences.append(f"{text}: the search says {cost} ({found.ending.value}), all assignments say {best}")
    return True


def run(model: str, programs: int, seed: int, most: int, folder: Path, *, robust: bool = False) -> Row:
    rng, row = Random(f"{model} {seed}"), Row()
    while row.programs < programs and row.tried < 20 * programs:
        with suppress(UnsupportedError):  # the kernel's model and plain accesses that depend on each other
            compare(rng, model, folder / "program.fp", most, row, robust)
    return row


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=300, help="assignments of a program")
    parser.add_argument("--robust", action="store_true", help="repaired is what is robust (ra, sra, tso)")
    parser.add_argument("models", nargs="*")
    given = parser.parse_args(arguments)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for model in given.models or (ROBUST if given.robust else MODELS):
            row = run(model, given.programs, given.seed, given.most, Path(folder), robust=given.robust)
            wrong += len(row.differences)
            print(f"{model:11} {row.programs} programs: {row.repaired} repaired, {row.hopeless} without a repair;"
                  f" {row.brute_checks} checks of all assignments, {row.checks} of the search and {row.judgements}"
                  f" judgements; {len(row.differences)} differences", flush=True)  # fmt: skip
            for line in row.differences[:3]:
                print(line, flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
