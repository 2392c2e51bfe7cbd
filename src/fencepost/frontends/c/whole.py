"""The whole program: it starts at `main`, and every function that is reached is translated once."""

from __future__ import annotations

from fencepost.errors import InputError
from fencepost.frontends.c.annotations import bound_loops
from fencepost.frontends.c.body import ZERO, Body
from fencepost.frontends.c.exceptions import end_where_it_flies, uncaught
from fencepost.frontends.c.function import translate, translate_stub
from fencepost.frontends.c.library import endings
from fencepost.frontends.c.library.jumps import LOST, end_where_it_goes_on, lost
from fencepost.frontends.c.library.table import library
from fencepost.frontends.c.llvm.module import IrFunction, IrGlobal, Module
from fencepost.frontends.c.llvm.tokens import plain_name
from fencepost.frontends.c.polling import wait_at_once
from fencepost.frontends.c.throwing import UNCAUGHT
from fencepost.frontends.c.unit import Unit
from fencepost.program import instructions as ins
from fencepost.program.operands import Const, ConstantOperand, FunctionAddress, GlobalAddress
from fencepost.program.program import Arch, Init, Object, Program, Thread

START = "fencepost.start"
ARGV = "fencepost.argv"
_PROGRAM_NAME = b"program"
#: Where a program starts: some checkers have a main of their own, and call that of the program otherwise.
_ENTRIES = ("main", "user_main", "_Z9user_mainiPPc")


def translate_program(module: Module, name: str) -> Program:
    """The Program of what is reached from `main`."""
    unit = Unit(module, library().__contains__)
    main = next((found for entry in _ENTRIES if (found := unit.defined(entry)) is not None), None)
    if main is None:
        raise InputError(
            "there is no function main to start from", file=module.file, line=1, expected="`int main(void)`",
            hint="a program of several files is checked by naming all of them: fencepost check main.c queue.c",
        )  # fmt: skip
    start, args = _start(unit, main)
    for reached in unit.reached():
        wait_at_once(reached)
        translated = translate if reached.lines is not None else translate_stub
        unit.functions[reached.name] = translated(unit, reached)
    if unit.exceptions.caught:
        b = Body(unit, UNCAUGHT)
        uncaught(b)
        unit.functions[UNCAUGHT] = b.finish(0, False, None)
    if unit.leaving.used:
        b = Body(unit, LOST)
        lost(b)
        unit.functions[LOST] = b.finish(0, False, None)
    order = sorted(unit.functions, key=lambda n: n != start)
    functions = tuple(unit.functions[n] for n in order)
    threads = (Thread("main", start, args),)
    program = Program(name, Arch.C11, tuple(unit.objects.values()), functions, threads, notes=tuple(unit.notes))
    return bound_loops(program, unit.loop_bounds)


def _start(unit: Unit, main: IrFunction) -> tuple[str, tuple[ConstantOperand, ...]]:
    """The function that the first thread runs, and its arguments. It runs constructors, then main; when that
    returns, the program ends."""
    unit.reach(main.name)
    args = (Const(1), _argv(unit), ZERO)[: len(main.parameters)]
    b = Body(unit, START)
    for name in _constructors(unit.module):
        b.emit(ins.Call(None, unit.address(name), ()))
    result = b.fresh("result")
    b.emit(ins.Call(result, FunctionAddress(main.name), args))
    end_where_it_flies(b)
    end_where_it_goes_on(b)
    b.at = main.module.debug.function_position(main.dbg)
    endings.end_program(b, result)
    unit.functions[START] = b.finish(0, False, None)
    return START, ()


def _argv(unit: Unit) -> ConstantOperand:
    name = f"{ARGV}.name"
    init = tuple(Init(k, 1, Const(byte)) for k, byte in enumerate(_PROGRAM_NAME))
    unit.add_object(Object(name, len(_PROGRAM_NAME) + 1, 1, init, constant=True))
    return unit.add_object(Object(ARGV, 16, 8, (Init(0, 8, GlobalAddress(name)),)))


def _constructors(module: Module) -> list[str]:
    """The functions of llvm.global_ctors in the order in which they run."""
    found = module.global_("llvm.global_ctors")
    if not isinstance(found, IrGlobal) or found.initialiser is None:
        return []
    tokens = found.initialiser.tokens[found.initialiser.at :]
    pairs: list[tuple[int, str]] = []
    priority = 65535
    for k, token in enumerate(tokens):
        if token == "i32" and tokens[k + 1].isdigit():
            priority = int(tokens[k + 1])
        elif token[0] == "@" and plain_name(token) in module.functions:
            pairs.append((priority, plain_name(token)))
    return [name for _, name in sorted(pairs, key=lambda p: p[0])]
