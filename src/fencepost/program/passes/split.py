"""Accesses of mixed size as several accesses that belong together.

Where some accesses of a location overlap without being to the same bytes, each is split at all the borders, so that any
two accesses are to the same bytes or share none. The pieces of one instruction stand between AtomicBegin and AtomicEnd:
a model with the variant "mixed" takes these blocks for what they are, one instruction seen in pieces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from fencepost.errors import UnsupportedError
from fencepost.program.condition import FinalMemory, Observation
from fencepost.program.instructions import (
    AtomicBegin,
    AtomicEnd,
    Branch,
    Compute,
    Instruction,
    Load,
    Op,
    Rmw,
    RmwOp,
    Store,
    StoreConditional,
)
from fencepost.program.operands import Const, GlobalAddress, Operand, Reg, to_signed, to_unsigned
from fencepost.program.passes.points_to import Piece, PointsTo, overlaps, pieces_looked_at, points_to
from fencepost.program.passes.rewrite import Registers, expand, inside
from fencepost.program.passes.temporaries import told_apart
from fencepost.program.program import Function, Program
from fencepost.records import dataclass

State = tuple[tuple[str, int], ...]
_SIZES = (8, 4, 2, 1)
_BITWISE = (RmwOp.XCHG, RmwOp.AND, RmwOp.OR, RmwOp.XOR, RmwOp.NAND)


@dataclass(frozen=True, slots=True)
class Split:
    """`program` asks nothing and observes pieces; `restore` turns its final states into those of the original."""

    program: Program
    original: Program
    parts: Mapping[str, tuple[tuple[str, int], ...]]  # observation -> its pieces and how far each is shifted

    def restore(self, states: Mapping[State, int]) -> dict[State, int]:
        found: dict[State, int] = {}
        for state, count in states.items():
            values = dict(state)
            whole = tuple((o.name, self._value(o, values)) for o in self.original.observations)
            found[whole] = found.get(whole, 0) + count
        return dict(sorted(found.items()))

    def _value(self, o: Observation, values: dict[str, int]) -> int:
        if o.name not in self.parts:
            return values[o.name]
        bits = sum(values[name] << shift for name, shift in self.parts[o.name])
        return to_signed(bits, o.width) if o.signed else to_unsigned(bits, o.width)


def split_mixed_sizes(program: Program) -> Split | None:
    """The program with the accesses of mixed size split; None where there is none. Raises UnsupportedError where such
    an access is more than a load or a store."""
    program = told_apart(program)
    points = points_to(program)
    looked = pieces_looked_at(program, points)
    if not any(overlaps(pieces) for pieces in looked.values()):
        return None
    borders = _borders(program, points, looked)
    functions = tuple(_split_function(f, points, borders) for f in program.functions)
    observations, parts = _split_observations(program, borders)
    split = replace(program, functions=functions, observations=observations, condition=None)
    return Split(split, program, parts)


# --- where to cut

Borders = dict[str, frozenset[int]]


def _borders(program: Program, points: PointsTo, looked: Mapping[str, set[Piece]]) -> Borders:
    """Offsets at which the accesses of each location are cut: where any of them starts or ends. An access that can be
    to several locations carries the borders of each to the others."""
    found = {o.name: {b for offset, size in looked.get(o.name, ()) for b in (offset, offset + size)}
             for o in program.objects}  # fmt: skip
    accesses = [
        (sorted(points.places(f.name, i.address)), i.size)
        for f in program.functions
        for i in f.code
        if isinstance(i, Load | Store | StoreConditional | Rmw)
    ]
    changed = True
    while changed:
        before = sum(map(len, found.values()))
        for places, size in accesses:
            inside = {b - offset for name, offset in places for b in found[name] if offset <= b <= offset + size}
            for name, offset in places:
                found[name] |= {offset + b for b in inside}
        changed = sum(map(len, found.values())) != before
    return {name: frozenset(borders) for name, borders in found.items()}


def _pieces(borders: frozenset[int], offset: int, size: int) -> tuple[Piece, ...]:
    """The pieces of an access, relative to its start: between borders, and of sizes that an access can have."""
    cuts = sorted({offset, offset + size, *(b for b in borders if offset < b < offset + size)})
    found: list[Piece] = []
    for start, end in pairwise(cuts):
        while start < end:
            length = next(s for s in _SIZES if start + s <= end and start % s == 0)
            found.append((start - offset, length))
            start += length
    return tuple(found)


# --- instructions


def _split_function(function: Function, points: PointsTo, borders: Borders) -> Function:
    def expansion(i: Instruction, registers: Registers) -> Sequence[Instruction]:
        address = getattr(i, "address", None)
        size = getattr(i, "size", None)
        if address is None or not isinstance(size, int):
            return (i,)
        cut = {_pieces(borders[name], offset, size) for name, offset in points.places(function.name, address)}
        pieces = next(iter(cut)) if len(cut) == 1 else ((0, size),)
        if len(pieces) == 1:
            return (i,)
        match i:
            case Load():
                return _split_load(i, pieces, registers)
            case StoreConditional():
                return _split_conditional(i, pieces, registers)
            case Store():
                return _split_store(i, pieces, registers)
            case Rmw() if i.op in _BITWISE:
                return _split_rmw(i, pieces, registers)
        raise UnsupportedError(f"{i.at}: a read-modify-write of mixed size")

    return expand(function, expansion)


def _moved(address: Operand, offset: int, registers: Registers, i: Instruction) -> tuple[Operand, list[Instruction]]:
    if offset == 0:
        return address, []
    if isinstance(address, GlobalAddress):
        return GlobalAddress(address.name, address.offset + offset), []
    place = registers.fresh("piece")
    return place, [Compute(place, (address, Const(offset)), Op.ADD, at=i.at)]


def _split_load(i: Load, pieces: tuple[Piece, ...], registers: Registers) -> list[Instruction]:
    """The parts are read into registers of their own: the address may be in the target."""
    code: list[Instruction] = []
    loads: list[Instruction] = []
    parts = []
    for offset, size in pieces:
        place, moving = _moved(i.address, offset, registers, i)
        code += moving
        parts.append(registers.fresh("part"))
        loads.append(replace(i, dst=parts[-1], address=place, size=size))
    return [*code, *_block(i, loads), *_joined(i, i.dst, parts, pieces, registers)]


def _cut_value(
    i: Store | StoreConditional, pieces: tuple[Piece, ...], registers: Registers
) -> tuple[list[Instruction], list[tuple[Operand, Reg, int]]]:
    """Code that cuts the value to be stored, and the address, the value and the size of each piece."""
    code: list[Instruction] = []
    cut = []
    for offset, size in pieces:
        place, moving = _moved(i.address, offset, registers, i)
        part, cutting = _part(i, i.value, offset, registers)
        code += [*moving, cutting]
        cut.append((place, part, size))
    return code, cut


def _split_store(i: Store, pieces: tuple[Piece, ...], registers: Registers) -> list[Instruction]:
    code, cut = _cut_value(i, pieces, registers)
    stores: list[Instruction] = [replace(i, address=place, value=part, size=size) for place, part, size in cut]
    return [*code, *_block(i, stores)]


def _split_conditional(i: StoreConditional, pieces: tuple[Piece, ...], registers: Registers) -> list[Instruction]:
    """The first piece decides: where it is not written, nothing is. The load-reserve was split at the same borders, and
    each piece has its own reservation."""
    code, cut = _cut_value(i, pieces, registers)
    stores: list[Instruction] = []
    for place, part, size in cut:
        first = not stores
        done = i.dst if first else registers.fresh("done")
        stores.append(replace(i, dst=done, address=place, value=part, size=size, may_fail=i.may_fail and first))
    head = len(code) + 2  # behind the beginning of the block and its first store
    end = inside(head + len(pieces))
    after = [Branch(i.dst, inside(head + 1), end, at=i.at), *stores[1:]]
    return [*code, AtomicBegin(at=i.at), stores[0], *after, AtomicEnd(at=i.at)]


def _split_rmw(i: Rmw, pieces: tuple[Piece, ...], registers: Registers) -> list[Instruction]:
    """What works bit by bit works piece by piece."""
    code: list[Instruction] = []
    updates: list[Instruction] = []
    olds = []
    for offset, size in pieces:
        place, moving = _moved(i.address, offset, registers, i)
        part, cutting = _part(i, i.value, offset, registers)
        code += [*moving, cutting]
        olds.append(registers.fresh("old"))
        updates.append(replace(i, dst=olds[-1] if i.dst else None, address=place, value=part, size=size))
    code += _block(i, updates)
    return code if i.dst is None else [*code, *_joined(i, i.dst, olds, pieces, registers)]


def _block(i: Instruction, accesses: list[Instruction]) -> list[Instruction]:
    return [AtomicBegin(at=i.at), *accesses, AtomicEnd(at=i.at)]


def _part(i: Instruction, value: Operand, offset: int, registers: Registers) -> tuple[Reg, Instruction]:
    part = registers.fresh("part")
    return part, Compute(part, (value, Const(8 * offset)), Op.LSHR, at=i.at)


def _joined(
    i: Instruction, dst: Reg, parts: list[Reg], pieces: tuple[Piece, ...], registers: Registers
) -> list[Instruction]:
    """Puts the value together; it depends on every part."""
    whole = registers.fresh("whole")
    code: list[Instruction] = [Compute(whole, (parts[0],), Op.MOV, at=i.at)]
    for part, (offset, _) in zip(parts[1:], pieces[1:], strict=True):
        code.append(Compute(part, (part, Const(8 * offset)), Op.SHL, at=i.at))
        code.append(Compute(whole, (whole, part), Op.OR, at=i.at))
    return [*code, Compute(dst, (whole,), Op.MOV, at=i.at)]


# --- observations


def _split_observations(
    program: Program, borders: Borders
) -> tuple[tuple[Observation, ...], dict[str, tuple[tuple[str, int], ...]]]:
    observations: list[Observation] = []
    parts: dict[str, tuple[tuple[str, int], ...]] = {}
    for o in program.observations:
        pieces: tuple[Piece, ...] = ()
        if isinstance(o.what, FinalMemory):
            pieces = _pieces(borders[o.what.object], o.what.offset, o.what.size)
        if len(pieces) < 2:
            observations.append(o)
            continue
        assert isinstance(o.what, FinalMemory), "only memory should have pieces"
        parts[o.name] = tuple((f"{o.name}@{offset}", 8 * offset) for offset, _ in pieces)
        observations += [
            Observation(f"{o.name}@{k}", FinalMemory(o.what.object, o.what.offset + k, s), 8 * s, False)
            for k, s in pieces
        ]
    return tuple(observations), parts
