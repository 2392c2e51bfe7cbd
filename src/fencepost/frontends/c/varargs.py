"""Variable arguments. The caller puts them in memory, one word each; `va_start` makes a va_list that says that all of
them are on the stack, which is the form that clang's own code for va_arg then walks through."""

from __future__ import annotations

from collections.abc import Callable

from fencepost.frontends.c.body import Body
from fencepost.frontends.c.llvm.module import Inst
from fencepost.frontends.c.llvm.types import I32, PTR
from fencepost.program import instructions as ins
from fencepost.program.instructions import Mode
from fencepost.program.operands import Const, Operand

_NO_MORE_REGISTERS = (48, 176)  # gp_offset and fp_offset of a va_list whose register area is used up


def start(b: Body, va_list: Operand) -> None:
    b.store(I32, va_list, (Const(_NO_MORE_REGISTERS[0]),))
    b.store(I32, b.add(va_list, 4), (Const(_NO_MORE_REGISTERS[1]),))
    b.store(PTR, b.add(va_list, 8), (b.area,))
    b.store(PTR, b.add(va_list, 16), (b.area,))


def copy(b: Body, to: Operand, source: Operand) -> None:
    for offset, size in ((0, 4), (4, 4), (8, 8), (16, 8)):
        part = b.fresh("va")
        b.emit(ins.Load(part, b.add(source, offset), size, Mode.NA))
        b.emit(ins.Store(b.add(to, offset), part, size, Mode.NA))


def argument(b: Body, i: Inst) -> None:
    """The instruction va_arg, where a front end leaves it to the back end: the next word of the stack area."""
    c = i.cursor
    va_list = b.typed(c)[1]
    c.expect(",")
    type_ = b.types.parse(c)
    at = b.load(PTR, b.add(va_list, 8))[0]
    b.store(PTR, b.add(va_list, 8), (b.add(at, 8),))
    b.bind(i.result, b.load(type_, at))


HANDLERS: dict[str, Callable[[Body, Inst], None]] = {"va_arg": argument}
