"""Collects the code of one thread: registers by name, labels by name, and the address arithmetic all dialects share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from fencepost.frontends.scan import Source, Token
from fencepost.program.datatypes import Scalar
from fencepost.program.instructions import (
    Branch,
    Cas,
    Choose,
    Compute,
    Instruction,
    Jump,
    Load,
    Mode,
    Op,
    Return,
    Rmw,
    Store,
    StoreConditional,
)
from fencepost.program.operands import Const, ConstantOperand, GlobalAddress, Operand, Position, Reg, to_signed
from fencepost.program.program import Function
from fencepost.records import replace

ZERO = Const(0)


class Typed(Protocol):
    """A place in memory. `scalar`: None where nobody says what it holds."""

    @property
    def scalar(self) -> Scalar | None: ...


class Locations(Protocol):
    """The memory that code may name, and the registers that a test lets us choose."""

    @property
    def symbols(self) -> Mapping[str, ConstantOperand]: ...
    @property
    def locations(self) -> Mapping[str, Typed]: ...
    def location(self, name: str, offset: int) -> object: ...


class Code:
    """The function of one thread while it is being read. Registers that the initial state sets come first: they are the
    parameters of the function. Jumps to labels hold a negative number until `finish` knows the place."""

    def __init__(self, source: Source, name: str, initial: dict[str, ConstantOperand], state: Locations) -> None:
        self.source, self.name, self.initial, self.state = source, name, initial, state
        self.registers: dict[str, int] = {r: i for i, r in enumerate(initial)}
        self.instructions: list[Instruction] = []
        self.labels: dict[str, int] = {}
        self.wanted: dict[str, tuple[int, int]] = {}  # label -> (negative number, offset of its first use)
        self.at: Position | None = None
        self.fresh = 0
        self.starts: list[int] = []  # where each instruction of the test begins

    # --- registers

    def register(self, name: str) -> Reg:
        return Reg(self.registers.setdefault(name, len(self.registers)))

    def scratch(self) -> Reg:
        return self.register(f"_{len(self.registers)}")

    def location(self, token: Token, offset: int = 0) -> GlobalAddress:
        """The address of a location that the code names."""
        self.state.location(token.text, token.offset)
        return GlobalAddress(token.text, offset)

    # --- instructions

    def add(self, instruction: Instruction) -> None:
        if isinstance(instruction, Rmw | Cas) and isinstance(instruction.address, Reg):
            result = instruction.dst if isinstance(instruction, Rmw) else instruction.old
            if result == instruction.address:  # which the write needs, after the read has gone there
                instruction = replace(instruction, address=self.compute(Op.MOV, instruction.address))
        self.instructions.append(replace(instruction, at=self.at))

    def either(self, first: Instruction, second: Instruction) -> None:
        """One of two instructions, for no reason."""
        way, other, end = self.scratch(), self.fresh_label(), self.fresh_label()
        self.add(Choose(way, ZERO, Const(1)))
        self.branch(way, other)
        self.add(first)
        self.jump(end)
        self.label(other)
        self.add(second)
        self.label(end)

    def compute(self, op: Op, *args: Operand, width: int = 64, dst: Reg | None = None) -> Reg:
        target = dst if dst is not None else self.scratch()
        self.add(Compute(target, args, op, width))
        return target

    def move(self, dst: Reg, value: Operand, width: int = 64) -> None:
        self.compute(Op.MOV, value, width=width, dst=dst)

    def offset(self, base: Operand, offset: Operand) -> Operand:
        """The address base + offset; adding nothing needs no instruction."""
        return base if offset == ZERO else self.compute(Op.ADD, base, offset)

    def load(
        self, dst: Reg, address: Operand, size: int, *, mode: Mode = Mode.RLX, exclusive: bool = False,
        signed: int = 0,
    ) -> None:  # fmt: skip
        """Loads `size` bytes; with `signed`, the sign goes on up to that many bits."""
        self.add(Load(dst, address, size, mode, exclusive))
        if signed > 8 * size:
            self.compute(Op.SEXT, dst, width=8 * size, dst=dst)
            if signed < 64:
                self.move(dst, dst, width=signed)

    def store(self, address: Operand, value: Operand, size: int, mode: Mode = Mode.RLX) -> None:
        self.add(Store(address, value, size, mode))

    def store_conditional(self, address: Operand, value: Operand, size: int, mode: Mode = Mode.RLX) -> Reg:
        """Returns a register that is 0 where it wrote and 1 where it failed, as ARM and RISC-V want it."""
        wrote = self.scratch()
        self.add(StoreConditional(wrote, address, value, size, mode))
        return self.compute(Op.XOR, wrote, Const(1), dst=wrote)

    # --- control

    def label(self, token: Token) -> None:
        if token.text in self.labels:
            self.source.fail(token.offset, f"found label '{token.text}' again", "each label once in a thread")
        self.labels[token.text] = len(self.instructions)

    def target(self, token: Token) -> int:
        return self.wanted.setdefault(token.text, (-len(self.wanted) - 1, token.offset))[0]

    def jump(self, token: Token) -> None:
        self.add(Jump(self.target(token)))

    def branch(self, condition: Operand, token: Token) -> None:
        """Jumps to the label where the condition is not 0, else goes on."""
        self.add(Branch(condition, self.target(token), len(self.instructions) + 1))

    def branch_unless(self, condition: Operand, token: Token) -> None:
        """Jumps to the label where the condition is 0, else goes on."""
        self.add(Branch(condition, len(self.instructions) + 1, self.target(token)))

    def fresh_label(self) -> Token:
        """A label that no source can name."""
        self.fresh += 1
        return Token("label", f".{self.fresh}", 0)

    def begin(self) -> None:
        """The next instruction of the test begins here."""
        self.starts.append(len(self.instructions))

    def relative(self, distance: int, token: Token) -> Token:
        """A label for the instruction of the test that comes so many after this one, or before it."""
        number = len(self.starts) - 1 + distance
        if number < 0:
            self.source.fail(token.offset, f"found a jump of {distance} instructions", f"an instruction of {self.name}")
        return Token("label", f"@{number}", token.offset)

    def finish(self) -> Function:
        self.begin()
        self.labels |= {f"@{k}": place for k, place in enumerate(self.starts)}
        self.add(Return())
        for name, (_, offset) in self.wanted.items():
            if name not in self.labels:
                self.source.fail(offset, f"found a jump to '{name}'", f"a label of {self.name}")
        place = {number: self.labels[name] for name, (number, _) in self.wanted.items()}
        code = tuple(_resolve(i, place) for i in self.instructions)
        return Function(self.name, tuple(self.registers), len(self.initial), code, at=code[0].at)


def _resolve(instruction: Instruction, place: dict[int, int]) -> Instruction:
    match instruction:
        case Jump(target):
            return replace(instruction, target=place.get(target, target))
        case Branch(_, then, otherwise):
            return replace(instruction, then=place.get(then, then), otherwise=place.get(otherwise, otherwise))
    return instruction


def constant(value: int) -> Const:
    """A constant of 64 bits, in the reading that Program wants."""
    return Const(to_signed(value))
