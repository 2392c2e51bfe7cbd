"""Three ways to the same set of executions: the explorer, the reference algorithms, enumeration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fencepost.enumerate import enumerate_program
from fencepost.errors import InternalError
from fencepost.execution.execution import Execution
from fencepost.explore import executions
from fencepost.explore.driver import knows
from fencepost.models.registry import find
from fencepost.program.instructions import Instruction
from fencepost.program.passes.mapping import map_for_model
from fencepost.program.passes.rewrite import expand
from fencepost.program.program import Program
from fencepost.program.validate import InvalidProgramError, validate
from fencepost.reference import trust, trust_cb
from fencepost.reference.axioms import MODELS as PORF_MODELS
from fencepost.reference.power import power

Keys = list[tuple[object, ...]]
WAYS = ("explorer", "reference", "enumeration")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What two ways found: how many executions, and how many only one of them has."""

    model: str
    counts: dict[str, int]
    text: str


def keys(way: str, program: Program, model: str) -> Keys | None:
    """The complete executions, one key each, as often as they were found; None where this way has no such model."""
    mapped = map_for_model(program, model)
    if way == "explorer":
        return _keys(executions(program, model)) if knows(model) else None
    if way == "enumeration":
        return _keys(enumerate_program(mapped, find(model)).complete)
    if model in PORF_MODELS:
        return _keys(trust.explore(mapped, model).complete)
    judge = find(model).judge
    check = power if model == "power" else lambda x: judge(x, all_violations=False).consistent
    return _keys(trust_cb.explore(mapped, check).complete)


def _keys(found: Iterator[Execution] | list[Execution]) -> Keys:
    return [x.canonical() for x in found]


def compare(program: Program, model: str, ways: tuple[str, ...] = WAYS) -> Disagreement | None:
    """None where all ways give the same executions and none gives one twice."""
    found = {}
    for way in ways:
        try:
            result = keys(way, program, model)
        except (AssertionError, InternalError) as error:
            return Disagreement(model, {}, f"{way}: {error}")
        if result is not None:
            found[way] = result
    counts = {way: len(k) for way, k in found.items()}
    for way, k in found.items():
        if len(set(k)) != len(k):
            return Disagreement(model, counts, f"{way} found {len(k) - len(set(k))} executions twice")
    everything = set().union(*found.values())
    for way, k in found.items():
        if set(k) != everything:
            return Disagreement(model, counts, f"{way} misses {len(everything - set(k))}")
    return None


def shrink(program: Program, model: str, ways: tuple[str, ...] = WAYS) -> Program:
    """A smaller program on which the ways still disagree: threads and instructions are left out while they can be."""
    smaller = True
    while smaller:
        smaller = False
        for candidate in _smaller(program):
            if compare(candidate, model, ways) is not None:
                program, smaller = candidate, True
                break
    return program


def _smaller(program: Program) -> Iterator[Program]:
    quiet = replace(program, observations=(), condition=None)
    if program.observations:
        yield quiet
    for t in program.threads if len(program.threads) > 1 else ():
        rest = tuple(x for x in quiet.threads if x != t)
        yield replace(quiet, threads=rest, functions=tuple(f for f in quiet.functions if f.name != t.function))
    for f in program.functions:
        for i in f.code[:-1]:
            changed = expand(f, lambda x, r, gone=i: () if x is gone else (x,))
            candidate = replace(quiet, functions=tuple(changed if g is f else g for g in quiet.functions))
            try:
                yield validate(candidate)
            except InvalidProgramError:
                continue


def instructions(program: Program) -> list[Instruction]:
    return [i for f in program.functions for i in f.code]
