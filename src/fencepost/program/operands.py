"""What an instruction can name: registers, constants, the addresses of objects and functions; and where it stood."""

from __future__ import annotations

from typing import TypeAlias

from fencepost.records import dataclass, field

WORD = 64


def to_unsigned(value: int, width: int = WORD) -> int:
    """The low `width` bits of `value`, as the machine keeps them in a register."""
    return value & ((1 << width) - 1)


def to_signed(value: int, width: int = WORD) -> int:
    """The low `width` bits of `value`, read in two's complement."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a source file. Lines and columns count from 1; 0 means unknown. Where the compiler put the body of a
    function in the place of a call, `function` is that function and `within` the call; places are the same without."""

    file: str
    line: int
    column: int = 0
    function: str = field(default="", compare=False, repr=False)
    within: Position | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Reg:
    """A register of the enclosing function, by its index in `Function.registers`. It holds 64 bits."""

    index: int


@dataclass(frozen=True, slots=True)
class Const:
    """A constant in -2^63 .. 2^63-1 (the canonical reading of its 64 bits)."""

    value: int


@dataclass(frozen=True, slots=True)
class GlobalAddress:
    """The address of a global object, plus a constant offset in bytes."""

    name: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class FunctionAddress:
    """The address of a function, for calls through pointers and for spawning threads."""

    name: str


Operand: TypeAlias = Reg | Const | GlobalAddress | FunctionAddress
ConstantOperand: TypeAlias = Const | GlobalAddress | FunctionAddress
