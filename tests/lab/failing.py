"""Programs for hardware whose threads assert something of what they read: who meets an error has to look again when
what it read changes."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import hardware

import fencepost
from fencepost.enumerate.verdicts import check_by_enumeration
from fencepost.generate.random_programs import SHAPES, random_program
from fencepost.models.registry import find
from fencepost.options import CheckOptions
from fencepost.program.instructions import Assert, Compute, Load, Op, Return
from fencepost.program.operands import Const, Reg
from fencepost.program.printer import print_program
from fencepost.program.program import Function, Program
from fencepost.program.validate import validate
from fencepost.verdict import Verdict


def asserting(program: Program, seed: int) -> Program:
    """What ends a function looks at one of its loads first; whoever jumps there comes to that."""
    random = Random(seed)
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
    return _difference(asserting(random_program(seed, SHAPES[shape], size=6), seed), model)


def difference_amid(seed: int, kind: str, model: str) -> str | None:
    """The same with atomic blocks, or with accesses of mixed size, whose pieces are in such: an error may end its
    thread while another one is amid a block, which may have no end."""
    if model in hardware.MODELS:
        program = hardware.program_of(model, kind, seed)
    else:
        program = random_program(seed, SHAPES[kind], size=6)
    return _difference(asserting(program, seed), model)


def _difference(program: Program, model: str) -> str | None:
    options = CheckOptions(model=model, keep_going=True)
    explored = fencepost.check(program, model=model, keep_going=True, fix=False)
    listed = check_by_enumeration(program, find(model), options)
    a, b = _told(explored), _told(listed)
    return None if a == b else f"{a}, by enumeration {b}\n{print_program(program)}"


def _told(verdict: Verdict) -> tuple[object, ...]:
    """Which assertion ends an execution that breaks several is not said."""
    return verdict.answer.value, verdict.executions, bool(verdict.errors)
