"""Bounded reachability of the PPC litmus tests against the axiomatic verdicts: litmus_corpus.py [--machine paper]

`--every 6` takes each sixth of them, `--first 1` leaves one out before the first. `--contexts 6` gives all as many, as
the paper does, and asks those only that the axioms allow: with fewer contexts no other becomes reachable.

`differences.txt` lists the tests where the machine of the paper reaches what the axioms forbid; ours does not.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from corpus import CORPUS, table
from fencepost.bounded import check_bounded
from fencepost.frontends import litmus
from fencepost.options import BoundedOptions

DIFFERENCES = frozenset(
    line.split("#")[0].strip()
    for line in Path(__file__).with_name("differences.txt").read_text().splitlines()
    if line.split("#")[0].strip()
)


def verdicts() -> dict[str, bool]:
    """Whether the axioms allow what each test asks about."""
    return {name: columns[0] == "1" for name, columns in table("PPC.power.expected.csv").items()}


def expected(name: str, allowed: bool, machine: str = "power") -> bool:
    return allowed or (machine == "paper" and Path(name).stem in DIFFERENCES)


def reachable(name: str, machine: str = "power", contexts: int = 0) -> object:
    """With 2n + 1 contexts for n threads: every thread can be interrupted by every other one and come back."""
    program = litmus.read((CORPUS / name).read_text(), name)
    contexts = contexts or 2 * len(program.threads) + 1
    return check_bounded(program, BoundedOptions(contexts=str(contexts), unroll=3, machine=machine)).extra.get(
        "reachable"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", choices=("power", "paper"), default="power")
    parser.add_argument("--contexts", type=int, default=0)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    tests, wrong = 0, 0
    asked = [(name, allowed) for name, allowed in verdicts().items() if allowed or not options.contexts]
    for name, allowed in asked[options.first :: options.every]:
        tests += 1
        found = reachable(name, options.machine, options.contexts)
        wanted = expected(name, allowed, options.machine)
        if bool(found) is not wanted:  # None: only runs that power.cat forbids
            wrong += 1
            print(f"{name}: reachable {found}, expected {wanted}", flush=True)
        if tests % 50 == 0:
            print(f"{tests} tests, {wrong} differences so far", flush=True)
    print(f"{tests} tests on the machine {options.machine}, {wrong} differences")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
