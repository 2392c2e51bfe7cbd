"""C++ exceptions. A throw notes what flies in thread-local memory and returns; behind every call that may throw stands
a look at that note, which goes on to the landing pad or returns in its turn. None of this is an event of an execution.

Where no handler is in the program, a throw is an error on the spot and nothing of this is emitted. The rest is in
`support/exceptions.c`: what an exception is made of, and which handlers it fits."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from fencepost.frontends.c.llvm.module import Inst, IrFunction
from fencepost.frontends.c.llvm.tokens import plain_name
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program import instructions as ins
from fencepost.program.instructions import ErrorKind, Mode
from fencepost.program.operands import Const, FunctionAddress, GlobalAddress, Operand, Position
from fencepost.program.program import Object

if TYPE_CHECKING:
    from fencepost.frontends.c.body import Body
    from fencepost.frontends.c.linked import Linked

FLYING, PLACE, UNCAUGHT = "fencepost_flying", "fencepost.thrown_at", "fencepost.uncaught"
TERMINATE = "__clang_call_terminate"  # what compilers make for a function that must not throw
NOBODY = "an exception is thrown and nobody catches it"
_ZERO = Const(0)
#: Functions of the library that throw. Each is in support/exceptions.c for programs that catch something.
THROWS = frozenset({
    "__cxa_throw", "__cxa_rethrow", "__cxa_bad_cast", "__cxa_bad_typeid", "__cxa_throw_bad_array_new_length",
    "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE", "_ZSt17rethrow_exceptionSt13exception_ptr",
    "_ZNSt3__120__throw_system_errorEiPKc", "_ZSt20__throw_system_errori", "_ZSt20__throw_future_errori",
    "_ZSt19__throw_logic_errorPKc", "_ZSt20__throw_length_errorPKc", "_ZSt20__throw_out_of_rangePKc",
    "_ZSt24__throw_out_of_range_fmtPKcz", "_ZSt24__throw_invalid_argumentPKc", "_ZSt21__throw_runtime_errorPKc",
    "_ZSt17__throw_bad_allocv", "_ZSt28__throw_bad_array_new_lengthv", "_ZSt25__throw_bad_function_callv",
    "_ZSt21__throw_bad_exceptionv", "_ZSt16__throw_bad_castv", "_ZSt18__throw_bad_typeidv",
    "_ZSt22__throw_overflow_errorPKc", "_ZSt19__throw_range_errorPKc", "_ZSt20__throw_domain_errorPKc",
})  # fmt: skip
#: Functions of the library that call what they are given, and may pass on what that throws.
CALLERS = frozenset({"pthread_once", "_ZNSt3__111__call_onceERVmPvPFvS2_E"})
_CALL = re.compile(r'\b(?:call|invoke)\b(?! void asm)[^;]*?([@%](?:[-\w$.]+|"(?:[^"\\]|\\.)*"))\(')
_GROUP = re.compile(r"\) (#\d+)")


class Exceptions:
    """What a program does with exceptions, and who may throw."""

    def __init__(self, linked: Linked) -> None:
        self.linked = linked
        self.places: list[Position | None] = []
        self._numbers: dict[str, int] = {}
        self._quiet: set[str] = set()
        self._loud: set[str] = set(THROWS | CALLERS)

    @cached_property
    def caught(self) -> bool:
        """Whether the program has a handler; one that only ends a function that must not throw is none."""
        main = self.linked.main
        if not any(name in main.functions for name in THROWS):
            return False
        found = any(_catches(f.lines) for f in main.functions.values() if f.lines is not None)
        self.linked.throws = THROWS if found else frozenset()
        return found

    def type_number(self, operand: Operand) -> int:
        """How a handler is told which type it got: a number for every type that is caught; null is every type."""
        name = operand.name if isinstance(operand, GlobalAddress) else ""
        return self._numbers.setdefault(name, len(self._numbers) + 1)

    def thrown_from(self, at: Position | None) -> int:
        self.places.append(at)
        return len(self.places) - 1

    # --- who may throw

    def may_throw(self, name: str) -> bool:
        """Whether a call of this function may throw. An unknown function does not: calling it is unsupported anyway."""
        if not self.caught or name in self._quiet:
            return False
        todo, seen = [name], set[str]()
        while todo:
            one = todo.pop()
            if one in self._loud:
                self._loud.add(name)
                return True
            if one in seen or one in self._quiet:
                continue
            seen.add(one)
            function = self.linked.defined(one)
            called = _called(function) if function is not None else []
            if called is None:
                self._loud |= {one, name}
                return True
            todo += called
        self._quiet |= seen
        return False

    def invoke_throws(self, i: Inst) -> bool:
        if not self.caught:
            return False
        tokens = i.cursor.tokens
        callee = next((t for t, n in pairwise(tokens) if n == "(" and t[0] in "@%"), "%")
        return callee[0] == "%" or self.may_throw(plain_name(callee))


def _catches(lines: list[str]) -> bool:
    for k, line in enumerate(lines):
        if line.lstrip().startswith("catch ") and not any(TERMINATE in later for later in lines[k : k + 8]):
            return True
    return False


def _called(function: IrFunction) -> list[str] | None:
    """What a function calls; None where it calls through a pointer."""
    quiet = function.module.nounwind
    if any(word in quiet for word in re.findall(r"#\d+", function.header)):
        return []
    found: list[str] = []
    for line in function.lines or ():
        if ("call " not in line and "invoke " not in line) or " asm " in line:
            continue
        group = _GROUP.search(line)
        if group is not None and group.group(1) in quiet:
            continue
        callee = _CALL.search(line)
        if callee is None or callee.group(1)[0] == "%":
            return None
        found.append(plain_name(callee.group(1)))
    return found


# --- what is emitted


def flying(b: Body) -> Operand:
    """The address of what this thread has thrown and not caught; 0 is nothing."""
    local = b.unit.thread_local(FLYING)
    assert local is not None, "our library has this variable"
    return b.thread_local(local)


def note_place(b: Body) -> None:
    """Before a throw: where it stands, for the case that nobody catches it."""
    b.unit.add_object(Object(PLACE, 8, 8, (), True))
    b.emit(ins.Store(b.thread_local(PLACE), Const(b.unit.exceptions.thrown_from(b.at)), 8, Mode.NA))


def look(b: Body) -> None:
    """Behind a call that may throw."""
    thrown = b.fresh("flying")
    b.emit(ins.Load(thrown, flying(b), 8, Mode.NA))
    go_on = b.label()
    b.branch(thrown, b.unwind if b.unwind is not None else b.leave(), go_on)
    b.mark(go_on)


def end_where_it_flies(b: Body) -> None:
    """At the bottom of a thread."""
    if not b.unit.exceptions.caught:
        return
    thrown, failed, end = b.fresh("flying"), b.label(), b.label()
    b.emit(ins.Load(thrown, flying(b), 8, Mode.NA))
    b.branch(thrown, failed, end)
    b.mark(failed)
    b.emit(ins.Call(None, FunctionAddress(UNCAUGHT), ()))
    b.jump(end)
    b.mark(end)


def uncaught(b: Body) -> None:
    """The body of the function that tells of an exception that nobody catches, at the place where it was thrown."""
    b.unit.add_object(Object(PLACE, 8, 8, (), True))
    places = b.unit.exceptions.places
    labels, other, place = [b.label() for _ in places], b.label(), b.fresh("place")
    b.emit(ins.Load(place, b.thread_local(PLACE), 8, Mode.NA))
    b.emit(ins.Switch(place, tuple(Const(k) for k in range(len(places))), tuple(labels), other))
    for at, label in zip([*places, None], [*labels, other], strict=True):
        b.mark(label)
        b.at = at
        b.fail(ErrorKind.ABORT, NOBODY)


def landing_pad(b: Body, i: Inst) -> None:
    """What flies, and the number of the first clause that it fits; 0 for a cleanup."""
    c = i.cursor
    b.types.parse(c)
    thrown, number = b.fresh("thrown"), b.fresh("selector")
    b.emit(ins.Load(thrown, flying(b), 8, Mode.NA))
    b.move(number, _ZERO)
    end, cleanup = b.label(), False
    while c.token in ("cleanup", "catch", "filter"):
        word = c.next()
        if word == "filter":
            raise Unsupported("a dynamic exception specification")
        if word == "cleanup":
            cleanup = True
            continue
        type_ = b.typed(c)[1]
        fits, found, other = b.fresh("fits"), b.label(), b.label()
        b.emit(ins.Call(fits, b.unit.address("fencepost_fits"), (thrown, type_)))
        b.branch(fits, found, other)
        b.mark(found)
        b.move(number, Const(b.unit.exceptions.type_number(type_)))
        b.jump(end)
        b.mark(other)
    b.jump(end if cleanup else b.leave())
    b.mark(end)
    b.emit(ins.Store(flying(b), _ZERO, 8, Mode.NA))
    b.bind(i.result, (thrown, number))


def resume(b: Body, i: Inst) -> None:
    thrown = b.operands(b.types.parse(i.cursor), i.cursor)[0]
    b.emit(ins.Store(flying(b), thrown, 8, Mode.NA))
    b.jump(b.leave())
