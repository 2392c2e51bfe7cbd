"""Programs for hardware whose threads assert something of what they read: who meets an error has to look again when
what it read changes."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import fencepost
from fencepost.enumerate.verdicts import check_by_enumeration
from fencepost.generate.random_programs import SHAPES, random_program
from fencepost.models.registry import find
from fencepost.options import CheckOptions
from fencepost.prepare.ready import ready
from fencepost.program.instructions import Assert, Compute, Load, Op, Return
from fencepost.program.operands import Const, Reg
from fencepost.program.printer import print_program
from fencepost.program.program import Function, Program
from fencepost.program.validate import validate
from fencepost.verdict import Verdict


def asserting(seed: int, shape: str) -> Program:
    """What ends a function looks at one of its loads first; whoever jumps there comes to that."""
    random = Random(seed)
    program = random_program(seed, SHAPES[shape], size=6)
    return validate(replace(program, functions=tuple(_asserting(f, random) for f in program.functions)))


def _asserting(f: Function, random: Random) -> Function:
    loads = [i.dst for i in f.code if isinstance(i, Load) and i.dst is not None]
    if not loads or not isinstance(f.code[-1], Return):
        return f
    holds = Reg(len(f.registers))
    asked = Compute(holds, (random.choice(loads), Const(random.randint(0, 1))), Op.NE)
    code = (*f.code[:-1], asked, Assert(holds, f"of {f.name}"), f.code[-1])
    return replace(f, registers=(*f.registers, "holds"), code=code)


def difference(seed: int, shape: str, model: str) -> str | None:
    program = asserting(seed, shape)
    options = CheckOptions(model=model, keep_going=True)
    explored = fencepost.check(program, model=model, keep_going=True, fix=False)
    listed = check_by_enumeration(ready(program, find(model), options), find(model), options)
    a, b = _told(explored), _told(listed)
    return None if a == b else f"{a}, by enumeration {b}\n{print_program(program)}"


def _told(verdict: Verdict) -> tuple[object, ...]:
    """Which assertion ends an execution that breaks several is not said."""
    return verdict.answer.value, verdict.executions, bool(verdict.errors)
