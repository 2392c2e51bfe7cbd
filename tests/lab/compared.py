"""Holds the checker against the machine of `sequential`. Many programs are compiled at once: that takes most time."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from random import Random

from pthreads import HEAD, Threads, threads, to_c
from sequential import Ends, Machine

import fencepost
from fencepost.frontends.c import compiled, read_ir
from fencepost.program.condition import FinalMemory, Observation
from fencepost.program.instructions import ErrorKind
from fencepost.program.program import Program
from fencepost.reasons import Code
from fencepost.verdict import Answer

BATCH = 12
STUCK = (ErrorKind.DEADLOCK, ErrorKind.LIVENESS)
STRONG = ("sc",)


@lru_cache(maxsize=2)
def _batch(number: int) -> str:
    """The code of so many programs, in one file."""
    text = HEAD + "".join(to_c(threads(s), f"p{s}") for s in range(number * BATCH, (number + 1) * BATCH))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "threads.c"
        path.write_text(text, encoding="utf-8")
        return compiled([path]).text


@lru_cache(maxsize=8)
def program_of(seed: int) -> Program:
    return read_ir(_batch(seed // BATCH).replace(f"@p{seed}_main(", "@main("), "threads.c")


@lru_cache(maxsize=8)
def _ends(seed: int) -> Ends | None:
    return Machine(threads(seed)).run()


#: What may make no difference to what is found. The first of each is a model that it is for, if it is not for all.
OPTIONS: tuple[tuple[str, dict[str, object]], ...] = (
    ("", {"jobs": 2}), ("", {"symmetry": False}), ("", {"barriers": False}), ("", {"locks": True}),
    ("", {"shortcuts": False}), ("", {"reductions": False}), ("", {"ignore": ("race",)}), ("", {"deepen": True}),
    ("", {"spin_detection": False, "unroll": 3}), ("", {"locks": True, "jobs": 2}),
    ("rc11", {"algorithm": "rcmc"}), ("rc11", {"via_robustness": True}), ("ra", {"via_robustness": True}),
    ("tso", {"via_robustness": True, "locks": True}),
)  # fmt: skip
MODELS = ("sc", "tso", "pso", "ra", "rc11", "rc11-cpp20", "wrc11", "armv8", "power", "riscv", "imm")


def difference_with_options(seed: int) -> str | None:
    """The verdict with options and a model that the seed chooses."""
    wanted, random = _ends(seed), Random(seed)
    if wanted is None:
        return None
    model, options = random.choice(OPTIONS)
    model = model or random.choice(MODELS)
    found = _verdict_differs(threads(seed), program_of(seed), wanted, model, **options)
    return None if found is None else f"{model}, {options}: {found}\n{HEAD}{to_c(threads(seed))}"


def difference(seed: int, model: str, **options: object) -> str | None:
    """None also where there is too much to say."""
    wanted = _ends(seed)
    if wanted is None:
        return None
    made, program = threads(seed), program_of(seed)
    found = _verdict_differs(made, program, wanted, model, **options)
    if found is None and model != "wrc11" and not (made.detached or made.leaves):  # which does not say who is last
        found = _states_differ(made, program, wanted, seed, model, **options)
    return None if found is None else f"{found}\n{HEAD}{to_c(made)}"


def _verdict_differs(made: Threads, program: Program, wanted: Ends, model: str, **options: object) -> str | None:
    said = fencepost.check(program, model=model, keep_going=True, fix=False, time_limit=10.0, **options)
    if said.answer in (Answer.UNKNOWN, Answer.BOUNDED):
        return None if said.reasons and not said.errors else f"no answer: {said.reason}"
    if any(r.code is Code.LIMIT for r in said.reasons):
        return None  # there may be more errors
    failed = {e.message for e in said.errors if e.kind is ErrorKind.ASSERTION}
    stuck = any(e.kind in STUCK for e in said.errors)
    others = [e for e in said.errors if e.kind is not ErrorKind.ASSERTION and e.kind not in STUCK]
    if others:
        return f"{others[0].kind.value}: {others[0].message}"
    may_more = model not in STRONG and made.tells
    lost = [t for t in wanted.failed if not any(t in m for m in failed)]
    more = [m for m in failed if not any(t in m for t in wanted.failed)]
    if lost or (more and not may_more):
        return f"assertions that fail: {lost} not found, {more} too many"
    # a loop that waits for ever is only as long as its bound, and wrc11 does not know what is the last write
    unsure = any(r.code in (Code.BOUND, Code.NOT_PROVED) for r in said.reasons)
    if stuck != wanted.stuck and not (unsure if wanted.stuck else may_more):
        return f"stuck: {stuck}, by the machine {wanted.stuck}"
    return None


def _states_differ(
    made: Threads, program: Program, wanted: Ends, seed: int, model: str, **options: object
) -> str | None:
    places = [f"T{t}_r{r}" for t in range(len(made.code)) for r in range(made.registers)] + ["x", "y", "d", "e"]
    there = {o.name for o in program.objects}
    places = [p for p in places if f"p{seed}_{p}" in there]  # nobody touches the others
    seen = tuple(Observation(p, FinalMemory(f"p{seed}_{p}")) for p in places)
    found = fencepost.outcomes(replace(program, observations=seen), model=model, time_limit=10.0, **options)
    have = {tuple(sorted(dict(s).items())) for s in found.states}
    reached = {tuple((p, v) for p, v in state if p in places) for state in wanted.states}
    lost, more = reached - have, have - reached
    if found.reasons:  # it says itself that it has not seen all
        lost = set()
    if lost or (more and not (model not in STRONG and made.tells)):
        return f"{len(lost)} outcomes missing, {len(more)} too many {found.reason or ''}".strip()
    return None
