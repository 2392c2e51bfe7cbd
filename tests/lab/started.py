"""Threads that start others late: when they have done all their own accesses. Who is started first differs from one
execution to the next, and so does what is known when an exploration is stopped, shared or resumed."""

from __future__ import annotations

from dataclasses import replace

from fencepost.generate.random_programs import SHAPES, random_program
from fencepost.program.condition import FinalRegister
from fencepost.program.instructions import Join, Load, Mode, Return, Spawn
from fencepost.program.operands import FunctionAddress, GlobalAddress, Reg
from fencepost.program.program import Function, Program
from fencepost.program.validate import validate


def late_starts(seed: int, shape: str, *, size: int) -> Program:
    """A random program of which the first two threads are there from the start and start the others in turn. With odd
    seeds they wait for them and look at memory again."""
    program = random_program(seed, replace(SHAPES[shape], threads=(3, 4)), size=size)
    there, later = program.threads[:2], program.threads[2:]
    place = program.objects[0].name if seed % 2 else ""
    started = {t.function: later[k::2] for k, t in enumerate(there)}
    functions = tuple(
        _starting(f, [t.function for t in started[f.name]], place) if f.name in started else f
        for f in program.functions
    )
    gone = {t.name for t in later}
    seen = tuple(o for o in program.observations if not (isinstance(o.what, FinalRegister) and o.what.thread in gone))
    return validate(replace(program, functions=functions, threads=there, observations=seen))


def _starting(f: Function, others: list[str], place: str) -> Function:
    """What ends the function starts these first: whoever jumps there comes to the first of them."""
    assert isinstance(f.code[-1], Return)
    first = len(f.registers)
    code = [Spawn(Reg(first + k), FunctionAddress(name), ()) for k, name in enumerate(others)]
    joins = [Join(None, Reg(first + k)) for k in range(len(others))] if place else []
    look = [Load(Reg(first + len(others)), GlobalAddress(place), 8, Mode.RLX)] if place else []
    registers = (*f.registers, *(f"t{k}" for k in range(len(others))), *(["last"] if place else []))
    return replace(f, registers=registers, code=(*f.code[:-1], *code, *joins, *look, f.code[-1]))
