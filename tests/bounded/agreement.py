"""Translation and solver against the operational machine, on one program: the same final states for every number of
contexts, and every failing assertion in the same least number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, product
from time import monotonic

from fencepost.bounded.attempt import Attempt
from fencepost.bounded.check import decide
from fencepost.bounded.power_search import Outcome, search
from fencepost.bounded.prepare import prepare
from fencepost.bounded.straight import Straight
from fencepost.options import BoundedOptions
from fencepost.program.condition import And, Compare, Condition, Formula, Not, Or, Quantifier
from fencepost.program.instructions import Assert, FenceKind
from fencepost.program.operands import Const
from fencepost.program.program import Program

MAX_STATES = 40_000
POWER_FENCES = (FenceKind.SYNC, FenceKind.LWSYNC, FenceKind.ISYNC, FenceKind.EIEIO)


def disagreement(program: Program, contexts: int, *, open_schedule: bool, backend: str = "smt") -> str | None:
    """What the two say differently; None where they agree. Raises UnsupportedError where there are too many states."""
    straight = prepare(program, 2)
    reached = search(straight.program, contexts, max_states=MAX_STATES)

    options = BoundedOptions(backend=backend)

    def finds(k: int, formula: Formula) -> bool:
        asked = replace(straight.program, condition=Condition(Quantifier.EXISTS, formula))
        question = replace(straight, program=asked)
        attempt = Attempt(question, k, [*_schedules(question, k, open_schedule)], options, monotonic())
        return any(decide(attempt, s) for s in attempt.plans)

    if any(isinstance(i, Assert) for f in straight.program.functions for i in f.code):
        least = min(reached.errors.values(), default=None)
        found = next((k for k in range(1, contexts + 1) if finds(k, Or(()))), None)
        return None if found == least else f"an assertion fails in {least} contexts, translated in {found}"
    for k in range(1, contexts + 1):
        known = tuple(_state(o) for o, needed in reached.outcomes.items() if needed <= k)
        if finds(k, Not(Or(known))):
            return f"the translation reaches a state that the machine does not reach in {k} contexts"
    for outcome, needed in reached.outcomes.items():
        if not finds(needed, _state(outcome)):
            return f"the translation does not reach {sorted(outcome)} in {needed} contexts"
    return None


def _state(outcome: Outcome) -> Formula:
    return And(tuple(Compare(name, "=", Const(value)) for name, value in sorted(outcome)))


def _schedules(straight: Straight, contexts: int, open_schedule: bool) -> Iterator[tuple[int, ...] | None]:
    count = len(straight.program.threads)
    if open_schedule:
        yield None
    elif count == 1:
        yield (0,)
    else:
        yield from (s for s in product(range(count), repeat=contexts) if all(a != b for a, b in pairwise(s)))


def with_assertion(program: Program, seed: int) -> Program:
    """The program with an assertion about the last register that one of its threads wrote."""
    functions = list(program.functions)
    n = seed % len(functions)
    f = functions[n]
    defined = [i.dst for i in f.code if getattr(i, "dst", None) is not None]
    if not defined:
        return program
    code = (*f.code[:-1], Assert(defined[-1]), f.code[-1])
    functions[n] = replace(f, code=code)
    return replace(program, functions=tuple(functions))
