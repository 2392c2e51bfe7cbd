"""Which functions of a program may throw a C++ exception, and whether anybody catches one."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise

from fencepost.frontends.c.linked import Linked
from fencepost.frontends.c.llvm.module import Inst, IrFunction
from fencepost.frontends.c.llvm.tokens import plain_name
from fencepost.program.operands import GlobalAddress, Operand, Position

UNCAUGHT = "fencepost.uncaught"  # the function that tells of an exception that nobody catches
TERMINATE = "__clang_call_terminate"  # what compilers make for a function that must not throw
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
CALL = re.compile(r'\b(?:call|invoke)\b(?! void asm)[^;]*?([@%](?:[-\w$.]+|"(?:[^"\\]|\\.)*"))\(')
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
        callee = CALL.search(line)
        if callee is None or callee.group(1)[0] == "%":
            return None
        found.append(plain_name(callee.group(1)))
    return found
