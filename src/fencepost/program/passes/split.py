"""Accesses of mixed size as several accesses that belong together.

Where some accesses of a location overlap without being to the same bytes, each is split at all the borders, so that any
two accesses are to the same bytes or share none. The pieces of one instruction stand between AtomicBegin and AtomicEnd:
a model with the variant "mixed" takes these blocks for what they are, one instruction seen in pieces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from fencepost.errors import UnsupportedError
from fencepost.program.condition import FinalMemory, Observation
from fencepost.program.instructions import (
    AtomicBegin,
    AtomicEnd,
    BlockingCas,
    Branch,
    Cas,
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
from fencepost.program.passes.flow import reachable, successors
from fencepost.program.passes.points_to import Piece, PointsTo, overlaps, pieces_looked_at, points_to
from fencepost.program.passes.rewrite import Registers, defined, expand, inside
from fencepost.program.passes.temporaries import told_apart
from fencepost.program.program import Function, Program
from fencepost.records import dataclass, replace

State = tuple[tuple[str, int], ...]
_SIZES = (8, 4, 2, 1)
#: Why an access is not split: what one piece does hangs on all the others.
_REASONS = {
    "a compare-exchange": "of which each piece is written only if all are as expected",
    "a minimum or maximum": "of which a piece is written only if those above it say so",
    "a wait": "which may end only when all its pieces are seen",
}
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
            whole = self.whole(state)
            found[whole] = found.get(whole, 0) + count
        return dict(sorted(found.items()))

    def whole(self, state: State) -> State:
        """A final state of the program in pieces, as one of the original."""
        values = dict(state)
        return tuple((o.name, self._value(o, values)) for o in self.original.observations)

    def _value(self, o: Observation, values: dict[str, int]) -> int:
        if o.name not in self.parts:
            return values[o.name]
        bits = sum(values[name] << shift for name, shift in self.parts[o.name])
        return to_signed(bits, o.width) if o.signed else to_unsigned(bits, o.width)


def split_mixed_sizes(program: Program) -> Split | None:
    """The program with the accesses of mixed size split; None where there is none. Raises UnsupportedError where one
    cannot be split, and where blocks are there already, which mean something else."""
    program = told_apart(program)
    points = points_to(program)
    looked = pieces_looked_at(program, points)
    if not any(overlaps(pieces) for pieces in looked.values()):
        return None
    if any(isinstance(i, AtomicBegin) for f in program.functions for i in f.code):
        raise UnsupportedError("atomic blocks beside accesses of mixed size")
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
    once = _reserved_once(function)
    reserved: dict[tuple[Operand, int], Operand] = {}  # where the pieces of load-reserves are

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
                code, places = _split_load(i, pieces, registers)
                if i.exclusive and i.address in once:
                    reserved.update({(i.address, offset): place for offset, place in places.items()})
                return code
            case StoreConditional():
                return _split_conditional(i, pieces, registers, reserved)
            case Store():
                return _split_store(i, pieces, registers)
            case Rmw() if i.op in _BITWISE:
                return _split_rmw(i, pieces, registers)
            case Rmw() if i.op in (RmwOp.ADD, RmwOp.SUB):
                return _split_addition(i, pieces, registers)
        raise UnsupportedError(f"{i.at}: {_what(i)} of mixed size, {_REASONS[_what(i)]}")

    return expand(function, expansion)


def _what(i: Instruction) -> str:
    match i:
        case Cas() | BlockingCas():
            return "a compare-exchange"
        case Rmw():
            return "a minimum or maximum"
    return "a wait"


def _reserved_once(function: Function) -> set[Operand]:
    """The addresses of one load-reserve each, in registers that are set once: its store-conditionals go there, too."""
    loads = Counter(i.address for i in function.code if isinstance(i, Load) and i.exclusive)
    return {a for a, count in loads.items() if count == 1 and isinstance(a, Reg) and _is_set_once(function, a)}


def _is_set_once(function: Function, register: Reg) -> bool:
    """Whether it holds one value wherever it is used. A parameter is set by the call."""
    places = [n for n, i in enumerate(function.code) if register in defined(i)]
    if register.index < function.parameters:
        return not places
    again = [n for n in places if n in reachable(function, successors(n, function.code[n]))]
    return len(places) <= 1 and not again


def _moved(address: Operand, offset: int, registers: Registers, i: Instruction) -> tuple[Operand, list[Instruction]]:
    if offset == 0:
        return address, []
    if isinstance(address, GlobalAddress):
        return GlobalAddress(address.name, address.offset + offset), []
    place = registers.fresh("piece")
    return place, [Compute(place, (address, Const(offset)), Op.ADD, at=i.at)]


def _split_load(
    i: Load, pieces: tuple[Piece, ...], registers: Registers
) -> tuple[list[Instruction], dict[int, Operand]]:
    """And where each piece is. The parts are read into registers of their own: the address may be in the target."""
    code: list[Instruction] = []
    loads: list[Instruction] = []
    places: dict[int, Operand] = {}
    parts = []
    for offset, size in pieces:
        place, moving = _moved(i.address, offset, registers, i)
        code += moving
        places[offset] = place
        parts.append(registers.fresh("part"))
        loads.append(replace(i, dst=parts[-1], address=place, size=size))
    return [*code, *_block(i, loads), *_joined(i, i.dst, parts, pieces, registers)], places


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


def _split_conditional(
    i: StoreConditional,
    pieces: tuple[Piece, ...],
    registers: Registers,
    reserved: Mapping[tuple[Operand, int], Operand],
) -> list[Instruction]:
    """The first piece decides: where it is not written, nothing is. The load-reserve was split at the same borders, and
    each piece has its own reservation, in the same register where that is known."""
    code, cut = _cut_value(i, pieces, registers)
    stores: list[Instruction] = []
    for (offset, _), (computed, part, size) in zip(pieces, cut, strict=True):
        place = reserved.get((i.address, offset), computed)
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


def _split_addition(i: Rmw, pieces: tuple[Piece, ...], registers: Registers) -> list[Instruction]:
    """Each piece adds what is carried over from the one below it, which is of the instruction, as its pieces are."""
    assert i.size <= max(_SIZES), "what is carried should be seen in a register"
    code: list[Instruction] = []
    value = i.value
    if i.op is RmwOp.SUB:
        value = registers.fresh("negative")
        code.append(Compute(value, (Const(0), i.value), Op.SUB, at=i.at))
    places, adding, olds = [], [], []
    for offset, size in pieces:
        place, moving = _moved(i.address, offset, registers, i)
        part, cutting = _part(i, value, offset, registers)
        low = Compute(part, (part, Const((1 << 8 * size) - 1)), Op.AND, at=i.at)
        code += [*moving, cutting, low]
        places.append(place)
        adding.append(part)
        olds.append(registers.fresh("old"))
    updates: list[Instruction] = []
    for k, (_, size) in enumerate(pieces):
        updates.append(replace(i, op=RmwOp.ADD, dst=olds[k], address=places[k], value=adding[k], size=size))
        if k + 1 < len(pieces):
            updates += _carried(i, olds[k], adding[k : k + 2], size, registers)
    code += _block(i, updates)
    return code if i.dst is None else [*code, *_joined(i, i.dst, olds, pieces, registers)]


def _carried(i: Instruction, old: Reg, adding: list[Reg], size: int, registers: Registers) -> list[Instruction]:
    """Adds what a piece carries over to what the next one adds."""
    carry = registers.fresh("carry")
    return [
        Compute(carry, (old, adding[0]), Op.ADD, at=i.at),
        Compute(carry, (carry, Const(8 * size)), Op.LSHR, at=i.at),
        Compute(adding[1], (adding[1], carry), Op.ADD, at=i.at),
    ]


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
