"""The story that is told is a shortest one: held to all executions of small programs, and all orders of each."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from test_random import refuted

import fencepost
from fencepost.enumerate import enumerate_program
from fencepost.explore import executions, outcomes
from fencepost.generate import random_programs as shapes
from fencepost.models.registry import find
from fencepost.options import ExploreOptions
from fencepost.program.condition import FinalRegister
from fencepost.program.instructions import Assert, Compute, ErrorKind, Instruction, Op
from fencepost.program.operands import Const, Reg
from fencepost.program.program import Program
from fencepost.verdict import Answer, Verdict, Witness
from fencepost.witness.case import Case, open_case
from fencepost.witness.linearise import linearise
from fencepost.witness.sources import Sources
from fencepost.witness.story import _Teller, effort_of
from fencepost.witness.turns import Unit
from interleave import fewest_turns

Cost = tuple[int, int, int, int]  # reads of what comes later, reads that miss and stores that sink, these, turns


def failing(shape: shapes.Shape, model: str, size: int, seeds: range) -> Iterator[tuple[int, Program, Verdict]]:
    for seed in seeds:
        p = shapes.random_program(seed, shape, size=size)
        some = list(executions(p, model, ExploreOptions(max_executions=40)))
        broken = refuted(p, dict(some[seed % len(some)].outcome), seed) if some else None
        verdict = fencepost.check(broken, model=model, fix=False) if broken is not None else None
        if broken is not None and verdict is not None and verdict.answer is Answer.FAIL:
            assert verdict.witness is not None
            if verdict.witness.error.kind is ErrorKind.ASSERTION:
                yield seed, broken, verdict


def told_of(witness: Witness) -> tuple[list[Unit], Case]:
    """The steps that led to the error. (A story without weak memory also tells what the thread of the error missed.)"""
    case = open_case(witness)
    teller = _Teller(case, Sources(), whole=False)
    if effort_of(witness)[0].weak:
        return teller.units, case
    return linearise(case.relations, teller.told & case.led_here), case


def cheapest(witness: Witness) -> Cost:
    """Of all orders in which the steps of an execution could be told, one by one."""
    units, _ = told_of(witness)
    x, events = witness.execution, witness.execution.events
    lines: dict[int, list[tuple[int, ...]]] = {}
    for unit in units:
        lines.setdefault(events[unit[0]].thread, []).append(unit)
    told = {e for unit in units for e in unit}
    rank = {w: n for order in x.coherence.values() for n, w in enumerate(order)}
    best: list[Cost] = []

    def go(at: dict[int, int], newest: dict[int, int], done: frozenset[int], last: int, cost: Cost) -> None:
        if best and cost >= best[0]:
            return
        if len(done) == len(told):
            best[:] = [cost]
            return
        for t, line in lines.items():
            if at[t] == len(line):
                continue
            seen, (early, late, sunk, turns) = dict(newest), cost
            for e in line[at[t]]:
                source, address = x.reads_from.get(e), events[e].address
                if source is not None and source in told and source not in done and source not in line[at[t]]:
                    early += 1
                elif source is not None and rank.get(source, -1) < seen.get(address, -1):
                    late += 1
                if e in rank:
                    sinks = rank[e] < seen.get(address, -1)
                    late, sunk = late + sinks, sunk + sinks
                    seen[address] = max(rank[e], seen.get(address, -1))
            more = done | set(line[at[t]])
            go(at | {t: at[t] + 1}, seen, more, t, (early, late, sunk, turns + (t != last)))

    go(dict.fromkeys(lines, 0), {}, frozenset(), -1, (0, 0, 0, 0))
    return best[0]


@pytest.mark.parametrize("model", ["sc", "rc11", "tso"])
def test_no_way_of_taking_turns_has_fewer(model: str) -> None:
    """Held to a search that knows nothing of executions: threads take turns until the assertion fails."""
    held = 0
    for seed, program, verdict in failing(shapes.C11, model, 8, range(150)):
        assert verdict.witness is not None
        error = verdict.witness.error
        fewest = fewest_turns(program, error.kind, error.message)
        weak = effort_of(verdict.witness)[0].weak
        assert weak == (fewest is None), seed
        if fewest is not None:
            order, _ = told_of(verdict.witness)
            events = verdict.witness.execution.events
            told = [*(events[unit[0]].thread for unit in order), error.thread]
            turns = sum(a != b for a, b in pairwise(told)) + 1
            assert turns <= fewest, (seed, turns, fewest)
            held += 1
    assert held >= 60, held


def refuted_together(program: Program, thread: str, values: Mapping[str, int]) -> Program:
    """The program with an assertion at the end of a thread that its registers do not have all these values."""
    t = next(t for t in program.threads if t.name == thread)
    f = program.function(t.function)
    registers, tests = list(f.registers), list[Instruction]()
    parts = [len(registers) + n for n in range(2 * len(values))]
    for n, (name, value) in enumerate(values.items()):
        differs, some = Reg(parts[2 * n]), Reg(parts[2 * n + 1])
        before = Reg(parts[2 * n - 1]) if n else Const(0)
        tests.append(Compute(dst=differs, args=(Reg(registers.index(name)), Const(value)), op=Op.NE))
        tests.append(Compute(dst=some, args=(differs, before), op=Op.OR))
    tests.append(Assert(condition=Reg(parts[-1]), message="not so"))
    code = (*f.code[:-1], *tests, f.code[-1])
    changed = replace(f, code=code, registers=(*f.registers, *(f"s{p}" for p in parts)))
    return replace(program, functions=tuple(changed if g is f else g for g in program.functions))


def failing_weakly(model: str, seeds: range) -> Iterator[tuple[int, Program, Verdict]]:
    """Programs whose assertion fails only where memory is weak: what one thread has seen is no state of sc."""
    shape = replace(shapes.RELAXED, threads=(2, 3), branches=0, awaits=0, blocking_cas=0, cas=0)
    for seed in seeds:
        p = shapes.random_program(seed, shape, size=7)
        seen: dict[str, list[tuple[str, str]]] = {}
        for o in p.observations:
            if isinstance(o.what, FinalRegister):
                seen.setdefault(o.what.thread, []).append((o.name, o.what.register))
        strong = [dict(state) for state in outcomes(p, "sc").states]
        for state in map(dict, outcomes(p, model).states):
            new = [
                t for t, names in seen.items() if all(any(s[n] != state[n] for n, _ in names) for s in strong)
            ]  # fmt: skip
            if new:
                broken = refuted_together(p, new[0], {register: state[n] for n, register in seen[new[0]]})
                yield seed, broken, fencepost.check(broken, model=model, fix=False)
                break


def hold(seed: int, program: Program, verdict: Verdict) -> bool:
    """Whether it needs weak memory, and was held to all executions that end in its error."""
    assert verdict.witness is not None
    error = verdict.witness.error
    told = effort_of(verdict.witness)[0]
    every = [
        Witness(f.execution, e, verdict.model, program=program)
        for f in enumerate_program(program, find(verdict.model)).erroneous
        for e in f.errors if (e.kind, e.at, e.message) == (error.kind, error.at, error.message)
    ]  # fmt: skip
    assert every and tuple(told) <= min(map(cheapest, every)), (seed, told, min(map(cheapest, every)))
    return told.weak


@pytest.mark.parametrize("model", ["rc11", "tso", "ra", "power", "armv8"])
def test_no_execution_has_a_shorter_story(model: str) -> None:
    held = [hold(*case) for case in failing(shapes.C11, model, 5, range(400, 430))]
    assert len(held) >= 15


@pytest.mark.parametrize("model", ["rc11", "power", "armv8"])
def test_no_execution_misses_less(model: str) -> None:
    held = [hold(*case) for case in failing_weakly(model, range(1200))]
    assert len(held) >= 15 and all(held), len(held)


def test_no_execution_under_a_store_buffer_misses_less(tmp_path: Path) -> None:
    """Two threads that store and load at random, and a third one that looks at what they have seen."""
    held = 0
    for seed in range(20):
        rng = random.Random(seed)
        some = ["x := 1", "y := 1", "x := 2", "r := x", "r := y", "a := 0"]
        bodies = [["x := 1", rng.choice(some), "r := y"], [rng.choice(some), "y := 1", "r := x"]]
        text = "var x, y, a, b\n" + "".join(
            f"thread t{n} {{ r := 0; {'; '.join(body)}; {'ab'[n]} := r + 1 }}\n" for n, body in enumerate(bodies)
        )
        file = tmp_path / f"p{seed}.fp"
        look = 'thread look { s := a; t := b; assert(s == 0 || t == 0 || s != %d || t != %d, "not so") }\n'
        for seen in ((1, 1), (1, 2), (2, 1)):
            file.write_text(text + look % seen)
            verdict = fencepost.check(file, model="tso", fix=False)
            if verdict.witness is not None and effort_of(verdict.witness)[0].weak:
                held += hold(seed, fencepost.read(file), verdict)
    assert held >= 8, held
