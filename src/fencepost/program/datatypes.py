"""Types of memory objects, for display only: they turn an offset into a name such as `.next` or `[3].key`."""

from __future__ import annotations

from typing import TypeAlias

from fencepost.program.operands import to_signed
from fencepost.records import dataclass


@dataclass(frozen=True, slots=True)
class Scalar:
    """`kind`: i (signed), u (unsigned), f (floating point), p (pointer)."""

    kind: str
    size: int

    def __str__(self) -> str:
        return "ptr" if self.kind == "p" else f"{self.kind}{8 * self.size}"


@dataclass(frozen=True, slots=True)
class Array:
    element: DataType
    count: int

    @property
    def size(self) -> int:
        return self.element.size * self.count

    def __str__(self) -> str:
        return f"[{self.count} x {self.element}]"


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    offset: int
    type: DataType


@dataclass(frozen=True, slots=True)
class Struct:
    fields: tuple[Field, ...]
    size: int

    def __str__(self) -> str:
        inside = ", ".join(f"{f.name} {f.offset} {f.type}" for f in self.fields)
        return f"{{{self.size}: {inside}}}"


DataType: TypeAlias = Scalar | Array | Struct

INT64 = Scalar("i", 8)


def path_at(type_: DataType, offset: int) -> tuple[str, Scalar | None]:
    """How C would write the place at `offset` inside an object of this type, and the scalar that starts there."""
    path = ""
    while True:
        if isinstance(type_, Scalar):
            return (path, type_) if offset == 0 else (f"{path}+{offset}", None)
        if isinstance(type_, Array):
            size = type_.element.size
            if not size:
                return path, None
            path += f"[{offset // size}]"
            type_, offset = type_.element, offset % size
            continue
        inside = [f for f in type_.fields if f.offset <= offset < f.offset + max(f.type.size, 1)]
        if not inside:
            return (f"{path}+{offset}" if offset else path), None
        field = inside[0]
        path += f".{field.name}"
        type_, offset = field.type, offset - field.offset


def show_value(value: int, size: int, scalar: Scalar | None) -> str:
    """A value of `size` bytes as a person would write it."""
    if scalar is None or scalar.kind == "i":
        return str(to_signed(value, 8 * size))
    if scalar.kind == "f" and scalar.size == size:
        import struct

        raw = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        return repr(struct.unpack("<f" if size == 4 else "<d", raw)[0])
    if scalar.kind == "p":
        return hex(value) if value else "NULL"
    return str(value & ((1 << 8 * size) - 1))
