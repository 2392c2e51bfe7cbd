"""What the debug information says about locals and heap memory, for display only: which type a variable was declared
with, and which type a block of the heap is made for, which is what the pointer that it is stored to points at."""

from __future__ import annotations

import re
from functools import cached_property

from fencepost.frontends.c.llvm.module import IrFunction, IrGlobal
from fencepost.frontends.c.llvm.tokens import plain_name
from fencepost.program.datatypes import Array, DataType
from fencepost.program.operands import Const, Operand

_NAME = r"[%@](?:[-\w$.]+|\"[^\"]*\")"
#: Compilers before LLVM 15 write the type of a pointer out, and casts between them: `bitcast i8* %3 to %struct.node*`.
_DECLARED = re.compile(rf"dbg[._]declare\((?:metadata )?[^,]*? ({_NAME}), (?:metadata )?!(\d+)")
_STORED = re.compile(rf"^\s*store [^,]*? ({_NAME}), [^,]*? ({_NAME})(?=,|$)", re.M)
_AND = re.compile(rf"^\s*({_NAME}) = and \w+ ({_NAME}), -?\d+", re.M)
_OR = re.compile(rf"^\s*({_NAME}) = or \w+ ({_NAME}), ", re.M)
_CAST = re.compile(rf"^\s*({_NAME}) = bitcast [^,]*? ({_NAME}) to ", re.M)

#: Where an exception may come out of it, the notes stand on the second line.
_MADE = re.compile(rf"^\s*({_NAME}) = (?:call|invoke) [^\n]*(?:\n\s+to label [^\n]*)?!heapallocsite !(\d+)", re.M)
_CALL = re.compile(r"\b(?:call|invoke) [^@]*(@(?:[-\w$.]+|\"[^\"]*\"))\(")
_CALLED = re.compile(rf"^\s*({_NAME}) = (?:tail |musttail |notail )?(?:call|invoke) ")


class Declared:
    """Of one function. Its text is only looked at when something asks."""

    def __init__(self, function: IrFunction) -> None:
        self.function, self.module = function, function.module

    @cached_property
    def _text(self) -> str:
        return "\n".join(self.function.lines or ()) if self.module.metadata else ""

    @cached_property
    def _variables(self) -> dict[str, int]:
        return {plain_name(name): int(number) for name, number in _DECLARED.findall(self._text)}

    @cached_property
    def _stored(self) -> dict[str, str]:
        """Each value with the first place that it is stored to."""
        same = {plain_name(new): plain_name(old) for new, old in _CAST.findall(self._text)}
        found: dict[str, str] = {}
        for value, place in _STORED.findall(self._text):
            name = plain_name(value)
            found.setdefault(same.get(name, name), place)
        return found

    @cached_property
    def _made(self) -> dict[str, int]:
        """Each value that `new` gave with the type that it was made for, where the compiler says so."""
        return {plain_name(name): int(number) for name, number in _MADE.findall(self._text)}

    @cached_property
    def bit_fields(self) -> set[str]:
        """Loads that are made to set a bit field: only bits that stay as they are go back to memory, so nobody need
        have written them."""
        lines = [
            line for line in self.function.lines or () if " = and " in line or " = or " in line or "store " in line
        ]
        text = "\n".join(lines)
        masked = dict(_AND.findall(text))
        stored = {value for value, _ in _STORED.findall(text)}
        set_ = [masked[kept] for whole, kept in _OR.findall(text) if kept in masked and whole in stored]
        return {plain_name(name) for name in set_}

    def local(self, name: str) -> DataType | None:
        debug = self.module.debug
        return debug.datatype(debug.type_of(self._variables.get(name)))

    def block(self, result: str | None, size: Operand) -> tuple[str, DataType | None]:
        """Name and type of the heap memory that this value is the address of, where both are known to fit. Who
        allocates for others is asked what they make of it; that fits or not when the size is known."""
        name, type_ = self._pointee(result)
        if not name:
            name, type_ = self.module.debug.named(self._made.get(result or ""))
        if not name:
            return self._asked_for()
        if type_ is None or not type_.size or not isinstance(size, Const) or size.value % type_.size:
            return name, None
        return name, type_ if size.value == type_.size else Array(type_, size.value // type_.size)

    def _pointee(self, result: str | None) -> tuple[str, DataType | None]:
        """What the pointer that a value is stored to points at; of a value that is handed to a function at once, what
        the parameter there does."""
        place = self._stored.get(result or "")
        if place is None:
            return self._handed_to(result) if result else ("", None)
        return self.module.debug.pointee(self.module.debug.type_of(self._variable(place)))

    def _handed_to(self, result: str) -> tuple[str, DataType | None]:
        names = {result, *(plain_name(new) for new, old in _CAST.findall(self._text) if plain_name(old) == result)}
        values = {f"%{name}" for name in names}
        used = re.compile(rf"[ (](?:{'|'.join(map(re.escape, values))})[,)]")
        for line in self._text.splitlines():
            call = _CALL.search(line)
            callee = self.module.functions.get(plain_name(call.group(1))) if call is not None else None
            if call is None or callee is None or callee.lines is None or not used.search(line, call.end() - 1):
                continue
            words = re.split(r",(?![^(]*\))", line[call.end() : line.rfind(")")])
            at = next((n for n, word in enumerate(words) if values.intersection(word.split()[-1:])), len(words))
            if callee is not self.function and at < len(callee.parameters):
                return Declared(callee)._stored_as(callee.parameters[at].name)
        return "", None

    def _stored_as(self, parameter: str) -> tuple[str, DataType | None]:
        """What a parameter of this function points at."""
        return self._pointee(parameter) if parameter in self._stored else ("", None)

    def _asked_for(self) -> tuple[str, DataType | None]:
        """The one type that all callers in this module make of the result; nothing where they differ."""
        called = f"@{self.function.name}("
        found: dict[str, DataType | None] = {}
        for other in self.module.functions.values():
            calls = [line for line in other.lines or () if called in line] if self.module.metadata else []
            if not calls or other is self.function:
                continue
            declared = Declared(other)
            for line in calls:
                if (result := _CALLED.match(line)) is not None:
                    name, type_ = declared._pointee(plain_name(result.group(1)))
                    found[name] = type_
        found.pop("", None)
        return next(iter(found.items())) if len(found) == 1 else ("", None)

    def _variable(self, place: str) -> int | None:
        if place[0] == "%":
            return self._variables.get(plain_name(place))
        found = self.module.global_(plain_name(place))
        return found.dbg if isinstance(found, IrGlobal) else None
