"""Litmus tests: one file per dialect over a shared frame. `read` is the way in."""

from __future__ import annotations

from typing import NoReturn

from fencepost.frontends.litmus.columns import read_columns
from fencepost.frontends.litmus.frame import Frame, read_frame
from fencepost.program.program import Program

#: How the first word of a file names its dialect.
DIALECTS = ("PPC", "X86", "X86_64", "AArch64", "ARM", "RISCV", "MIPS", "BPF", "LISA", "C")
_OTHERS = ("CPP", "Bell", "ASL", "Java", "JAVA", "PTX", "VULKAN", "OPENCL")


def read(text: str, file: str) -> Program:
    """The Program of a litmus test. Raises InputError with the place of the first thing that we cannot read."""
    frame = read_frame(text, file)
    match frame.arch.upper():
        case "PPC":
            from fencepost.frontends.assembly.ppc import PPC

            return read_columns(frame, PPC)
        case "X86":
            from fencepost.frontends.assembly.x86 import X86

            return read_columns(frame, X86)
        case "X86_64":
            from fencepost.frontends.assembly.x86 import X86_64

            return read_columns(frame, X86_64)
        case "AARCH64":
            from fencepost.frontends.assembly.aarch64 import AArch64

            return read_columns(frame, AArch64)
        case "ARM":
            from fencepost.frontends.assembly.arm import ARM

            return read_columns(frame, ARM)
        case "MIPS":
            from fencepost.frontends.assembly.mips import MIPS

            return read_columns(frame, MIPS)
        case "BPF":
            from fencepost.frontends.assembly.bpf import BPF

            return read_columns(frame, BPF)
        case "LISA":
            from fencepost.frontends.assembly.lisa import LISA

            return read_columns(frame, LISA)
        case "RISCV":
            from fencepost.frontends.assembly.riscv import RISCV

            return read_columns(frame, RISCV)
        case "C":
            from fencepost.frontends.litmus.c import read_c

            return read_c(frame)
    _refuse(frame)


def _refuse(frame: Frame) -> NoReturn:
    known = ", ".join(DIALECTS)
    message = f"found '{frame.arch}'"
    if frame.arch in _OTHERS:
        message = f"unsupported architecture '{frame.arch}'"
    frame.source.fail(frame.arch_offset, message, f"one of {known}")
