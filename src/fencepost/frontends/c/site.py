"""A place where a function is called, and what stands for a function of the library there."""

from __future__ import annotations

from collections.abc import Callable

from fencepost.frontends.c.body import ZERO, Body, Leaves
from fencepost.frontends.c.llvm.types import Type
from fencepost.program.operands import Operand
from fencepost.records import dataclass


@dataclass(frozen=True, slots=True)
class Argument:
    """`name` is the name of the value in the IR, where it has one; `byval`: the type of what is passed as a copy, whose
    address the value is."""

    type: Type
    values: Leaves
    name: str | None
    align: int = 1
    byval: Type | None = None


@dataclass(frozen=True, slots=True)
class Site:
    """A call. `callee` is the name of the function, as it is linked."""

    callee: str
    args: list[Argument]
    result_type: Type
    result: str | None

    def __len__(self) -> int:
        return len(self.args)

    def __getitem__(self, index: int) -> Operand:
        """The first (nearly always only) scalar of an argument; 0 where the program passed none."""
        return self.args[index].values[0] if index < len(self.args) and self.args[index].values else ZERO

    def name(self, index: int) -> str | None:
        return self.args[index].name if index < len(self.args) else None


Handler = Callable[[Body, Site], Operand | Leaves | None]
