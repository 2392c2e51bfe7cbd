"""Robustness against RC11 held against the explorer, on random programs with every order, fences, updates, waits,
locks, non-atomic accesses, and threads that are spawned and joined.

A program is robust exactly if it has as many executions under RC11 as under SC. A race that the search reports must be
one that the explorer finds, and a program that it calls robust must have none.
As a command: `rc11_fuzz.py --count 5000`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random

import explored

from fencepost.explore import executions
from fencepost.explore.driver import explore
from fencepost.frontends.pseudo import read as read_fp
from fencepost.models.registry import find
from fencepost.options import CheckOptions, ExploreOptions, RobustOptions
from fencepost.program.instructions import ErrorKind
from fencepost.program.passes.rewrite import expand
from fencepost.program.passes.unroll import LoopBounds, unroll
from fencepost.program.program import Program
from fencepost.robustness import check_robustness
from fencepost.robustness.prepare import passes

_WEAK = {"load": ("rlx", "rlx", "acq"), "store": ("rlx", "rlx", "rel"), "rmw": ("rlx", "acq", "rel", "acq_rel"),
         "fence": ("acq", "rel", "acq_rel", "sc", "sc", "sc"), "fail": ("rlx", "acq")}  # fmt: skip
_FULL = {kind: (*modes, "sc") if kind != "fence" else modes for kind, modes in _WEAK.items()}
_DENSE = {"load": ("sc", "sc", "acq", "rlx"), "store": ("sc", "sc", "rel", "rlx"), "rmw": ("sc", "acq_rel", "rlx"),
          "fence": ("sc", "sc", "acq_rel"), "fail": ("sc", "rlx")}  # fmt: skip
_ORDERS = (_WEAK, _FULL, _FULL, _DENSE)

_STEPS = (
    (14, "{x}.{store} := {v}"), (14, "r := {x}.{load}"), (1, "{x}.{store} := r"), (4, "fence.{fence}"),
    (1, "r := XCHG({x}.{rmw}, {v})"), (1, "FADD({x}.{rmw}, {v})"), (1, "r := CAS({x}.{rmw}, {v}, {w}, {fail})"),
    (1, "if r == {v} {{ {x}.{store} := {w} }}"), (0.4, "if {x}.{load} == {v} {{ d := {w} }}"),
    (0.4, "d := {v}; {x}.{store} := 1"),
)  # fmt: skip
_RARE = (
    (3, "wait({x}.{load} == {v})"), (2, "BCAS({x}.{rmw}, {v}, {w})"), (2, "r := choose(0..1)"), (2, "p{t} := {v}"),
    (2, "lock(m); {x}.{store} := {v}; r := d; unlock(m)"), (1, "lock(m); d := {v}; unlock(m)"),
    (1, "if trylock(m) == 0 {{ d := {v}; unlock(m) }}"), (0.5, "{x}.na := {v}"), (0.5, "r := {x}.na"),
    (2, "while {x}.{load} == {v} {{ skip }}"), (1, "p{t}.{store} := {v}"),
)  # fmt: skip


_LOOPED = (
    (6, "{x}.{store} := {v}"), (6, "r := {x}.{load}"), (3, "fence.{fence}"), (1, "r := XCHG({x}.{rmw}, {v})"),
    (1, "r := CAS({x}.{rmw}, {v}, {w}, {fail})"), (1, "wait({x}.{load} == {v})"), (1, "{x}.{store} := r"),
)  # fmt: skip


def random_source(seed: int) -> str:
    random = Random(seed)
    orders = random.choice(_ORDERS)
    threads = random.choice((2, 2, 3, 3, 4))
    places = "xyz"[: random.choice((1, 2, 2, 2, 2, 3))]
    steps = (*_STEPS, *_RARE) if seed % 2 else _STEPS
    shape = random.choice(("static", "static", "spawned"))

    def line(t: int) -> str:
        text = random.choices([s for _, s in steps], [n for n, _ in steps])[0]
        pick: dict[str, object] = {kind: random.choice(modes) for kind, modes in orders.items()}
        return text.format(x=random.choice(places), t=t, v=random.randint(0, 1), w=random.randint(0, 2), **pick)

    def body(t: int, least: int, most: int) -> list[str]:
        return [f"  {line(t)}" for _ in range(random.randint(least, most))]

    most = {2: 5, 3: 4, 4: 3}[threads]
    least = {2: 3, 3: 2, 4: 1}[threads]
    lines = ["var x, y, z", "na d", "mutex m", *(f"var p{t}" for t in range(threads))]
    if shape == "static":
        for t in range(threads):
            lines += [f"thread T{t} {{", "  local r", *body(t, least, most), "}"]
        return "\n".join(lines) + "\n"
    for t in range(1, threads):
        lines += [f"fn f{t}() {{", "  local r", *body(t, least, most), "}"]
    main = ["thread Main {", "  local r", *body(0, 0, 1)]
    for t in range(1, threads):
        main += [f"  h{t} := spawn f{t}()", *body(0, 0, 1)]
    for t in range(1, threads):
        main += [f"  join(h{t})", *body(0, 0, 1 if t > 1 else 0)] if random.random() < 0.7 else []
    return "\n".join([*lines, *main, "}"]) + "\n"


def random_loops(seed: int) -> str:
    """Two threads with few steps that go round for ever, or one of them does; no races."""
    random = Random(seed)
    orders = random.choice(_ORDERS)
    lines = ["var x, y"]
    for t in range(2):
        body = []
        for _ in range(random.randint(2, 3)):
            text = random.choices([s for _, s in _LOOPED], [n for n, _ in _LOOPED])[0]
            pick: dict[str, object] = {kind: random.choice(modes) for kind, modes in orders.items()}
            body.append(text.format(x=random.choice("xy"), v=random.randint(0, 1), w=random.randint(0, 1), **pick))
        end = "goto again" if t == 0 or random.random() < 0.5 else "skip"
        lines += [f"thread T{t} {{", "  local r", "  again: skip", *(f"  {line}" for line in (*body, end)), "}"]
    return "\n".join(lines) + "\n"


def bounded(program: Program) -> Program:
    """Every graph of the result is part of one whose threads all ended; see `explored.bounded`."""
    short = unroll(program, LoopBounds(1))
    return replace(short, functions=tuple(expand(f, explored.stops) for f in short.functions))


def explored_race(program: Program, model: str) -> bool:
    options = CheckOptions(model=model, spin_detection=False, ignore=("deadlock",), max_executions=100_000)
    return any(e.kind is ErrorKind.RACE for e in explore(passes(program, model), model, options).errors)


def disagreement(
    source: str, model: str, seen: Counter[str], ask: Callable[[Program, str], tuple[bool | None, bool]] | None = None
) -> str:
    """What is wrong; empty where search and explorer agree, or one of them has no answer."""
    program = bounded(read_fp(source, "random.fp"))
    robust, racy = (ask or searched)(program, model)
    if racy:
        seen["racy"] += 1
        return "" if explored_race(program, model) else f"{model}: a race that the explorer does not find\n{source}"
    counted = explored.count(program, model, limit=20_000)
    if robust is None or counted is None:
        seen["unknown"] += 1
        return ""
    seen["robust" if counted.robust else "not robust"] += 1
    if robust is not counted.robust and judged(program, model) is not robust:
        return f"{model}: search {robust}, explorer {counted}\n{source}"
    if robust and explored_race(program, model):
        return f"{model}: robust without a race, but the explorer finds one\n{source}"
    return ""


def judged(program: Program, model: str) -> bool:
    """The same question to the `.cat` files: is each execution from the explorer that `model` has one of SC?"""
    options = ExploreOptions(model=model, spin_detection=False)
    found = list(executions(passes(program, model), find(model), options))
    return all(find("sc").judge(x).consistent for x in found if find(model).judge(x).consistent)


def searched(program: Program, model: str) -> tuple[bool | None, bool]:
    verdict = check_robustness(program, RobustOptions(against=model))
    return verdict.extra["robust"], any(e.kind is ErrorKind.RACE for e in verdict.errors)  # type: ignore[return-value]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    given = parser.parse_args()
    seen = Counter[str]()
    for seed in range(given.seed, given.seed + given.count):
        wrong = disagreement(random_source(seed), "rc11" if seed % 4 else "rc11-cpp20", seen)
        if wrong:
            print(f"seed {seed}: {wrong}")
            return 1
        if (seed + 1) % 250 == 0:
            print(seed + 1 - given.seed, dict(sorted(seen.items())), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
