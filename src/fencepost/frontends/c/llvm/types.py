"""LLVM's types and their layout on a 64-bit machine (the data layout of x86-64 and AArch64 Linux)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from fencepost.frontends.c.llvm.tokens import Cursor, plain_name


@dataclass(frozen=True)
class Int:
    bits: int

    @property
    def size(self) -> int:
        return 1 << max(0, (self.bits + 7) // 8 - 1).bit_length()

    @property
    def align(self) -> int:
        return min(self.size, 16)


@dataclass(frozen=True)
class Float:
    """half, float, double, x86_fp80, fp128 by their bits."""

    bits: int

    @property
    def size(self) -> int:
        return 16 if self.bits > 64 else self.bits // 8

    @property
    def align(self) -> int:
        return self.size


@dataclass(frozen=True)
class Ptr:
    """`pointee` is only known where the IR says it (LLVM 14 and older); two pointers are the same type all the same."""

    size: int = 8
    align: int = 8
    pointee: Type | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Void:
    """void, label, metadata, token: nothing that a register could hold."""

    name: str = "void"
    size: int = 0
    align: int = 1


@dataclass(frozen=True)
class ArrayOf:
    element: Type
    count: int
    vector: bool = False

    @property
    def size(self) -> int:
        if self.vector and isinstance(self.element, Int) and self.element.bits % 8:
            return max(1, (self.element.bits * self.count + 7) // 8)
        return self.element.size * self.count

    @property
    def align(self) -> int:
        return max(1, self.size) if self.vector else self.element.align


@dataclass(frozen=True)
class FunctionType:
    result: Type
    parameters: tuple[Type, ...]
    variadic: bool
    size: int = 1
    align: int = 1


@dataclass(eq=False)
class StructOf:
    """A struct; named ones are made before their members are known. `members` is None for an opaque one."""

    name: str = ""
    members: tuple[Type, ...] | None = None
    packed: bool = False

    @cached_property
    def layout(self) -> tuple[tuple[int, ...], int, int]:
        """Offsets of the members, size and alignment."""
        offsets: list[int] = []
        at, align = 0, 1
        for m in self.members or ():
            if not self.packed:
                align = max(align, m.align)
                at = -(-at // m.align) * m.align
            offsets.append(at)
            at += m.size
        return tuple(offsets), -(-at // align) * align, align

    @property
    def size(self) -> int:
        return self.layout[1]

    @property
    def align(self) -> int:
        return self.layout[2]


Type: TypeAlias = Int | Float | Ptr | Void | ArrayOf | FunctionType | StructOf

_FLOATS = {"half": 16, "bfloat": 16, "float": 32, "double": 64, "x86_fp80": 80, "fp128": 128, "ppc_fp128": 128}
_VOIDS = ("void", "label", "metadata", "token", "opaque")
I32, PTR = Int(32), Ptr()


@dataclass
class TypeTable:
    """The named types of a module."""

    named: dict[str, StructOf] = field(default_factory=dict)

    def struct(self, name: str) -> StructOf:
        return self.named.setdefault(name, StructOf(name))

    def define(self, name: str, c: Cursor) -> None:
        if c.accept("opaque"):
            self.struct(name)
            return
        body = self.parse(c)
        known = self.struct(name)
        if isinstance(body, StructOf):
            known.members, known.packed = body.members, body.packed

    def parse(self, c: Cursor) -> Type:
        """The type that starts here. Typed pointers (`i32*`, as LLVM 14 writes them) are plain pointers."""
        found = self._base(c)
        while True:
            if c.accept("*"):
                found = Ptr(pointee=found)
            elif c.token == "addrspace":
                c.next()
                c.skip_group()
            elif c.token == "(":
                found = self._function(found, c)
            else:
                return found

    def _base(self, c: Cursor) -> Type:
        token = c.next()
        if token[0] == "i" and token[1:].isdigit():
            return Int(int(token[1:]))
        if token == "ptr":
            return PTR
        if token in _FLOATS:
            return Float(_FLOATS[token])
        if token in _VOIDS:
            return Void(token)
        if token[0] == "%":
            return self.struct(plain_name(token))
        if token == "[":
            return self._array(c, "]", vector=False)
        if token == "{":
            return StructOf("", self._members(c))
        if token == "<":
            if not c.accept("{"):
                return self._array(c, ">", vector=True)
            members = self._members(c)
            c.expect(">")
            return StructOf("", members, packed=True)
        c.at -= 1
        c.expect("a type")
        raise AssertionError("expect should have raised")

    def _array(self, c: Cursor, end: str, *, vector: bool) -> Type:
        c.accept("vscale")
        count = int(c.next())
        c.expect("x")
        element = self.parse(c)
        c.expect(end)
        return ArrayOf(element, count, vector)

    def _members(self, c: Cursor) -> tuple[Type, ...]:
        members: list[Type] = []
        while not c.accept("}"):
            members.append(self.parse(c))
            c.accept(",")
        return tuple(members)

    def _function(self, result: Type, c: Cursor) -> FunctionType:
        c.expect("(")
        parameters: list[Type] = []
        variadic = False
        while not c.accept(")"):
            if c.accept("..."):
                variadic = True
            else:
                parameters.append(self.parse(c))
            c.accept(",")
        return FunctionType(result, tuple(parameters), variadic)


WORD, WIDE = Int(64), Int(128)


def leaves(type_: Type) -> list[tuple[int, Int | Float | Ptr]]:
    """Offset and type of every scalar inside a type, in order. An integer of 128 bits is two words."""
    if type_ == WIDE:
        return [(0, WORD), (8, WORD)]
    if isinstance(type_, Int | Float | Ptr):
        return [(0, type_)]
    if isinstance(type_, ArrayOf):
        inner = leaves(type_.element)
        return [(k * type_.element.size + o, t) for k in range(type_.count) for o, t in inner]
    if isinstance(type_, StructOf) and type_.members is not None:
        offsets = type_.layout[0]
        return [(base + o, t) for base, m in zip(offsets, type_.members, strict=True) for o, t in leaves(m)]
    return []


def leaf_count(type_: Type) -> int:
    if isinstance(type_, ArrayOf):
        return type_.count * leaf_count(type_.element)
    if isinstance(type_, StructOf):
        return sum(leaf_count(m) for m in type_.members or ())
    return 0 if isinstance(type_, Void | FunctionType) else 2 if type_ == WIDE else 1


def step_into(type_: Type, index: int) -> tuple[Type, int, int]:
    """The member of an aggregate at an index, its offset in bytes, and the number of scalars before it."""
    if isinstance(type_, ArrayOf):
        return type_.element, index * type_.element.size, index * leaf_count(type_.element)
    assert isinstance(type_, StructOf) and type_.members is not None, "only aggregates have members"
    before = sum(leaf_count(m) for m in type_.members[:index])
    return type_.members[index], type_.layout[0][index], before
