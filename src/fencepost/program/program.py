"""`Program`: the one form that every front end makes and every analysis takes. Immutable once made."""

from __future__ import annotations

from enum import Enum

from fencepost.display import show
from fencepost.program.condition import Condition, Observation
from fencepost.program.datatypes import DataType
from fencepost.program.instructions import Instruction
from fencepost.program.operands import ConstantOperand, Position
from fencepost.records import dataclass, field


class Arch(Enum):
    """Where the accesses of a program come from. FP and C11 use C11 modes and are mapped for a hardware model; LKMM is
    C with the primitives of the Linux kernel; the others are already what the hardware executes."""

    FP = "fp"
    C11 = "c11"
    PPC = "ppc"
    X86 = "x86"
    AARCH64 = "aarch64"
    RISCV = "riscv"
    ARM = "arm"
    MIPS = "mips"
    BPF = "bpf"
    LKMM = "lkmm"


@dataclass(frozen=True, slots=True)
class Init:
    """`size` bytes at `offset` start as `value`; bytes without an Init start as zero."""

    offset: int
    size: int
    value: ConstantOperand


@dataclass(frozen=True, slots=True)
class Object:
    """A global object. `thread_local`: each thread has its own copy, private to it. `constant`: writing is an error."""

    name: str
    size: int
    align: int = 8
    init: tuple[Init, ...] = ()
    thread_local: bool = False
    constant: bool = False
    type: DataType | None = None
    at: Position | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """The first `parameters` registers receive the arguments. Jump targets are indices into `code`."""

    name: str
    registers: tuple[str, ...]
    parameters: int
    code: tuple[Instruction, ...]
    variadic: bool = False
    at: Position | None = None


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread that exists from the start, running `function` on constant arguments."""

    name: str
    function: str
    args: tuple[ConstantOperand, ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """`cuts` are addresses in the layout: a plain access that reaches across one is made in pieces, from low to high,
    so that accesses of different sizes to the same memory meet in whole locations."""

    name: str
    arch: Arch
    objects: tuple[Object, ...]
    functions: tuple[Function, ...]
    threads: tuple[Thread, ...]
    observations: tuple[Observation, ...] = ()
    condition: Condition | None = None
    cuts: tuple[int, ...] = ()
    #: The files that it was read from, whose text may be shown. No part of what the program is.
    sources: tuple[str, ...] = field(default=(), compare=False)
    #: What users should know about how it was read. No part of it either.
    notes: tuple[str, ...] = field(default=(), compare=False)

    def function(self, name: str) -> Function:
        return next(f for f in self.functions if f.name == name)

    def object(self, name: str) -> Object:
        return next(o for o in self.objects if o.name == name)

    def _repr_html_(self) -> str | None:
        return show(self, "html")

    def _repr_svg_(self) -> str | None:
        return show(self, "svg")
