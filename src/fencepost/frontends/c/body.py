"""A function under construction: registers, labels, and the small moves that every translation is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from fencepost.frontends.c.constants import bits_of, number, read_constant
from fencepost.frontends.c.declared import Declared
from fencepost.frontends.c.llvm.tokens import Cursor, plain_name
from fencepost.frontends.c.llvm.types import ArrayOf, Float, Int, Ptr, StructOf, Type, TypeTable, leaf_count, leaves
from fencepost.frontends.c.unit import Unit
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program import instructions as ins
from fencepost.program.instructions import ErrorKind, Instruction, Mode, Op
from fencepost.program.operands import Const, ConstantOperand, GlobalAddress, Operand, Position, Reg
from fencepost.program.passes.rewrite import retarget
from fencepost.program.program import Function
from fencepost.records import dataclass

Leaves = tuple[Operand, ...]
ZERO, ONE = Const(0), Const(1)


class Body:
    """Emits instructions at the current source position. Labels are numbers until `finish` makes them places."""

    def __init__(self, unit: Unit, name: str, types: TypeTable | None = None) -> None:
        self.unit, self.name = unit, name
        self.types: TypeTable = types or unit.types
        self.code: list[Instruction] = []
        self.registers: list[str] = []
        self._taken: dict[str, int] = {}
        self._labels: list[int] = []
        self.at: Position | None = None
        self.values: dict[str, Leaves] = {}
        self.variables: dict[str, Reg] = {}  # locals whose address nobody takes, by the name of their alloca
        self.kept: frozenset[str] = frozenset()  # locals whose address may be known behind their block
        self.assigned: dict[str, Reg] = {}  # of those that may be read too early: whether they have a value
        self.memory_types: dict[str, Type] = {}  # what a pointer is known to point at, by its name
        self.declared: Declared | None = None  # what the debug information says; a stub has none
        self.packed: set[str] = set()  # pointers into packed structs: what they point at may stand anywhere
        self.mutex_members: dict[str, int] = {}  # pointers to the words of a mutex, half by half: their offsets
        self.area: Operand = ZERO  # where the variable arguments are
        self.unwind: int | None = None  # where an exception of the current call goes; None: to the caller
        self.landings: list[tuple[Reg, int]] = []  # of each setjmp: the register with its number, where jumps go
        self.jumping: int | None = None  # where it is found out which of them a jump goes to
        self.afterwards: list[Callable[[], None]] = []  # what stands behind the code
        self.new_thread = False  # the next call is what a new thread does
        self._leave: int | None = None

    # --- registers and labels

    def fresh(self, name: str = "t") -> Reg:
        count = self._taken.get(name, 0)
        self._taken[name] = count + 1
        unique = name if not count else f"{name}'{count}"
        while count and unique in self._taken:
            count += 1
            unique = f"{name}'{count}"
        if count:
            self._taken[unique] = 1
        self.registers.append(unique)
        return Reg(len(self.registers) - 1)

    def label(self) -> int:
        self._labels.append(-1)
        return len(self._labels) - 1

    def mark(self, label: int) -> None:
        """The next instruction stands at this label."""
        self._labels[label] = len(self.code)

    def emit(self, instruction: Instruction) -> None:
        self.code.append(replace(instruction, at=self.at) if self.at is not None else instruction)

    def allocate(
        self, to: Reg, result: str | None, size: Operand, align: int = 16, zeroed: bool = False, new: str = ""
    ) -> None:
        """Heap memory; `result` is the name of the value that gets its address. `new`: made by new or new[]."""
        name, type_ = self.declared.block(result, size) if self.declared is not None else ("", None)
        self.emit(ins.Malloc(to, size, align, zeroed, name, type_, new != "", new == "new[]"))

    # --- computing

    def compute(self, op: Op, *args: Operand, width: int = 64, name: str = "t") -> Reg:
        result = self.fresh(name)
        self.emit(ins.Compute(result, args, op, width))
        return result

    def move(self, to: Reg, value: Operand) -> None:
        self.emit(ins.Compute(to, (value,), Op.MOV))

    def add(self, base: Operand, offset: int) -> Operand:
        """base + offset, without an instruction where that is constant."""
        if offset == 0:
            return base
        if isinstance(base, Const):
            return number(base.value + offset)
        if isinstance(base, GlobalAddress):
            return GlobalAddress(base.name, base.offset + offset)
        return self.compute(Op.ADD, base, Const(offset))

    def truncate(self, value: Operand, bits: int) -> Operand:
        if bits >= 64:
            return value
        if isinstance(value, Const):
            return number(value.value, bits)
        return self.compute(Op.MOV, value, width=bits)

    def sign_extend(self, value: Operand, bits: int) -> Operand:
        """A value of so many bits as a signed 64-bit number."""
        if bits >= 64:
            return value
        if isinstance(value, Const):
            low = value.value & ((1 << bits) - 1)
            return number(low - (1 << bits) if low >> (bits - 1) else low)
        return self.compute(Op.SEXT, value, width=bits)

    def leave(self) -> int:
        """The label of a return without a result, for exceptions that fly on."""
        if self._leave is None:
            self._leave = self.label()
        return self._leave

    def jump(self, label: int) -> None:
        self.emit(ins.Jump(label))

    def branch(self, condition: Operand, then: int, otherwise: int) -> None:
        self.emit(ins.Branch(condition, then, otherwise))

    def fail(self, kind: ErrorKind, message: str) -> None:
        self.emit(ins.Fail(kind, message))

    # --- values of the IR

    def operand(self, type_: Type, c: Cursor) -> Operand:
        """The one scalar that stands here."""
        found = self.operands(type_, c)
        if len(found) != 1:
            bits_of(type_)
            raise Unsupported("an aggregate where a number should stand")
        return found[0]

    def operands(self, type_: Type, c: Cursor) -> Leaves:
        """The scalars of the value that stands here."""
        if c.token[:1] == "%":
            return self.named(type_, plain_name(c.next()))
        if c.token[:1] == "@" and (local := self.unit.thread_local(plain_name(c.token))) is not None:
            c.next()
            return (self.thread_local(local),)
        return tuple(self._own(value) for value in read_constant(self, type_, c))

    def address(self, name: str) -> ConstantOperand:
        return self.unit.address(name)

    def _own(self, value: Operand) -> Operand:
        """A constant expression on a thread-local object is the address of this thread's own."""
        known = self.unit.objects.get(value.name) if isinstance(value, GlobalAddress) else None
        if isinstance(value, GlobalAddress) and known is not None and known.thread_local:
            return self.add(self.thread_local(value.name), value.offset)
        return value

    def named(self, type_: Type, name: str) -> Leaves:
        """The registers of a value by its name, also before it is defined."""
        if name not in self.values:
            self.values[name] = tuple(self.fresh(name) for _ in range(leaf_count(type_)))
        return self.values[name]

    def bind(self, name: str | None, values: Leaves) -> None:
        """Gives a result its value: another name for it, or moves where the name was used before."""
        if name is None:
            return
        known = self.values.get(name)
        if known is None:
            self.values[name] = values
            return
        for register, value in zip(known, values, strict=True):
            assert isinstance(register, Reg), "a name that was used early should be a register"
            self.move(register, value)

    def typed(self, c: Cursor) -> tuple[Type, Operand]:
        """A type and the scalar behind it."""
        type_ = self.types.parse(c)
        return type_, self.operand(type_, c)

    def thread_local(self, name: str) -> Reg:
        result = self.fresh(name)
        self.emit(ins.ThreadLocalAddress(result, name))
        return result

    # --- memory

    def load(
        self, type_: Type, address: Operand, mode: Mode = Mode.NA, name: str = "t", shape: Shape | None = None, *,
        copies: bool = False,
    ) -> Leaves:  # fmt: skip
        """`shape`: how the memory is made up, where that is known."""
        found = []
        for offset, leaf in leaves(type_):
            parts = self._parts(leaf, offset, mode, shape)
            found.append(self._load(leaf, self.add(address, offset), mode, name, parts, copies))
        return tuple(found)

    def _parts(self, leaf: Int | Float | Ptr, offset: int, mode: Mode, shape: Shape | None) -> list[tuple[int, int]]:
        """The accesses for one scalar. Compilers pass small structs as one number; memory is still accessed field
        by field, as the source says."""
        size = (bits_of(leaf) + 7) // 8
        if mode is Mode.NA and shape is not None and (parts := shape.parts(offset, size)):
            return parts
        parts = pieces(size)
        if len(parts) > 1 and mode is not Mode.NA:
            raise Unsupported(f"an atomic access of {size} bytes")
        return parts

    def _load(
        self, type_: Int | Float | Ptr, address: Operand, mode: Mode, name: str, parts: list[tuple[int, int]],
        copies: bool,
    ) -> Operand:  # fmt: skip
        bits = bits_of(type_)
        found: Operand = ZERO
        for offset, size in parts:
            part: Operand = self.fresh(name)
            assert isinstance(part, Reg), "a fresh register is a register"
            self.emit(ins.Load(part, self.add(address, offset), size, mode, copies=copies))
            if offset:
                shifted = self.compute(Op.SHL, part, Const(8 * offset))
                found = self.compute(Op.OR, found, shifted)
            else:
                found = part
        return self.truncate(found, bits) if bits % 8 else found

    def store(
        self, type_: Type, address: Operand, values: Leaves, mode: Mode = Mode.NA, shape: Shape | None = None
    ) -> None:
        for (offset, leaf), value in zip(leaves(type_), values, strict=True):
            for piece, size in self._parts(leaf, offset, mode, shape):
                part = self.compute(Op.LSHR, value, Const(8 * piece)) if piece else value
                self.emit(ins.Store(self.add(address, offset + piece), part, size, mode))

    def finish(self, parameters: int, variadic: bool, at: Position | None) -> Function:
        if not self.code or not isinstance(
            self.code[-1], ins.Jump | ins.Branch | ins.Switch | ins.Return | ins.Exit | ins.Fail
        ):
            self.emit(ins.Fail(ErrorKind.UNSUPPORTED, f"the end of {self.name} without a return"))
        for emit in self.afterwards:
            emit()
        if self._leave is not None:
            self.mark(self._leave)
            self.emit(ins.Return(ZERO))
        places = [p if p >= 0 else len(self.code) - 1 for p in self._labels]
        code = tuple(retarget(i, lambda label: places[label]) for i in self.code)
        return Function(self.name, tuple(self.registers), parameters, code, variadic, at)


@dataclass(frozen=True, slots=True)
class Shape:
    """How memory behind a pointer is made up: the type of what is there, or at least its alignment."""

    type: Type | None
    align: int

    def parts(self, offset: int, size: int) -> list[tuple[int, int]] | None:
        """The scalars in a range of bytes, where there are several; None where one access is right."""
        if isinstance(self.type, StructOf | ArrayOf):
            inside = [(o, (bits_of(t) + 7) // 8) for o, t in leaves(self.type) if offset <= o < offset + size]
            if len(inside) > 1 and all(o + s <= offset + size for o, s in inside):
                return [(o - offset, s) for o, s in naturally_aligned(inside, self.type.align)]
        whole = pieces(size)
        found = naturally_aligned([(offset + o, s) for o, s in whole], self.align)
        return [(o - offset, s) for o, s in found] if len(found) > len(whole) else None


def naturally_aligned(parts: Iterable[tuple[int, int]], align: int) -> list[tuple[int, int]]:
    """Accesses at these offsets of memory that is aligned to `align`, in smaller ones where it is packed."""
    found: list[tuple[int, int]] = []
    for offset, size in parts:
        step = min(size & -size, (offset | align) & -(offset | align))
        found += [(k, step) for k in range(offset, offset + size, step)]
    return found


def pieces(size: int) -> list[tuple[int, int]]:
    """Offsets and sizes of the accesses that make up one of `size` bytes."""
    if size > 8:
        raise Unsupported(f"an access of {size} bytes")
    found: list[tuple[int, int]] = []
    at = 0
    for part in (8, 4, 2, 1):
        while size - at >= part:
            found.append((at, part))
            at += part
    return found
