"""Which locations the addresses in a program can point to, and so how large the accesses to each location are.

A litmus test rarely says how large its locations are: the instructions do. With this, memory is observed at the size it
was written, and accesses of mixed size are known before an analysis runs into them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise

from fencepost.program.arithmetic import compute
from fencepost.program.condition import FinalMemory, Observable
from fencepost.program.instructions import Cas, Compute, Instruction, Load, Op, Rmw, Store, StoreConditional
from fencepost.program.operands import Const, ConstantOperand, GlobalAddress, Operand, Reg, to_signed, to_unsigned
from fencepost.program.passes.copies import MAY_FAIL
from fencepost.program.passes.rewrite import defined
from fencepost.program.passes.temporaries import told_apart
from fencepost.program.program import Function, Program

Place = tuple[str, int]  # location, offset in bytes
Piece = tuple[int, int]  # offset and size in bytes
_FAR = 1 << 8
_WORD = 8  # objects begin at multiples of it

Access = Load | Store | StoreConditional | Rmw | Cas


class PointsTo:
    """Flow-insensitive, one set per register and per location: precise enough for code of this size."""

    def __init__(
        self, functions: Iterable[Function], initial: dict[str, dict[str, ConstantOperand]],
        memory: dict[str, list[ConstantOperand]],
    ) -> None:  # fmt: skip
        self.functions = tuple(functions)
        self.registers: dict[tuple[str, int], set[Place]] = defaultdict(set)
        self.memory: dict[str, set[Place]] = defaultdict(set)
        self.numbers = {f.name: _numbers(f, initial[f.name]) for f in self.functions}
        for f in self.functions:
            for name, value in initial[f.name].items():
                self.registers[f.name, f.registers.index(name)] |= _place(value)
        for name, values in memory.items():
            self.memory[name] = set().union(*map(_place, values))
        while self._round():
            pass

    def places(self, function: str, operand: Operand) -> frozenset[Place]:
        """A copy: a register may be computed from itself, and memory hold its own address."""
        return frozenset(self.registers[function, operand.index]) if isinstance(operand, Reg) else _place(operand)

    def accesses(self) -> dict[str, set[Piece]]:
        """location -> the (offset, size) of its accesses."""
        found: dict[str, set[Piece]] = defaultdict(set)
        for f in self.functions:
            for i in f.code:
                if isinstance(i, Access):
                    for name, offset in self.places(f.name, i.address):
                        found[name].add((offset, i.size))
        return found

    def _round(self) -> bool:
        before = self._size()
        for f in self.functions:
            for i in f.code:
                self._step(f.name, i)
        return self._size() != before

    def _size(self) -> int:
        return sum(map(len, self.registers.values())) + sum(map(len, self.memory.values()))

    def _step(self, f: str, i: Instruction) -> None:
        match i:
            case Compute(dst, args, op):
                self.registers[f, dst.index] |= self._computed(f, op, args)
            case Load(dst, address):
                self._read(f, dst, address)
            case Store(address, value) | StoreConditional(_, address, value):
                self._write(f, address, value)
            case Rmw(dst, address, value):
                self._write(f, address, value)
                self._read(f, dst, address)
            case Cas(old, _, address, _, desired):
                self._write(f, address, desired)
                self._read(f, old, address)

    def _computed(self, f: str, op: Op, args: tuple[Operand, ...]) -> frozenset[Place]:
        if op in (Op.XOR, Op.SUB) and args[0] == args[1]:  # a dependency that means nothing: 0
            return frozenset()
        places = frozenset[Place]().union(*(self.places(f, a) for a in args))
        match op, tuple(self._known(f, a) for a in args):
            case (Op.ADD, (base, Const(value))) | (Op.ADD, (Const(value), base)):
                return frozenset((n, o + value) for n, o in self.places(f, base) if abs(o + value) < _FAR)
            case (Op.SUB, (base, Const(value))):
                return frozenset((n, o - value) for n, o in self.places(f, base) if abs(o - value) < _FAR)
            case (Op.XOR, (base, Const(value))) if 0 <= value < _WORD:
                return frozenset((n, o ^ value) for n, o in self.places(f, base))
        return places

    def _known(self, f: str, operand: Operand) -> Operand:
        """A register that holds one number all the time is that number."""
        found = self.numbers[f].get(operand.index) if isinstance(operand, Reg) else None
        return operand if found is None else Const(found)

    def _read(self, f: str, dst: Reg | None, address: Operand) -> None:
        if dst is not None:
            for name, _ in self.places(f, address):
                self.registers[f, dst.index] |= self.memory[name]

    def _write(self, f: str, address: Operand, value: Operand) -> None:
        for name, _ in self.places(f, address):
            self.memory[name] |= self.places(f, value)


def _numbers(function: Function, initial: dict[str, ConstantOperand]) -> dict[int, int]:
    """The registers that hold one number all the time: given at the start, or computed once from such."""
    times = Counter(r.index for i in function.code for r in defined(i))
    given = {function.registers.index(name): value for name, value in initial.items()}
    found = {r: v.value for r, v in given.items() if isinstance(v, Const) and not times[r]}
    for i in function.code:
        if isinstance(i, Compute) and times[i.dst.index] == 1 and i.dst.index not in given:
            args = [found.get(a.index) if isinstance(a, Reg) else getattr(a, "value", None) for a in i.args]
            numbers = tuple(to_unsigned(a) for a in args if a is not None)
            if i.op not in MAY_FAIL and len(numbers) == len(args):
                found[i.dst.index] = to_signed(compute(i.op, i.width, numbers))
    return found


def _place(value: Operand) -> frozenset[Place]:
    return frozenset({(value.name, value.offset)}) if isinstance(value, GlobalAddress) else frozenset()


def points_to(program: Program) -> PointsTo:
    """The analysis of a whole program whose threads exist from the start."""
    arguments = {t.function: t.args for t in program.threads}
    initial = {f.name: dict(zip(f.registers, arguments.get(f.name, ()), strict=False)) for f in program.functions}
    return PointsTo(program.functions, initial, {o.name: [i.value for i in o.init] for o in program.objects})


def pieces_looked_at(program: Program, points: PointsTo) -> dict[str, set[Piece]]:
    """location -> every (offset, size) that is accessed or observed."""
    found = points.accesses()
    for o in program.observations:
        if isinstance(o.what, FinalMemory):
            found[o.what.object].add((o.what.offset, o.what.size))
    return found


def may_hold_addresses(program: Program) -> frozenset[str]:
    """The observations in which an address can be seen."""
    points, functions = points_to(program), {f.name: f for f in program.functions}
    running = {t.name: functions[t.function] for t in program.threads}

    def places(what: Observable) -> Iterable[Place]:
        if isinstance(what, FinalMemory):
            return points.memory[what.object]
        function = running[what.thread]
        return points.registers[function.name, function.registers.index(what.register)]

    return frozenset(o.name for o in program.observations if places(o.what))


def mixes_sizes(program: Program) -> bool:
    """Whether some accesses overlap without being to the same bytes, as far as the code shows."""
    program = told_apart(program)
    found = pieces_looked_at(program, points_to(program))
    return any(overlaps(pieces) for pieces in found.values())


def overlaps(pieces: set[Piece]) -> bool:
    """Whether some of them share bytes without being the same."""
    return any(first[0] + first[1] > second[0] for first, second in pairwise(sorted(pieces)))
