"""PowerPC tests are big-endian, as herd reads them; memory in a Program is little-endian.

The two differ only where accesses of different sizes meet. There every access of n < 8 bytes goes to its address xor
8 - n, which turns the bytes of each doubleword around: what PowerPC itself did in its little-endian mode. Observed
pieces and initial values move in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

from fencepost.program.instructions import Compute, Instruction, Op
from fencepost.program.operands import Const, GlobalAddress
from fencepost.program.passes.points_to import Access
from fencepost.program.passes.rewrite import Registers, expand
from fencepost.program.program import Function
from fencepost.records import replace

_WORD = 8


def turned(offset: int, size: int) -> int:
    """Where a piece of a big-endian object lies in little-endian memory."""
    return offset ^ (_WORD - size) if size < _WORD else offset


def turn_accesses(function: Function) -> Function:
    """The function with the address of every access turned."""
    return expand(function, _turned)


def _turned(i: Instruction, registers: Registers) -> Sequence[Instruction]:
    if not isinstance(i, Access) or i.size >= _WORD:
        return (i,)
    if isinstance(i.address, GlobalAddress):
        return (replace(i, address=GlobalAddress(i.address.name, turned(i.address.offset, i.size))),)
    place = registers.fresh("turned")
    return (Compute(place, (i.address, Const(_WORD - i.size)), Op.XOR, at=i.at), replace(i, address=place))
