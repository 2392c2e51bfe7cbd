"""What all functions of a program share while they are translated: its globals, what names stand for, and which
functions are reached. It knows nothing of how one is translated."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from fencepost.frontends.c import usage
from fencepost.frontends.c.constants import read_initialiser
from fencepost.frontends.c.leaving import Leaving
from fencepost.frontends.c.linked import Linked
from fencepost.frontends.c.llvm.module import IrFunction, IrGlobal, Module
from fencepost.frontends.c.llvm.tokens import Cursor
from fencepost.frontends.c.llvm.types import Type, TypeTable
from fencepost.frontends.c.throwing import Exceptions
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program.operands import Const, ConstantOperand, FunctionAddress, GlobalAddress, Position, to_unsigned
from fencepost.program.program import Function, Object
from fencepost.records import dataclass

RETURNED = "fencepost.returned"  # thread-local: what a function returns beyond its first word
#: What libraries define and programs only take the address of, or pass on.
#: The tables of virtual functions of what `std::ostringstream` and `std::ifstream` are made of.
_STREAM = re.compile(r"_ZT[VT]N?S\w*(ios|stream|streambuf|stringbuf|filebuf)\w*\Z")
_ADDRESS_ONLY = re.compile(
    r"_ZT[IS]|_ZTV(?!.*(ios|stream|locale|facet))|_ZNK?St(?!.*(ios|locale|facet))|_ZSt(3cin|\d(cout|cerr|clog|wcout))$"
    r"|_ZSt7nothrow$|std(in|out|err)$|(__)?environ$|__dso_handle$|__libc_single_threaded$|opt(arg|ind|err|opt)$"
)


_RESULT = re.compile(r"^\s*(%[-\w.$]+) = (?:tail |notail )?call .*?@([-\w.$]+)\(")


def _used_results(body: Sequence[str]) -> Iterator[str]:
    """The functions whose results a function uses."""
    calls = {m[1]: m[2] for line in body if (m := _RESULT.match(line)) is not None}
    if calls:
        words = Counter(w for line in body for w in re.findall(r"%[-\w.$]+", line))
        yield from (called for result, called in calls.items() if words[result] > 1)


@dataclass(slots=True)
class _Names:
    """What a constant of a module refers to."""

    types: TypeTable
    address: Callable[[str], ConstantOperand]


class Unit:
    """Collects what is named. `handled` says of a name whether a handler of ours stands for the function."""

    def __init__(self, module: Module, handled: Callable[[str], bool]) -> None:
        self.module = module
        self.linked = Linked(module, handled)
        self.types = module.types
        self.objects: dict[str, Object] = {}
        self.functions: dict[str, Function] = {}
        self._todo: list[str] = []
        self._named: set[str] = set()
        self._returned = 0
        self._used: set[str] | None = None
        self.loop_bounds: list[tuple[str, Position, int]] = []  # function, place of the annotation, bound
        self.uses_mutex_kinds = usage.mutex_kinds(module)
        self.uses_realloc = "realloc" in module.functions or "reallocarray" in module.functions
        self.ends_program = usage.registers(module, usage.AT_EXIT)
        self.ends_threads = (usage.registers(module, usage.AT_THREAD_EXIT), usage.has_destructors(module))
        self.exceptions = Exceptions(self.linked)
        self.leaving = Leaving(self.linked)
        self.notes: dict[str, None] = {}  # what users should know about the translation

    # --- names

    def resolve(self, name: str) -> str:
        """What an alias stands for."""
        seen = 0
        while seen < 100 and isinstance(found := self.linked.global_(name), str):
            name, seen = found, seen + 1
        return name

    def defined(self, name: str) -> IrFunction | None:
        return self.linked.defined(name)

    def shown(self, name: str) -> str:
        """A function as a person would write it."""
        if not name.startswith("_Z"):
            return re.sub(r"^__isoc(99|23)_", "", name)
        from fencepost.frontends.c.demangle import demangle

        return demangle(name)

    def address(self, name: str) -> ConstantOperand:
        name = self.resolve(name)
        if self.linked.function(name) is not None:
            self.reach(name)
            return FunctionAddress(name)
        found = self.linked.global_(name)
        if not isinstance(found, IrGlobal):
            raise Unsupported(f"the unknown global {self.shown(name).removesuffix('()')}")
        self._object(found)
        return GlobalAddress(name)

    def thread_local(self, name: str) -> str | None:
        """The thread-local object of this name, if it is one."""
        found = self.linked.global_(self.resolve(name))
        if not isinstance(found, IrGlobal) or not found.thread_local:
            return None
        self._object(found)
        return found.name

    def type_of_global(self, name: str | None) -> Type | None:
        found = self.linked.global_(name[1:]) if name is not None and name.startswith("@") else None
        return found.type if isinstance(found, IrGlobal) else None

    def returned(self, words: int) -> None:
        """Makes room for values that functions return beyond their first word."""
        self._returned = max(self._returned, words)
        self.objects[RETURNED] = Object(RETURNED, 8 * self._returned, 8, (), True)

    def add_object(self, o: Object) -> GlobalAddress:
        self.objects.setdefault(o.name, o)
        return GlobalAddress(o.name)

    def text(self, operand: object) -> str | None:
        """The constant string that an operand points at."""
        if not isinstance(operand, GlobalAddress) or operand.name not in self.objects:
            return None
        o = self.objects[operand.name]
        if not o.constant:
            return None
        content = {
            i.offset + k: byte
            for i in o.init
            if isinstance(i.value, Const)
            for k, byte in enumerate(to_unsigned(i.value.value).to_bytes(8, "little")[: i.size])
        }
        out = bytearray()
        at = operand.offset
        while (byte := content.get(at, 0)) and at < o.size:
            out.append(byte)
            at += 1
        return out.decode("utf-8", "replace")

    def results_used(self, name: str) -> bool:
        """Whether some call of this function, by its name, makes use of what it returns."""
        if self._used is None:
            lines = (f.lines for f in self.module.functions.values() if f.lines is not None)
            self._used = {called for body in lines for called in _used_results(body)}
        return name in self._used

    def add_function(self, function: Function) -> FunctionAddress:
        self.functions.setdefault(function.name, function)
        return FunctionAddress(function.name)

    def has_function(self, name: str) -> bool:
        return name in self.functions

    # --- reaching

    def reach(self, name: str) -> None:
        """Notes a function that must be translated, once."""
        if name not in self._named:
            self._named.add(name)
            self._todo.append(name)

    def reached(self) -> Iterator[IrFunction]:
        """The functions that are reached, also those that come while this runs."""
        while self._todo:
            known = self.linked.function(self._todo.pop())
            assert known is not None, "what is reached is known"
            yield known

    def _object(self, g: IrGlobal) -> None:
        if g.name in self.objects:
            return
        _, type_, at = g.module.debug.variable(g.dbg)
        o = Object(g.name, max(1, g.type.size), g.align, (), g.thread_local, g.constant, type_, at)
        if g.initialiser is None and not g.thread_local and not _ADDRESS_ONLY.match(g.name):
            if _STREAM.match(g.name):
                raise Unsupported("a string or file stream of C++ (std::string and snprintf are known)")
            raise Unsupported(
                f"the variable {self.shown(g.name).removesuffix('()')}, which is declared and not defined"
            )
        self.objects[g.name] = o  # before its content, which may name it
        if g.initialiser is not None:
            c = Cursor(g.initialiser.tokens, g.initialiser.file, g.initialiser.at)
            init = tuple(read_initialiser(_Names(g.module.types, self.address), g.type, c))
            self.objects[g.name] = Object(o.name, o.size, o.align, init, o.thread_local, o.constant, type_, at)
