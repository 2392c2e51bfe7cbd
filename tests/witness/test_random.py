"""Random failing programs: each witness is judged by the cat evaluator and replays, and its story can be told.

A random program becomes a failing one by an assertion that contradicts one of its own outcomes."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest

from fencepost.enumerate import enumerate_program
from fencepost.explore import executions, explore, outcomes
from fencepost.generate import random_programs as shapes
from fencepost.models.registry import find
from fencepost.options import ExploreOptions
from fencepost.program.condition import FinalRegister
from fencepost.program.instructions import Assert, Compute, ErrorKind, Op, Return
from fencepost.program.operands import Const, Reg
from fencepost.program.program import Program
from fencepost.report.text import render, render_witness
from fencepost.verdict import Answer, Witness
from fencepost.witness.codec import decode, encode
from fencepost.witness.confirm import confirm
from fencepost.witness.story import tell

EXPLORED = ("rc11", "sc", "ra", "tso", "pso", "rc11-cpp20")
HARDWARE = {"power": shapes.POWER, "riscv": shapes.RISCV}


def refuted(program: Program, outcome: dict[str, int], seed: int) -> Program | None:
    """The program with an assertion at the end of one thread that this outcome violates."""
    seen = [o for o in program.observations if isinstance(o.what, FinalRegister) and o.name in outcome]
    if not seen:
        return None
    chosen = seen[seed % len(seen)]
    assert isinstance(chosen.what, FinalRegister)
    thread = next(t for t in program.threads if t.name == chosen.what.thread)
    f = program.function(thread.function)
    assert isinstance(f.code[-1], Return) and sum(isinstance(i, Return) for i in f.code) == 1
    scratch = Reg(len(f.registers))
    value = Const(outcome[chosen.name])
    test = Compute(dst=scratch, args=(Reg(f.registers.index(chosen.what.register)), value), op=Op.NE)
    code = (*f.code[:-1], test, Assert(condition=scratch, message=f"{chosen.name} != {value.value}"), f.code[-1])
    changed = replace(f, code=code, registers=(*f.registers, "scratch"))
    return replace(program, functions=tuple(changed if g is f else g for g in program.functions))


def examine(witness: Witness) -> None:
    replayed = confirm(witness)
    assert replayed is not None
    back, _ = decode(json.loads(json.dumps(encode(witness))))
    assert back == witness
    story = tell(witness)
    numbers = [m.number for m in story.moments]
    assert numbers == list(range(1, len(numbers) + 1))
    assert story.explanation.reason
    if witness.error.kind is ErrorKind.ASSERTION:
        assert story.moments[-1].kind == "error"
    assert story.moments[-1].blamed
    if witness.model == "sc":
        assert not story.cycle


@pytest.mark.parametrize("model", EXPLORED)
def test_explored_programs(model: str) -> None:
    failing = 0
    for seed in range(60):
        p = shapes.random_program(seed, shapes.C11, size=8)
        first = next(iter(executions(p, model, ExploreOptions(max_executions=20))), None)
        broken = refuted(p, dict(first.outcome), seed) if first is not None else None
        if broken is None:
            continue
        verdict = explore(broken, model)
        assert verdict.answer is Answer.FAIL and verdict.witness is not None, seed
        examine(verdict.witness)
        assert render(verdict).startswith(" FAIL ")
        failing += 1
        if failing == 12:
            return
    pytest.fail(f"only {failing} failing programs")


def test_racy_programs() -> None:
    """Races and deadlocks of programs that nobody prepared."""
    kinds: Counter[ErrorKind] = Counter()
    for seed in range(40):
        verdict = explore(shapes.random_program(seed, shapes.C11_RACY, size=8), "rc11")
        if verdict.witness is not None:
            examine(verdict.witness)
            kinds[verdict.witness.error.kind] += 1
    assert kinds[ErrorKind.RACE] >= 10 and kinds[ErrorKind.DEADLOCK] >= 2, kinds


@pytest.mark.parametrize("model", ["wrc11", "imm", "sra", "power", "armv7", "armv8", "riscv"])
def test_models_of_every_engine(model: str) -> None:
    failing = 0
    for seed in range(40):
        p = shapes.random_program(seed, shapes.C11, size=5)
        found = outcomes(p, model)
        broken = refuted(p, dict(next(iter(found.states))), seed) if found.states else None
        verdict = explore(broken, model) if broken is not None else None
        if verdict is None:
            continue
        assert verdict.answer is Answer.FAIL and verdict.witness is not None, seed
        examine(verdict.witness)
        failing += 1
        if failing == 6:
            return
    pytest.fail(f"only {failing} failing programs")


@pytest.mark.parametrize("name", HARDWARE)
def test_hardware_executions(name: str) -> None:
    model, failing = find(name), 0
    for seed in range(60):
        p = shapes.random_program(seed, HARDWARE[name], size=5)
        found = enumerate_program(p, model)
        broken = refuted(p, dict(found.complete[-1].outcome), seed) if found.complete else None
        if broken is None:
            continue
        bad = enumerate_program(broken, model).erroneous
        assert bad, seed
        witness = Witness(bad[-1].execution, bad[-1].errors[0], name, program=broken)
        examine(witness)
        assert "why" in render_witness(witness)
        failing += 1
        if failing == 6:
            return
    pytest.fail(f"only {failing} failing programs")
