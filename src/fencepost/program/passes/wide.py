"""Atomic accesses of 16 bytes and more. They are blocks of accesses to words, which nobody sees one without the others.
Under SC and TSO that is all that a block is. Elsewhere blocks are also ordered with one another and synchronise, more
than an access does: what is found is real, and what is not found may still be there. So each such access has a second
outcome, at which our knowledge ends. On other machines a block leaves its own accesses in no order: there it is not
supported."""

from __future__ import annotations

from collections.abc import Sequence

from fencepost.program.instructions import (
    AtomicBegin,
    Branch,
    Choose,
    ErrorKind,
    Fail,
    Fence,
    FenceKind,
    Instruction,
    Mode,
)
from fencepost.program.operands import Const
from fencepost.program.passes.rewrite import Registers, expand, inside, map_functions
from fencepost.program.program import Function, Program
from fencepost.records import replace

_EXACT = frozenset({"sc", "tso"})
_STRONGER = frozenset({"pso", "ra", "rc11", "rc11-cpp20", "wrc11"})
_LEFT_OUT = "an atomic access of more than 8 bytes is taken for one that synchronises with all others there"


def take_wide_accesses(program: Program, target: str) -> Program:
    """The program with such accesses as ordinary blocks, for this model."""

    def change(function: Function) -> Function:
        if not any(_is_wide(i) for i in function.code):
            return function
        return expand(function, lambda i, r: _block(i, r, target) if _is_wide(i) else (i,))

    return map_functions(program, change)


def _is_wide(i: Instruction) -> bool:
    return isinstance(i, AtomicBegin) and i.wide is not Mode.NA


def _block(i: Instruction, registers: Registers, target: str) -> Sequence[Instruction]:
    assert isinstance(i, AtomicBegin), "only blocks are wide accesses"
    block = replace(i, wide=Mode.NA)
    if target in _EXACT:
        return (block,)
    if target not in _STRONGER:
        return (Fail(ErrorKind.UNSUPPORTED, f"an atomic access of more than 8 bytes under {target}", at=i.at),)
    more = registers.fresh("weaker")
    fence = (Fence(FenceKind.SC, at=i.at),) if i.wide is Mode.SC else ()
    return (
        Choose(more, Const(0), Const(1), at=i.at),
        Branch(more, inside(2), inside(3), at=i.at),
        Fail(ErrorKind.LEFT_OUT, _LEFT_OUT, at=i.at),
        *fence,
        block,
    )
