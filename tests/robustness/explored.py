"""The question of robustness asked of the explorer, for programs whose loops run a few times only.

Every execution of SC is one of the weaker model, and the explorer meets each execution once. So all are the same
exactly if there are as many under both. As a command: `explored.py` prints the comparison for Figure 7,
`explored.py --random 5000` that for random programs in .fp with loops, arrays, choices, non-atomic accesses, waits and
all kinds of updates.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from fencepost.explore.driver import explore
from fencepost.frontends import read_file
from fencepost.frontends.pseudo import read as read_fp
from fencepost.options import CheckOptions, RobustOptions
from fencepost.program.instructions import (
    Assert,
    Await,
    BlockingCas,
    Branch,
    Call,
    Choose,
    ErrorKind,
    Fail,
    Instruction,
    Return,
)
from fencepost.program.operands import Const, FunctionAddress
from fencepost.program.passes.rewrite import Registers, expand, inline, inside
from fencepost.program.passes.unroll import LoopBounds, unroll
from fencepost.program.program import Program
from fencepost.records import dataclass
from fencepost.robustness import check_robustness
from fencepost.robustness.prepare import passes
from fencepost.verdict import Answer

PROGRAMS = Path(__file__).parent.parent.parent / "benchmarks" / "robustness"


@dataclass(frozen=True, slots=True)
class Counted:
    weak: int
    sc: int

    @property
    def robust(self) -> bool:
        return self.weak == self.sc


def bounded(program: Program, rounds: int) -> Program:
    """The program without calls and assertions whose threads stop where a loop wants to go round once more, and may
    stop wherever they could wait. So every graph is part of one whose threads all ended: those the explorer counts."""
    entries = {t.function for t in program.threads}
    functions = {f.name: f for f in program.functions}

    def body(i: Instruction, registers: Registers) -> Sequence[Instruction]:
        if isinstance(i, Call) and isinstance(i.callee, FunctionAddress):
            return inline(functions[i.callee.name], i.args, i.dst, registers)
        return (i,)

    flat = replace(program, functions=tuple(expand(f, body) for f in program.functions if f.name in entries))
    short = unroll(flat, LoopBounds(rounds))
    return replace(short, functions=tuple(expand(f, stops) for f in short.functions))


def stops(i: Instruction, registers: Registers) -> Sequence[Instruction]:
    if isinstance(i, Assert):
        return ()
    if isinstance(i, Fail):
        return (Return(at=i.at),)
    if not isinstance(i, Await | BlockingCas):
        return (i,)
    stop = registers.fresh("stop")
    branch = Branch(stop, inside(2), inside(3), at=i.at)
    return (Choose(stop, Const(0), Const(1), at=i.at), branch, Return(at=i.at), i)


def count(program: Program, against: str, limit: int = 1_000_000) -> Counted | None:
    """The executions under the weaker model and under SC; None where there are too many."""
    found = []
    for model in (against, "sc"):
        options = CheckOptions(model=model, spin_detection=False, keep_going=True, max_executions=limit, time_limit=60,
                               ignore=("deadlock", "race"), reductions=False)  # fmt: skip
        verdict = explore(passes(program, against), model, options)
        if verdict.errors or verdict.answer is Answer.UNKNOWN:
            return None
        found.append(verdict.executions)
    return Counted(*found)


_STEPS = (
    (6, "{x} := {v}"), (6, "r := {x}"), (2, "a[{i}] := {v}"), (2, "s := a[{i}]"), (2, "{x} := r"),
    (1, "r := XCHG({x}, {v})"), (1, "FADD({x}, {v})"), (2, "r := CAS({x}, {v}, {w})"), (1, "s, r := CAS({x}, s, {w})"),
    (1, "wait({x} == {v})"), (1, "wait({x} != {v})"), (1, "BCAS({x}, {v}, {w})"), (2, "fence.sc"),
    (1, "r := choose(0..1)"), (1, "if r == {v} {{ {x} := {w} }}"), (1, "while {x} == {v} {{ skip }}"),
    (1, "if s != r goto again"), (1, "BCAS(m, 0, 1); d := {v}; r := d; m := 0"), (1, "if {x} == {v} {{ d := {w} }}"),
)  # fmt: skip


def random_source(seed: int) -> str:
    """Two or three short threads in .fp; some go round for ever."""
    random = Random(seed)
    threads = random.choice((2, 2, 3))
    lines = ["var x, y, m, a[2]", "na d"]
    for t in range(threads):
        steps = random.choices(
            [s for _, s in _STEPS], [n for n, _ in _STEPS], k=random.randint(2, 4 if threads == 2 else 3)
        )
        body = [s.format(x=random.choice("xy"), v=random.randint(0, 1), w=random.randint(0, 1), i=random.choice("01r"))
                for s in steps]  # fmt: skip
        body = [line.replace("a[r]", "a[r & 1]") for line in body]
        end = ["goto again"] if random.random() < 0.3 else []
        lines += [f"thread T{t} {{", "  local r, s", "  again: skip", *(f"  {line}" for line in (*body, *end)), "}"]
    return "\n".join(lines) + "\n"


def disagreement(seed: int, seen: Counter[str]) -> str:
    """What is wrong for this seed; empty where search and explorer agree, or one of them has no answer."""
    source = random_source(seed)
    return difference(bounded(read_fp(source, f"{seed}.fp"), 1 + seed % 2), source, seen)


def difference(program: Program, source: str, seen: Counter[str]) -> str:
    """The same for a program without calls and loops."""
    for against in ("ra", "sra", "tso"):
        verdict = check_robustness(program, RobustOptions(against=against))
        counted = count(program, against, limit=20_000)
        racy = any(e.kind is ErrorKind.RACE for e in verdict.errors)
        if racy:
            seen[f"{against} racy"] += 1
            options = CheckOptions(model="ra", spin_detection=False, ignore=("deadlock",))
            if not any(e.kind is ErrorKind.RACE for e in explore(passes(program, against), "ra", options).errors):
                return f"{against}: a race that the explorer does not find\n{source}"
            continue
        if verdict.extra["robust"] is None or counted is None:
            seen[f"{against} unknown"] += 1
            continue
        seen[f"{against} {'robust' if counted.robust else 'not robust'}"] += 1
        if verdict.extra["robust"] is not counted.robust:
            return f"{against}: search {verdict.extra['robust']}, explorer {counted}\n{source}"
    return ""


def compare_figure(names: list[str]) -> int:
    wrong = 0
    for path in sorted(PROGRAMS.glob("*.fp")):
        for against in ("ra", "tso") if not names or path.stem in names else ():
            program = bounded(read_file(path), 1)
            robust = check_robustness(program, RobustOptions(against=against)).extra["robust"]
            counted = count(program, against)
            told = "too many" if counted is None else f"{counted.weak:7} {counted.sc:7}"
            differs = counted is not None and counted.robust is not robust
            wrong += differs
            print(f"{path.stem:20} {against:4} {robust!s:6} {told}", "DIFFERS" if differs else "", flush=True)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="programs of benchmarks/robustness")
    parser.add_argument("--random", type=int, metavar="N", help="N random programs instead")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    given = parser.parse_args()
    if given.random is None:
        return 1 if compare_figure(given.names) else 0
    seen = Counter[str]()
    for seed in range(given.seed, given.seed + given.random):
        wrong = disagreement(seed, seen)
        if wrong:
            print(f"seed {seed}: {wrong}")
            return 1
        if (seed + 1) % 250 == 0:
            print(seed + 1 - given.seed, dict(sorted(seen.items())), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
