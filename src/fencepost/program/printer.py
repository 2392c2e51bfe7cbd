"""The text form of a Program. `reader.read_program(print_program(p)) == p` for every valid p."""

from __future__ import annotations

import re
from enum import Enum

from fencepost.program.condition import (
    And,
    Compare,
    Condition,
    FinalRegister,
    Formula,
    Not,
    Observation,
    Or,
    Truth,
)
from fencepost.program.datatypes import Array, DataType, Scalar
from fencepost.program.instructions import Instruction, Role, roles
from fencepost.program.operands import Const, FunctionAddress, GlobalAddress, Operand, Position, Reg
from fencepost.program.program import Function, Object, Program
from fencepost.records import MISSING

PLAIN_NAME = re.compile(r"[A-Za-z_.$][A-Za-z0-9_.$]*\Z")


def _quoted(text: str) -> str:
    import json

    return json.dumps(text)


def show_name(name: str) -> str:
    """A name as it is where that is unambiguous, else quoted."""
    return name if PLAIN_NAME.match(name) and name != "_" else _quoted(name)


def show_type(type_: DataType) -> str:
    if isinstance(type_, Scalar):
        return str(type_)
    if isinstance(type_, Array):
        return f"[{type_.count} x {show_type(type_.element)}]"
    inside = ", ".join(f"{show_name(f.name)} {f.offset} {show_type(f.type)}" for f in type_.fields)
    return f"{{{type_.size}: {inside}}}"


def print_program(program: Program) -> str:
    """The whole program as text."""
    return _Printer(program).text()


class _Printer:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.files: dict[str, int] = {}

    def text(self) -> str:
        p = self.program
        body: list[str] = [self.object(o) for o in p.objects]
        for function in p.functions:
            body += ["", *self.function(function)]
        body.append("")
        body += [f"thread {show_name(t.name)} = {show_name(t.function)}({self.list(t.args)})" for t in p.threads]
        body += [self.observation(o) for o in p.observations]
        if p.condition is not None:
            body.append(self.condition(p.condition))
        if p.cuts:
            body.append(f"cut {', '.join(map(str, p.cuts))}")
        head = [f"program {_quoted(p.name)} arch={p.arch.value}"]
        head += [f"file {number} {_quoted(name)}" for name, number in self.files.items()]
        return "\n".join([*head, *body]) + "\n"

    def position(self, at: Position | None) -> str:
        if at is None:
            return ""
        number = self.files.setdefault(at.file, len(self.files))
        return f" !{number}:{at.line}:{at.column}"

    def object(self, o: Object) -> str:
        text = f"global {show_name(o.name)} size={o.size} align={o.align}"
        text += " thread_local" * o.thread_local + " constant" * o.constant
        if o.init:
            text += f" init=({', '.join(f'{i.offset}:{i.size}:{self.operand(i.value)}' for i in o.init)})"
        if o.type is not None:
            text += f" type={show_type(o.type)}"
        return text + self.position(o.at)

    def function(self, f: Function) -> list[str]:
        names = [f"%{show_name(r)}" for r in f.registers]
        head = f"function {show_name(f.name)}({', '.join(names[: f.parameters])})" + " variadic" * f.variadic
        if names[f.parameters :]:
            head += f" registers({', '.join(names[f.parameters :])})"
        lines = [head + self.position(f.at) + " {"]
        targets = {t for instruction in f.code for t in jump_targets(instruction)}
        for index, instruction in enumerate(f.code):
            if index in targets:
                lines.append(f" L{index}:")
            lines.append("  " + self.instruction(instruction, names) + self.position(instruction.at))
        return [*lines, "}"]

    def instruction(self, instruction: Instruction, names: list[str]) -> str:
        defined: list[str] = []
        operands: list[str] = []
        attributes: list[str] = []
        for f in roles(type(instruction)):
            value, role = getattr(instruction, f.name), f.metadata["role"]
            match role:
                case Role.DEFINE:
                    defined.append("_" if value is None else names[value.index])
                case Role.USE:
                    operands.append("_" if value is None else self.operand(value, names))
                case Role.USES:
                    operands.append(f"({self.list(value, names)})")
                case Role.TARGET:
                    operands.append(f"L{value}")
                case Role.TARGETS:
                    operands.append(f"({', '.join(f'L{t}' for t in value)})")
                case Role.ATTRIBUTE:
                    if f.default is MISSING or value != f.default:
                        attributes.append(f"{f.name}={_attribute(value)}")
        text = f"{', '.join(defined)} = " if defined else ""
        parts = [instruction.mnemonic, ", ".join(operands), *attributes]
        return text + " ".join(part for part in parts if part)

    def operand(self, operand: Operand, names: list[str] | None = None) -> str:
        match operand:
            case Reg(index):
                assert names is not None, "a register should stand inside a function"
                return names[index]
            case Const(value):
                return str(value)
            case GlobalAddress(name, offset):
                return f"&{show_name(name)}" + (f"{offset:+d}" if offset else "")
            case FunctionAddress(name):
                return f"@{show_name(name)}"

    def list(self, operands: tuple[Operand, ...], names: list[str] | None = None) -> str:
        return ", ".join(self.operand(o, names) for o in operands)

    def observation(self, o: Observation) -> str:
        if isinstance(o.what, FinalRegister):
            what = f"register {show_name(o.what.thread)} {show_name(o.what.register)}"
        else:
            what = f"memory {show_name(o.what.object)} {o.what.offset} {o.what.size}"
        return f"observe {show_name(o.name)} = {what} width={o.width}" + " signed" * o.signed + " whole" * o.whole

    def condition(self, c: Condition) -> str:
        text = f"condition {_quoted(c.quantifier.value)} {self.formula(c.formula)}"
        return text + (f" filter {self.formula(c.filter)}" if c.filter is not None else "")

    def formula(self, formula: Formula) -> str:
        match formula:
            case Compare(left, op, right):
                other = show_name(right) if isinstance(right, str) else self.operand(right)
                return f"({show_name(left)} {op} {other})"
            case Not(inner):
                return f"(not {self.formula(inner)})"
            case And(parts):
                return f"(and{''.join(' ' + self.formula(p) for p in parts)})"
            case Or(parts):
                return f"(or{''.join(' ' + self.formula(p) for p in parts)})"
            case Truth(value):
                return "(true)" if value else "(false)"


def _attribute(value: object) -> str:
    if value is None:
        return "_"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, str | Position):
        return _quoted(str(value))
    return show_type(value) if isinstance(value, DataType) else str(value)


def jump_targets(instruction: Instruction) -> tuple[int, ...]:
    """Where an instruction can jump to."""
    found: list[int] = []
    for f in roles(type(instruction)):
        if f.metadata["role"] is Role.TARGET:
            found.append(getattr(instruction, f.name))
        elif f.metadata["role"] is Role.TARGETS:
            found.extend(getattr(instruction, f.name))
    return tuple(found)
