"""Litmus tests: one file per dialect over a shared frame. `read` is the way in."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from fencepost.frontends.litmus.frame import Frame, read_frame
from fencepost.program.program import Program

if TYPE_CHECKING:
    from fencepost.frontends.assembly.dialect import Dialect

#: How the first word of a file names its dialect.
DIALECTS = ("PPC", "X86", "X86_64", "AArch64", "ARM", "RISCV", "MIPS", "BPF", "LISA", "C")
_OTHERS = ("CPP", "Bell", "ASL", "Java", "JAVA", "PTX", "VULKAN", "OPENCL")


def read(text: str, file: str) -> Program:
    """The Program of a litmus test. Raises InputError with the place of the first thing that we cannot read."""
    frame = read_frame(text, file)
    if frame.arch.upper() == "C":
        from fencepost.frontends.litmus.c import read_c

        return read_c(frame)
    dialect = _assembly(frame.arch.upper())
    if dialect is None:
        _refuse(frame)
    from fencepost.frontends.litmus.columns import read_columns

    return read_columns(frame, dialect)


def _assembly(arch: str) -> type[Dialect] | None:
    match arch:
        case "PPC":
            from fencepost.frontends.assembly.ppc import PPC

            return PPC
        case "X86":
            from fencepost.frontends.assembly.x86 import X86

            return X86
        case "X86_64":
            from fencepost.frontends.assembly.x86 import X86_64

            return X86_64
        case "AARCH64":
            from fencepost.frontends.assembly.aarch64 import AArch64

            return AArch64
        case "ARM":
            from fencepost.frontends.assembly.arm import ARM

            return ARM
        case "MIPS":
            from fencepost.frontends.assembly.mips import MIPS

            return MIPS
        case "BPF":
            from fencepost.frontends.assembly.bpf import BPF

            return BPF
        case "LISA":
            from fencepost.frontends.assembly.lisa import LISA

            return LISA
        case "RISCV":
            from fencepost.frontends.assembly.riscv import RISCV

            return RISCV
    return None


def _refuse(frame: Frame) -> NoReturn:
    known = ", ".join(DIALECTS)
    message = f"found '{frame.arch}'"
    if frame.arch in _OTHERS:
        message = f"unsupported architecture '{frame.arch}'"
    frame.source.fail(frame.arch_offset, message, f"one of {known}")
