"""The columns of an assembly dialect: one thread per column, one instruction per cell."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import ClassVar

from fencepost.frontends.litmus.build import RegisterName, build
from fencepost.frontends.litmus.code import Code
from fencepost.frontends.litmus.frame import Frame
from fencepost.frontends.litmus.question import read_question
from fencepost.frontends.litmus.scan import Token, Tokens
from fencepost.frontends.litmus.state import State, read_state
from fencepost.program.datatypes import Scalar
from fencepost.program.instructions import Op
from fencepost.program.operands import Const, ConstantOperand, Operand, Reg
from fencepost.program.program import Arch, Function, Program

Cell = tuple[int, int]  # start and end offsets
_THREAD = re.compile(r"P(\d+)\Z")
_LOWEST = Const(-(1 << 63))


class Dialect(ABC):
    """One instruction set. `instruction` translates one instruction; the mnemonic has been read already."""

    arch: ClassVar[Arch]

    def __init__(self, code: Code) -> None:
        self.code = code

    @classmethod
    @abstractmethod
    def naming(cls, name: str) -> RegisterName | None:
        """The register that a name means, in the spelling of conditions too; None where it means none."""

    @abstractmethod
    def instruction(self, mnemonic: Token, t: Tokens) -> None:
        """Adds the meaning of one instruction to the code."""

    # --- what instruction sets have in common

    def unknown(self, mnemonic: Token, t: Tokens) -> None:
        known = f"an instruction of {self.arch.name} that Fencepost knows"
        t.source.fail(mnemonic.offset, f"unsupported instruction '{mnemonic.text}'", known)

    def named(self, t: Tokens, expected: str = "a register") -> RegisterName:
        symbolic = t.accept("%")
        token = t.name(expected)
        if symbolic and token.text in self.code.state.symbols:
            return RegisterName(f"%{token.text}")
        found = self.naming(token.text)
        if found is None:
            t.fail(expected, token=token)
        return found

    def reg(self, t: Tokens) -> Reg:
        return self.code.register(self.named(t).name)

    def comma(self, t: Tokens) -> None:
        t.expect(",")


def read_columns(frame: Frame, dialect: type[Dialect]) -> Program:
    """The Program of a test whose code stands in columns."""
    source = frame.source
    state = read_state(Tokens(source, *frame.init))
    rows = list(_rows(frame))
    if not rows:
        source.fail(frame.code[0], "found no code", "rows of columns: ' P0 | P1 ;'")
    threads = [_thread(frame, cell) for cell in rows[0]]
    for name in {n for n in threads if threads.count(n) > 1}:
        source.fail(rows[0][0][0], f"found thread '{name}' twice", "each thread once")
    initial, types = _registers(frame, state, dialect, threads)
    codes = {name: Code(source, name, initial[name], state) for name in threads}
    translators = [dialect(codes[name]) for name in threads]
    for row in rows[1:]:
        if len(row) > len(threads):
            source.fail(row[len(threads)][0] - 1, f"found column {len(threads) + 1}", f"{len(threads)} columns")
        for translator, cell in zip(translators, row, strict=False):
            _cell(frame, translator, cell)
    question = read_question(Tokens(source, *frame.question), state)
    functions: list[Function] = [c.finish() for c in codes.values()]
    return build(
        frame, dialect.arch, state, question, functions, initial, lambda _, token: dialect.naming(token.text), types
    )


def _rows(frame: Frame) -> list[list[Cell]]:
    text, (at, stop) = frame.source.text, frame.code
    rows: list[list[Cell]] = []
    while (end := text.find(";", at, stop)) >= 0:
        cells: list[Cell] = []
        while (bar := text.find("|", at, end)) >= 0:
            cells.append((at, bar))
            at = bar + 1
        cells.append((at, end))
        rows.append(cells)
        at = end + 1
    return rows


def _thread(frame: Frame, cell: Cell) -> str:
    text = frame.source.text[cell[0] : cell[1]]
    name = text.strip()
    if not _THREAD.match(name):
        at = cell[0] + len(text) - len(text.lstrip())
        frame.source.fail(
            min(at, cell[1]), f"found {name!r}" if name else "found an empty column", "a thread such as P0"
        )
    return name


def _registers(
    frame: Frame, state: State, dialect: type[Dialect], threads: list[str]
) -> tuple[dict[str, dict[str, ConstantOperand]], dict[tuple[int, str], Scalar]]:
    symbols = {f"%{name}": value for name, value in state.symbols.items()}
    initial: dict[str, dict[str, ConstantOperand]] = {name: dict(symbols) for name in threads}
    types: dict[tuple[int, str], Scalar] = {}
    for thread, token, value, scalar in state.registers:
        register = dialect.naming(token.text)
        if register is None:
            frame.source.fail(token.offset, f"found '{token.text}'", f"a register of {frame.arch}")
        if f"P{thread}" not in initial:
            frame.source.fail(token.offset, f"found a register of P{thread}, which does not exist", ", ".join(threads))
        if value is not None:
            initial[f"P{thread}"][register.name] = value
        if scalar is not None:
            types[thread, register.name] = scalar
    return initial, types


def _cell(frame: Frame, dialect: Dialect, cell: Cell) -> None:
    t = Tokens(frame.source, *cell)
    while t.token.kind == "name" and t.peek().text == ":":
        dialect.code.at = frame.source.at(t.token.offset)
        dialect.code.label(t.next())
        t.next()
    if t.done:
        return
    dialect.code.at = frame.source.at(t.token.offset)
    mnemonic = t.name("an instruction")
    dialect.instruction(mnemonic, t)
    t.finished("the end of the instruction")


def compare(code: Code, name: str, width: int, left: Operand, right: Operand, *, signed: bool = True) -> None:
    """Keeps the operands of a comparison in two registers `name.a` and `name.b`, brought to 64 bits so that one signed
    comparison of 64 bits decides whatever branch comes. Both keep the dependencies of what is compared."""
    for operand, part in ((left, "a"), (right, "b")):
        dst = code.register(f"{name}.{part}")
        if signed:
            code.compute(Op.SEXT, operand, width=width, dst=dst)
        elif width < 64:
            code.move(dst, operand, width)
        else:
            code.compute(Op.XOR, operand, _LOWEST, dst=dst)


def decide(code: Code, name: str, op: Op) -> Reg:
    """The outcome of a comparison kept by `compare`."""
    return code.compute(op, code.register(f"{name}.a"), code.register(f"{name}.b"))
