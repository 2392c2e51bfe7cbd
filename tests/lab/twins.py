"""Identical threads, with the reduction and without: the same orbits of executions, errors, blocked or not, and the
orbits' sizes add up to all executions.

    python tests/lab/twins.py --seconds 60 --model sc --seed 0
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations, product

from fencepost import _core
from fencepost.explore.begin import begin
from fencepost.explore.native import native_options
from fencepost.frontends.pseudo import read
from fencepost.models.registry import find
from fencepost.options import CheckOptions
from fencepost.program.instructions import ErrorKind, Instruction, Join, Return, Spawn
from fencepost.program.operands import FunctionAddress, Reg
from fencepost.program.program import Function, Program, Thread

MODELS = ("sc", "tso", "rc11", "ra", "pso")
#: Full explorations larger than this are skipped.
MOST = 800

_CHOOSE = 3  # the kind of an event that is a choice

#: Of threads that wait for one another any may be named.
_ANYWHERE = (list(ErrorKind).index(ErrorKind.DEADLOCK), list(ErrorKind).index(ErrorKind.LIVENESS))

Threads = tuple[tuple[int, ...], ...]


@dataclass
class Made:
    """`classes`: the threads that are the same. `joins`: None where all threads exist from the start; else a first
    thread starts them and joins so many."""

    text: str
    classes: Threads
    joins: int | None = None

    def program(self) -> Program:
        found = read(self.text, "lab.fp")
        return found if self.joins is None else _started(found, self.joins)


def _started(program: Program, joins: int) -> Program:
    """The same with a first thread that starts the others and joins the first of them."""
    numbers = range(len(program.threads))
    code: list[Instruction] = [
        Spawn(Reg(k), FunctionAddress(t.function), t.args) for k, t in zip(numbers, program.threads, strict=True)
    ]
    code += [Join(None, Reg(k)) for k in numbers[:joins]]
    main = Function("start", tuple(f"t{k}" for k in numbers), 0, (*code, Return()))
    return replace(program, functions=(*program.functions, main), threads=(Thread("start", "start"),))


class Maker:
    """Random programs with two or three equal threads and perhaps others."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.locations = ["x", "y", "z"][: self.random.choice([1, 2, 2, 3])]
        self.waits = self.random.random() < 0.3
        self.registers = 0

    def made(self) -> Made:
        lines, classes, t = ["var x, y, z", "mutex m"], [], 0
        for k in self.random.choice([(2,), (2,), (3,), (3,), (2, 2), (4,)]):
            body = self.body(self.random.choice([1, 2, 2, 3, 3] if k < 3 else [1, 2, 2]))
            classes.append(tuple(range(t, t + k)))
            lines.append(f"thread C{t}_(i in 1..{k}) {{ {body} }}")
            t += k
        for _ in range(self.random.choice([0, 1, 1, 2])):
            lines.append(f"thread P{t} {{ {self.body(self.random.choice([1, 2]))} }}")
            t += 1
        text, joins = "\n".join(lines) + "\n", self.random.choice([None, None, 0, t, t, t, 1])
        if joins is None:
            return Made(text, tuple(classes))
        return Made(text, tuple(tuple(k + 1 for k in c) for c in classes), joins)

    def body(self, length: int) -> str:
        self.registers = 0
        parts = [self.statement() for _ in range(length)]
        if self.random.random() < 0.25:
            cut = self.random.randrange(len(parts) + 1)
            parts = [*parts[:cut], "lock(m)", *parts[cut:], "unlock(m)"]
        if self.registers and self.random.random() < 0.1:
            parts.append(f"assert(r{self.random.randrange(self.registers)} != 2)")
        return "; ".join(parts)

    def statement(self) -> str:
        x, chance = self.random.choice(self.locations), self.random.random()
        mode = self.random.choice(["", "", ".sc"])
        if chance < 0.4:
            return self.into(f"{x}{mode or self.random.choice(['', '.acq'])}")
        if chance < 0.47:
            return self.into(f"FADD({x}{mode}, 1)")
        if chance < 0.55:
            return self.into(f"CAS({x}{mode}, {self.random.choice([0, 1])}, {self.random.choice([1, 2])})")
        if chance < 0.6:
            self.registers += 1
            return f"r{self.registers - 1} := choose(0..1)"
        if chance < 0.65:
            return "fence.sc"
        if chance < 0.72 and self.waits:
            return self.random.choice([f"wait({x} == 1)", f"wait({x} != 0)", f"BCAS({x}, 0, 1)", f"BCAS({x}, 1, 0)"])
        if chance < 0.8 and self.registers:
            return f"if r{self.random.randrange(self.registers)} == 0 {{ {x} := 3 }}"
        value = str(self.random.choice([1, 2]))
        if self.registers and self.random.random() < 0.4:
            value = f"r{self.random.randrange(self.registers)} + 1"
        return f"{x}{self.random.choice(['', '.rel', mode])} := {value}"

    def into(self, what: str) -> str:
        self.registers += 1
        return f"r{self.registers - 1} := {what}"


@dataclass
class Ran:
    """What one exploration gave: executions as values with names, blocked ones, the places of errors."""

    executions: list[tuple[object, ...]]
    blocked: int
    errors: frozenset[tuple[int, int]]
    representing: int
    uncounted: int
    asymmetric: bool


def ran(made: Made, model: str, *, reduce: bool, most: int = 0) -> Ran | None:
    """None where there are more executions than `most`."""
    options = CheckOptions(model=model, keep_going=True, reductions=reduce, locks=False, fix=False)
    prepared, engine = begin(made.program(), find(model), options)
    assert prepared is not None, "these models should be explored"
    native = native_options(prepared, find(model), engine, options, 0)
    native.keep_executions = 1 << 40
    exploration = _core.Exploration(prepared.bytecode, native)
    exploration.run(20.0, most or 1 << 60, 1)
    if exploration.remaining():
        return None
    results = exploration.results()
    errors = frozenset((f.kind, -1 if f.kind in _ANYWHERE else f.position) for f in results.findings)
    return Ran([named(x) for x in results.kept], results.blocked, errors, results.representing, results.uncounted,
               results.asymmetric)  # fmt: skip


def named(x: _core.CoreExecution, names: Sequence[tuple[int, int] | None] = ()) -> tuple[object, ...]:
    """The execution with events called by thread and index, or as `names` has it, without those that it does not."""
    names = names or [(e.thread, e.index) for e in x.events]
    events = tuple(
        (
            names[k],
            e.kind,
            e.value if e.kind == _CHOOSE else e.address,
            names[e.reads_from] if e.reads_from >= 0 else None,
        )
        for k, e in enumerate(x.events)
        if names[k] is not None
    )
    orders = ((a, tuple(names[w] for w in ws if names[w] is not None)) for a, ws in x.coherence)
    return events, tuple(order for order in orders if order[1])


def orbit(x: tuple[object, ...], classes: Threads) -> frozenset[object]:
    """All executions that differ from this one in the names of threads."""
    return frozenset(renamed(x, s) for s in _renamings(classes))


def _renamings(classes: Threads) -> Iterable[dict[int, int]]:
    for combination in product(*([dict(zip(c, p, strict=True)) for p in permutations(c)] for c in classes)):
        yield {a: b for one in combination for a, b in one.items()}


def renamed(x: tuple[object, ...], by: dict[int, int]) -> object:
    def name(n: tuple[int, int] | None) -> tuple[int, int] | None:
        return n if n is None else (by.get(n[0], n[0]), n[1])

    events, coherence = x
    return (
        frozenset((name(n), kind, address, name(w)) for n, kind, address, w in events),  # type: ignore[attr-defined]
        frozenset((a, tuple(name(w) for w in ws)) for a, ws in coherence),  # type: ignore[attr-defined]
    )


@dataclass
class Tally:
    programs: int = 0
    skipped: int = 0
    executions: int = 0
    orbits: int = 0
    visited: int = 0
    given_up: int = 0
    bad: list[str] = field(default_factory=list)

    def compare(self, made: Made, model: str) -> str | None:
        """What is different; None where nothing is."""
        full = ran(made, model, reduce=False, most=MOST)
        if full is None:
            self.skipped += 1
            return None
        less = ran(made, model, reduce=True)
        if less is None:
            return "it did not end"
        if less.asymmetric:
            self.given_up += 1
            return None if made.joins == 1 else "taken for asymmetric"
        there = {renamed(x, {}) for x in full.executions}
        orbits = [orbit(x, made.classes) for x in less.executions]
        self.programs += 1
        self.executions += len(there)
        self.orbits += len(set(orbits))
        self.visited += len(orbits)
        return _difference(full, less, there, orbits)


def _difference(full: Ran, less: Ran, there: set[object], orbits: list[frozenset[object]]) -> str | None:
    kept = {x for o in orbits for x in o}
    if kept != there:
        return f"lost {len(there - kept)}, invented {len(kept - there)} of {len(there)} executions"
    if bool(full.blocked) != bool(less.blocked) or full.errors != less.errors:
        return f"blocked {full.blocked} and {less.blocked}, errors {full.errors} and {less.errors}"
    if not less.uncounted and less.representing != len(there):
        return f"{less.representing} of {len(there)} executions"
    if not less.uncounted and len(orbits) != len(set(orbits)):
        return f"{len(orbits)} visited for {len(set(orbits))} orbits"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--model", choices=[*MODELS, "all"], default="all")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    end, seed = time.monotonic() + asked.seconds, asked.seed
    models = MODELS if asked.model == "all" else (asked.model,)
    tallies = {m: Tally() for m in models}
    while time.monotonic() < end:
        seed += 1
        made = Maker(seed).made()
        for model in models:
            if (wrong := tallies[model].compare(made, model)) is not None:
                tallies[model].bad.append(f"{seed}: {wrong}")
                print(f"{model}, seed {seed}: {wrong}, joins {made.joins}\n{made.text}", flush=True)
    for model, t in tallies.items():
        print(f"{model}: {t.programs} programs ({t.skipped} too large), {t.executions} executions, {t.orbits} orbits, "
              f"{t.visited} visited, {t.given_up} given up, {len(t.bad)} wrong")  # fmt: skip
    return 1 if any(t.bad for t in tallies.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
