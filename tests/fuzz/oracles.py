"""Three ways to the same set of executions: the explorer, the reference algorithms, enumeration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fencepost.enumerate import enumerate_program
from fencepost.errors import InternalError
from fencepost.execution.execution import Execution
from fencepost.explore import executions, outcomes
from fencepost.explore.driver import knows
from fencepost.explore.foresight import foreseen
from fencepost.models.registry import find
from fencepost.options import ExploreOptions
from fencepost.program.instructions import Instruction, Spawn
from fencepost.program.passes.mapping import map_for_model
from fencepost.program.passes.rewrite import expand
from fencepost.program.program import Program
from fencepost.program.validate import InvalidProgramError, validate
from fencepost.reference import trust, trust_cb
from fencepost.reference.axioms import MODELS as PORF_MODELS
from fencepost.reference.power import power

Keys = list[tuple[object, ...]]
WAYS = ("explorer", "reference", "enumeration")
UNSETTLED = ("wrc11",)  # without a coherence order the reference cannot say which blocked graphs are the same


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What two ways found: how many executions, and how many only one of them has."""

    model: str
    counts: dict[str, int]
    text: str


@dataclass(frozen=True, slots=True)
class Seen:
    """The complete executions, one key each, as often as they were found, and how many blocked ones there are."""

    keys: Keys
    blocked: int


def look(way: str, program: Program, model: str) -> Seen | None:
    """What one way finds; None where it has no such model."""
    mapped = map_for_model(program, model)
    if way == "explorer":
        return _explored(program, model) if knows(model) else None
    if way == "enumeration":
        listed = enumerate_program(mapped, find(model))
        return Seen(_keys(listed.complete), len(listed.blocked))
    if model in PORF_MODELS:
        found = trust.explore(mapped, model)
        return Seen(_keys(found.complete), len(found.settled))
    return _committed(mapped, model)


def _explored(program: Program, model: str) -> Seen:
    late = any(isinstance(i, Spawn) for f in program.functions for i in f.code)
    options = ExploreOptions(shortcuts=not late)  # nobody observes a register of a thread that starts late
    return Seen(_keys(executions(program, model, options)), outcomes(program, model).blocked)


def _committed(program: Program, model: str) -> Seen | None:
    """None where the success of a compare-exchange has to be foreseen, which only the core does."""
    if foreseen(program, model):
        return None
    judge = find(model).judge
    check = power if model == "power" else lambda x: judge(x, all_violations=False).consistent
    split = trust_cb.explore(program, model, check)
    return Seen(_keys(split.complete), split.blocked)


def _keys(found: Iterator[Execution] | list[Execution]) -> Keys:
    return [x.canonical() for x in found]


def compare(program: Program, model: str, ways: tuple[str, ...] = WAYS) -> Disagreement | None:
    """None where all ways give the same executions, none gives one twice, and all count the same blocked ones."""
    found = {}
    for way in ways:
        try:
            result = look(way, program, model)
        except (AssertionError, InternalError) as error:
            return Disagreement(model, {}, f"{way}: {error}")
        if result is not None:
            found[way] = result
    counts = {way: len(seen.keys) for way, seen in found.items()}
    everything = {k for seen in found.values() for k in seen.keys}
    for way, seen in found.items():
        if len(set(seen.keys)) != len(seen.keys):
            return Disagreement(model, counts, f"{way} found {len(seen.keys) - len(set(seen.keys))} executions twice")
        if set(seen.keys) != everything:
            return Disagreement(model, counts, f"{way} misses {len(everything - set(seen.keys))}")
    blocked = {way: seen.blocked for way, seen in found.items() if way != "reference" or model not in UNSETTLED}
    if len(set(blocked.values())) > 1:
        return Disagreement(model, blocked, "they count blocked executions differently")
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
