"""What runs when a thread or the program ends: atexit handlers and destructors of static objects, of thread-local
objects and of thread-specific data.

Each thread keeps its own lists in thread-local memory, so that registering is no event of an execution. The program
ends with the handlers that the ending thread registered; those that another thread registered are left out."""

from __future__ import annotations

from fencepost.frontends.c.body import ONE, ZERO, Body
from fencepost.frontends.c.exceptions import end_where_it_flies
from fencepost.frontends.c.library.jumps import end_where_it_goes_on
from fencepost.frontends.c.library.runtime import run
from fencepost.frontends.c.site import Handler, Site
from fencepost.frontends.c.usage import AT_EXIT, AT_THREAD_EXIT, REGISTERS
from fencepost.program import instructions as ins
from fencepost.program.instructions import ErrorKind, Mode, Op
from fencepost.program.operands import Const, FunctionAddress, Operand
from fencepost.program.program import Object

TRAMPOLINE = "fencepost.thread"
DESTRUCTORS, SPECIFIC, MAX_KEYS = "fencepost.destructors", "fencepost.specific", 64
_MOST = 64


def _list(b: Body, name: str) -> Operand:
    b.unit.add_object(Object(name, 8 + 16 * _MOST, 8, (), True))
    return b.thread_local(name)


def register(name: str) -> Handler:
    """atexit(function) and __cxa_atexit(function, argument, library)"""

    def handle(b: Body, s: Site) -> Operand:
        known = _list(b, name)
        count = b.fresh("count")
        b.emit(ins.Load(count, known, 8, Mode.NA))
        few = b.compute(Op.ULT, count, Const(_MOST))
        b.emit(ins.Assert(few, f"more than {_MOST} functions to run at the end", ErrorKind.UNSUPPORTED))
        entry = b.compute(Op.ADD, known, b.compute(Op.SHL, count, Const(4)))
        b.emit(ins.Store(b.add(entry, 8), s[0], 8, Mode.NA))
        b.emit(ins.Store(b.add(entry, 16), s[1], 8, Mode.NA))
        b.emit(ins.Store(known, b.compute(Op.ADD, count, ONE), 8, Mode.NA))
        return ZERO

    return handle


def end_thread(b: Body, *, specific: bool = True) -> None:
    """What a thread runs last. Return from main and exit() leave thread-specific data alone."""
    if b.unit.ends_threads[0]:
        run(b, "run_endings", _list(b, AT_THREAD_EXIT))
    if specific and b.unit.ends_threads[1]:
        destructors = b.unit.add_object(Object(DESTRUCTORS, 8 * MAX_KEYS))
        b.unit.add_object(Object(SPECIFIC, 8 * MAX_KEYS, 8, (), True))
        run(b, "run_destructors", b.thread_local(SPECIFIC), destructors, Const(MAX_KEYS))


def end_program(b: Body, value: Operand) -> None:
    end_thread(b, specific=False)
    if b.unit.ends_program:
        run(b, "run_endings", _list(b, AT_EXIT))
    b.emit(ins.Exit(value, True))


def spawned(b: Body, function: Operand, arg: Operand) -> tuple[Operand, tuple[Operand, ...]]:
    """The function that a new thread starts with, and its arguments."""
    if not any(b.unit.ends_threads) and not b.unit.exceptions.caught and not b.unit.leaving.used:
        return function, (arg,)
    if not b.unit.has_function(TRAMPOLINE):
        t = Body(b.unit, TRAMPOLINE)
        first, second, result = t.fresh("function"), t.fresh("argument"), t.fresh("result")
        t.emit(ins.Call(result, first, (second,)))
        end_where_it_flies(t)
        end_where_it_goes_on(t)
        end_thread(t)
        t.emit(ins.Return(result))
        b.unit.add_function(t.finish(2, False, None))
    return FunctionAddress(TRAMPOLINE), (function, arg)


def leave_program(b: Body, s: Site) -> None:
    end_program(b, s[0])


def leave_at_once(b: Body, s: Site) -> None:
    b.emit(ins.Exit(s[0], True))


def leave_thread(b: Body, s: Site) -> None:
    end_thread(b)
    b.emit(ins.Exit(s[0]))


FUNCTIONS: dict[str, Handler] = {
    "exit": leave_program, "_exit": leave_at_once, "_Exit": leave_at_once, "quick_exit": leave_at_once,
    "pthread_exit": leave_thread, "thrd_exit": leave_thread,
    **{f: register(name) for name, functions in REGISTERS.items() for f in functions},
}  # fmt: skip
