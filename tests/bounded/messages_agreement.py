"""The bounded search by messages against the explorer, on one program: the same final states, or an assertion that
fails for both.

    python tests/bounded/messages_agreement.py --count 2000 --seed 1    # random programs, under each model
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace

from agreement import with_assertion

from fencepost import api
from fencepost.errors import UnsupportedError
from fencepost.generate.random_programs import C11, C11_RACY, Shape, random_program
from fencepost.options import BoundedOptions
from fencepost.program.condition import And, Compare, Condition, Formula, Not, Or, Quantifier
from fencepost.program.instructions import Mode
from fencepost.program.operands import Const
from fencepost.program.program import Program
from fencepost.verdict import Answer

#: Without seq-cst accesses, which RC11 has and this search has not.
RELAXED = replace(
    C11, load_modes=(Mode.RLX, Mode.ACQ), store_modes=(Mode.RLX, Mode.REL), threads=(2, 4), size=8, fence=5,
    rmw_modes=(Mode.RLX, Mode.ACQ, Mode.REL, Mode.ACQ_REL), rmw=3, cas=3,
)  # fmt: skip
PLAIN = replace(
    C11_RACY, load_modes=(Mode.NA, Mode.RLX, Mode.ACQ), store_modes=(Mode.NA, Mode.RLX, Mode.REL), threads=(2, 3),
    rmw_modes=RELAXED.rmw_modes, size=7, rmw=3, cas=3,
)  # fmt: skip
SHAPES: dict[str, tuple[Shape, ...]] = {
    "ra": (C11, PLAIN),
    "rc11": (RELAXED, PLAIN),
    "rc11-cpp20": (RELAXED,),
}


def disagreement(program: Program, model: str) -> str | None:
    """What the two say differently; None where they agree. Raises UnsupportedError where one of them cannot tell."""
    options = BoundedOptions(model=model, unroll=2)
    if program.condition is None and not program.observations:
        checked = api.check(program, model=model, ignore=("race", "deadlock"))
        found = api.bounded(program, options=options)
        return None if (found.answer is Answer.FAIL) == (checked.answer is Answer.FAIL) else f"{found.reason}"
    known = api.outcomes(program, model=model)
    if known.reason:
        raise UnsupportedError(known.reason)

    def finds(formula: Formula) -> bool:
        asked = replace(program, condition=Condition(Quantifier.EXISTS, formula))
        return api.bounded(asked, options=options).answer is Answer.PASS

    states = [And(tuple(Compare(name, "=", Const(value)) for name, value in s)) for s in known.states]
    if finds(Not(Or(tuple(states)))):
        return "a state that no execution ends in is reached"
    for state, formula in zip(known.states, states, strict=True):
        if not finds(formula):
            return f"{state} is not reached"
    return None


def programs(model: str, seeds: range) -> Iterator[tuple[int, Program]]:
    shapes = SHAPES[model]
    for seed in seeds:
        program = random_program(seed, shapes[seed % len(shapes)])
        yield seed, with_assertion(replace(program, observations=()), seed) if seed % 5 == 4 else program


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    wrong = 0
    for model in SHAPES:
        agreed = unsure = 0
        for seed, program in programs(model, range(given.seed, given.seed + given.count)):
            try:
                said = disagreement(program, model)
            except UnsupportedError:
                unsure += 1
                continue
            agreed += said is None
            if said is not None:
                wrong += 1
                print(f"{model}, seed {seed}: {said}")
        print(f"{model}: {agreed} agree, {unsure} cannot be told")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
