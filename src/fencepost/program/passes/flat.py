"""A function as its loops see it: the calls inside them put in place, and what their frames keep in registers.

This is for proofs about a loop that calls functions. Nothing that is run is made from it.
"""

from __future__ import annotations

from collections.abc import Sequence

from fencepost.program.instructions import Alloca, Call, Compute, Instruction, Load, Mode, Op, Store
from fencepost.program.operands import Const, FunctionAddress, Operand, Reg
from fencepost.program.passes.flow import Flow
from fencepost.program.passes.rewrite import Registers, defined, expand, inline, map_used, rebuild, used
from fencepost.program.program import Function, Program
from fencepost.records import dataclass, replace

_LARGEST = 2000  # instructions of a function with its calls in place
_DEEPEST = 12  # calls inside calls


@dataclass(frozen=True, slots=True)
class Flat:
    """`came_from[k]`: the number of the instruction of the given function that instruction k stands for: the call, for
    what was put in its place."""

    function: Function
    came_from: tuple[int, ...]


class Flattener:
    def __init__(self, program: Program) -> None:
        self.functions = {f.name: f for f in program.functions}
        self._known: dict[str, Function | None] = {}

    def loops_of(self, function: Function) -> Flat:
        """With every call in a loop in place that can be: not those through pointers, of functions that call
        themselves, and of very large ones."""
        registers = Registers(function)
        parts: dict[int, Sequence[Instruction]] = {}
        for n in sorted(in_loops(function)):
            body = self._body(function.code[n], ())
            i = function.code[n]
            if body is not None and isinstance(i, Call):
                parts[n] = _in_place(i, body, registers)
        came_from = tuple(n for n in range(len(function.code)) for _ in parts.get(n, (None,)))
        return Flat(_without_frames(rebuild(function, parts, registers)), came_from)

    def _body(self, i: Instruction, callers: tuple[str, ...]) -> Function | None:
        """What to put in the place of a call."""
        if not isinstance(i, Call) or not isinstance(i.callee, FunctionAddress):
            return None
        name = i.callee.name
        body = self.functions.get(name)
        fits = body is not None and not body.variadic and len(i.args) >= body.parameters
        if body is None or not fits or name in callers or len(callers) >= _DEEPEST:
            return None
        if name not in self._known:
            self._known[name] = self._whole(body, (*callers, name))
        return self._known[name]

    def _whole(self, function: Function, callers: tuple[str, ...]) -> Function | None:
        size = len(function.code)

        def place(i: Instruction, registers: Registers) -> Sequence[Instruction]:
            nonlocal size
            body = self._body(i, callers)
            size += len(body.code) if body is not None else 0
            if body is None or not isinstance(i, Call) or size > _LARGEST:
                return (i,)
            return _in_place(i, body, registers)

        flat = expand(function, place)
        return flat if size <= _LARGEST else None


def _in_place(i: Call, body: Function, registers: Registers) -> list[Instruction]:
    return inline(body, i.args, i.dst, registers, read_first=Flow(body).live().get(0, 0))


def in_loops(function: Function) -> frozenset[int]:
    """The instructions that can run twice in one call, by their numbers."""
    flow = Flow(function)
    blocks = {n for loop in flow.loops() for n in loop.blocks}
    return frozenset(at for n in blocks for at in range(flow.blocks[n].first, flow.blocks[n].last + 1))


def _without_frames(function: Function) -> Function:
    """Memory of a frame that is only ever read and written as a whole, by its address, becomes a register."""
    code = _addresses_in_place(function)
    registers = Registers(function)
    cells = {
        r: registers.fresh(f"{function.registers[r]}.cell")
        for r, i in _frames(code).items()
        if _is_cell(code, r, i)
    }  # fmt: skip
    changed = tuple(_on_cell(i, cells) for i in code)
    return replace(function, registers=tuple(registers.names), code=changed)


def _frames(code: Sequence[Instruction]) -> dict[int, Alloca]:
    """The registers that hold the address of memory of a frame and nothing else."""
    writes: dict[int, list[Instruction]] = {}
    for i in code:
        for r in defined(i):
            writes.setdefault(r.index, []).append(i)
    return {r: only[0] for r, only in writes.items() if len(only) == 1 and isinstance(only[0], Alloca)}


def _addresses_in_place(function: Function) -> list[Instruction]:
    """Registers that are only copies of such an address are replaced by it."""
    code = list(function.code)
    while True:
        frames = _frames(code)
        writes: dict[int, list[Instruction]] = {}
        for i in code:
            for r in defined(i):
                writes.setdefault(r.index, []).append(i)
        copies = {r: o for r, w in writes.items() if len(w) == 1 and (o := _copied_frame(w[0], frames)) is not None}
        if not copies:
            return code

        def source(o: Operand, copies: dict[int, Reg] = copies) -> Operand:
            return copies.get(o.index, o) if isinstance(o, Reg) else o

        code = [
            Compute(w[0], (Const(0),), Op.MOV) if (w := defined(i)) and w[0].index in copies else map_used(i, source)
            for i in code
        ]  # fmt: skip


def _copied_frame(i: Instruction, frames: dict[int, Alloca]) -> Reg | None:
    if isinstance(i, Compute) and i.op is Op.MOV and i.width == 64:
        source = i.args[0]
        return source if isinstance(source, Reg) and source.index in frames else None
    return None


def _is_cell(code: Sequence[Instruction], register: int, alloca: Alloca) -> bool:
    if not isinstance(alloca.size, Const):
        return False
    for i in code:
        if any(isinstance(o, Reg) and o.index == register for o in used(i)):
            whole = isinstance(i, Load | Store) and i.size == alloca.size.value and i.mode is Mode.NA
            kept = isinstance(i, Store) and isinstance(i.value, Reg) and i.value.index == register
            if not whole or kept:
                return False
    return True


def _on_cell(i: Instruction, cells: dict[int, Reg]) -> Instruction:
    if isinstance(i, Alloca) and i.dst.index in cells:
        return Compute(cells[i.dst.index], (Const(0),), Op.MOV, at=i.at)
    address = i.address if isinstance(i, Load | Store) else None
    cell = cells.get(address.index) if isinstance(address, Reg) else None
    if cell is None:
        return i
    if isinstance(i, Store):
        return Compute(cell, (i.value,), Op.MOV, 8 * i.size, at=i.at)
    assert isinstance(i, Load), i
    return Compute(i.dst, (cell,), Op.MOV, at=i.at)
