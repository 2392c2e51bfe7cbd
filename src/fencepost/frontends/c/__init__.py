"""C, C++ and LLVM IR: compiled by clang without optimisation, read as text, translated to a Program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fencepost.program.program import Program

if TYPE_CHECKING:
    from fencepost.frontends.c.compile import Compiled


def read(paths: Sequence[Path], flags: Sequence[str] = ()) -> Program:
    """The Program of these files, linked together. `flags` go to the compiler. Raises CompileError with what the
    compiler wrote, InputError where the input is not what it should be."""
    return translated(compiled(paths, flags), str(paths[0]))


def compiled(paths: Sequence[Path], flags: Sequence[str] = ()) -> Compiled:
    """The IR of these files, linked together."""
    from fencepost.frontends.c.compile import to_ir

    return to_ir(paths, flags)


def translated(ir: Compiled, file: str) -> Program:
    return replace(read_ir(ir.text, file), sources=ir.sources)


def read_ir(text: str, file: str = "<ir>") -> Program:
    """The Program of a module of LLVM IR."""
    from fencepost.frontends.c.llvm.module import read_module
    from fencepost.frontends.c.whole import translate_program
    from fencepost.program.passes.copies import remove_copies
    from fencepost.program.passes.privacy import find_private
    from fencepost.program.validate import validate

    program = translate_program(read_module(text, file), Path(file).name)
    return validate(remove_copies(find_private(program)))
