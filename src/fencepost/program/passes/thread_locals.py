"""Thread-local objects that other threads may access: an array with an element for each thread. That an element is used
after its thread has ended is not seen."""

from __future__ import annotations

from collections.abc import Sequence

from fencepost.program.instructions import (
    Branch,
    Compute,
    ErrorKind,
    Fail,
    Instruction,
    Op,
    Self,
    ThreadLocalAddress,
)
from fencepost.program.operands import Const, GlobalAddress
from fencepost.program.passes.rewrite import Registers, expand, inside, map_functions
from fencepost.program.program import Function, Object, Program
from fencepost.records import replace

THREADS = 16


def share(program: Program, names: frozenset[str]) -> Program:
    """The program in which the thread-local objects of these names are shared."""
    if not names:
        return program
    sizes = {o.name: -(-o.size // o.align) * o.align for o in program.objects if o.name in names}
    objects = tuple(_array(o, sizes[o.name]) if o.name in names else o for o in program.objects)

    def element(i: Instruction, registers: Registers) -> Sequence[Instruction]:
        if not isinstance(i, ThreadLocalAddress) or i.object not in names:
            return (i,)
        few = registers.fresh("few threads")
        what = f"the thread-local object {i.object}, whose address others know, in more than {THREADS} threads"
        return (
            Self(i.dst, at=i.at),
            Compute(few, (i.dst, Const(THREADS)), Op.ULT, at=i.at),
            Branch(few, inside(4), inside(3), at=i.at),
            Fail(ErrorKind.UNSUPPORTED, what, at=i.at),
            Compute(i.dst, (i.dst, Const(sizes[i.object])), Op.MUL, at=i.at),
            Compute(i.dst, (i.dst, GlobalAddress(i.object)), Op.ADD, at=i.at),
        )

    def change(function: Function) -> Function:
        found = any(isinstance(i, ThreadLocalAddress) and i.object in names for i in function.code)
        return expand(function, element) if found else function

    return map_functions(replace(program, objects=objects), change)


def _array(o: Object, size: int) -> Object:
    init = tuple(replace(one, offset=one.offset + k * size) for k in range(THREADS) for one in o.init)
    return replace(o, size=size * THREADS, init=init, thread_local=False, type=None)
