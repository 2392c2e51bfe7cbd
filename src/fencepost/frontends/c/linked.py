"""The modules that a program is made of: its own, and those of the library sources that it calls for. Library sources
are compiled when something of theirs is first reached, by the compiler of the program."""

from __future__ import annotations

import re
from collections.abc import Callable

from fencepost.frontends.c.llvm.module import IrFunction, IrGlobal, Module, read_module
from fencepost.frontends.c.llvm.tokens import plain_name
from fencepost.frontends.c.sources import Source, ir_of, source_of

_NAME = re.compile(r'@([-\w$.]+|"(?:[^"\\]|\\.)*")')
_LOCAL = re.compile(r'^@([-\w$.]+|"(?:[^"\\]|\\.)*") = (?:private|internal) ', re.MULTILINE)
_LOCAL_FUNCTION = re.compile(r'^define (?:internal|private) [^@]*@([-\w$.]+|"(?:[^"\\]|\\.)*")\(', re.MULTILINE)


class Linked:
    """A definition of the program itself comes before ours, which is a handler in Python or a library source."""

    def __init__(self, main: Module, handled: Callable[[str], bool]) -> None:
        self.main, self._handled = main, handled
        self.throws: frozenset[str] = frozenset()  # handlers that give way to a library source
        self._others: dict[Source, Module] = {}

    def function(self, name: str) -> IrFunction | None:
        """The function of this name: where it is defined, else where it is declared."""
        known = self.main.functions.get(name)
        if known is not None and known.lines is not None:
            return known
        return self._library_function(name) or known or self._declared(name)

    def defined(self, name: str) -> IrFunction | None:
        found = self.function(name)
        return found if found is not None and found.lines is not None else None

    def _declared(self, name: str) -> IrFunction | None:
        return next((m.functions[name] for m in self._others.values() if name in m.functions), None)

    def _library_function(self, name: str) -> IrFunction | None:
        if self._handled(name) and name not in self.throws:
            return None
        for module in self._others.values():
            if (found := module.functions.get(name)) is not None and found.lines is not None:
                return found
        loaded = self._load(name)
        return loaded.functions.get(name) if loaded is not None else None

    def global_(self, name: str) -> IrGlobal | str | None:
        """A global, or the name of what an alias stands for."""
        known = self.main.global_(name)
        if isinstance(known, str) or (known is not None and known.initialiser is not None):
            return known
        self._load(name)
        for module in self._others.values():
            found = module.global_(name)
            if isinstance(found, str) or (found is not None and found.initialiser is not None):
                return found
            known = known or found
        return known

    def _load(self, name: str) -> Module | None:
        source = source_of(name)
        if source is None:
            return None
        if source not in self._others:
            text = _own_names(ir_of(source), f"{source.path.name}:")
            self._others[source] = read_module(text, source.path.name)
        return self._others[source]


def _own_names(text: str, prefix: str) -> str:
    """The text with names of its own for what no other module sees."""
    local = set(_LOCAL.findall(text)) | set(_LOCAL_FUNCTION.findall(text))

    def renamed(match: re.Match[str]) -> str:
        name = match.group(1)
        return f'@"{prefix}{plain_name("@" + name)}"' if name in local else match.group(0)

    return _NAME.sub(renamed, text) if local else text
