"""The columns of an assembly dialect: one thread per column, one instruction per cell."""

from __future__ import annotations

import re

from fencepost.frontends.assembly.code import Code
from fencepost.frontends.assembly.dialect import Dialect, dotted
from fencepost.frontends.litmus.beyond import refuse_variants
from fencepost.frontends.litmus.build import build
from fencepost.frontends.litmus.frame import Frame
from fencepost.frontends.litmus.question import read_question
from fencepost.frontends.litmus.state import State, read_state
from fencepost.frontends.scan import Token, Tokens
from fencepost.program.datatypes import Scalar
from fencepost.program.operands import ConstantOperand
from fencepost.program.program import Function, Program

Cell = tuple[int, int]  # start and end offsets
_THREAD = re.compile(r"P(\d+)\Z")
_BAR = re.compile(r"\|(?!=)")  # `r1 |= 2` is one instruction of BPF


def read_columns(frame: Frame, dialect: type[Dialect]) -> Program:
    """The Program of a test whose code stands in columns."""
    source = frame.source
    refuse_variants(frame)
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
        while bar := _BAR.search(text, at, end):
            cells.append((at, bar.start()))
            at = bar.end()
        cells.append((at, end))
        rows.append(cells)
        at = end + 1
    return rows


def _thread(frame: Frame, cell: Cell) -> str:
    text = frame.source.text[cell[0] : cell[1]]
    name = text.strip()
    if not _THREAD.match(name):
        at = cell[0] + len(text) - len(text.lstrip())
        if name.endswith(".F"):
            frame.source.fail(at, f"found '{name}': Fencepost does not treat fault handlers")
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


def _label(t: Tokens) -> Token | None:
    """The label that stands here, with its colon; None where there is none."""
    dots = 1 if t.at(".") else 0
    if t.peek(dots).kind != "name" or t.peek(dots + 1).text != ":":
        return None
    if dots:
        t.next()
    name = t.next()
    t.next()
    return dotted(name) if dots else name


def _cell(frame: Frame, dialect: Dialect, cell: Cell) -> None:
    t = Tokens(frame.source, *cell)
    while (label := _label(t)) is not None:
        dialect.code.at = frame.source.at(label.offset)
        dialect.code.label(label)
    if t.done:
        return
    dialect.code.at = frame.source.at(t.token.offset)
    dialect.code.begin()
    dialect.statement(t)
    t.finished("the end of the instruction")
