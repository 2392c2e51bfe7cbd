"""Reads the text form that `printer` writes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import Enum
from typing import Any, NamedTuple, NoReturn, TypeAlias, TypeVar

from fencepost.errors import InputError
from fencepost.program.condition import (
    COMPARE_SYMBOLS,
    And,
    Compare,
    Condition,
    FinalMemory,
    FinalRegister,
    Formula,
    Not,
    Observable,
    Observation,
    Or,
    Quantifier,
    Truth,
)
from fencepost.program.datatypes import Array, DataType, Field, Scalar, Struct
from fencepost.program.instructions import INSTRUCTIONS, Instruction, Role, roles
from fencepost.program.operands import Const, ConstantOperand, FunctionAddress, GlobalAddress, Operand, Position, Reg
from fencepost.program.program import Arch, Function, Init, Object, Program, Thread
from fencepost.records import MISSING

E = TypeVar("E", bound=Enum)
_Values: TypeAlias = dict[str, Any]  # the fields of an instruction
_DIGITS = 64  # of a number: more than any that has a meaning
_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|\#[^\n]*) | (?P<newline>\n) | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<number>[+-]?\d+) | (?P<name>[A-Za-z_.$][A-Za-z0-9_.$]*) | (?P<symbol><=|>=|!=|[%&@!()=,{}\[\]:<>~-])""",
    re.VERBOSE,
)
_SCALAR = re.compile(r"(ptr)|([iuf])(8|16|32|64|128)\Z")
_MAX_DEPTH = 200


class _Token(NamedTuple):
    kind: str
    text: str
    line: int
    column: int


def read_program(text: str, file: str = "<text>") -> Program:
    """The Program that `text` denotes. Raises InputError with the place of the first mistake."""
    return _Reader(text, file).program()


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.tokens = list(self._tokens(text))
        self.index = 0
        self.files: dict[int, str] = {}

    # --- tokens

    def _tokens(self, text: str) -> Iterator[_Token]:
        line, start, at = 1, 0, 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise InputError(f"unexpected character {text[at]!r}", file=self.file, line=line, column=at - start + 1)
            kind = str(match.lastgroup)
            if kind != "space":
                yield _Token(kind, match.group(), line, at - start + 1)
            at = match.end()
            if kind == "newline":
                line, start = line + 1, at
        yield _Token("end", "the end of the text", line, at - start + 1)

    @property
    def token(self) -> _Token:
        return self.tokens[self.index]

    def fail(self, expected: str, token: _Token | None = None) -> NoReturn:
        t = token or self.token
        found = "the end of the line" if t.kind == "newline" else t.text
        raise InputError(f"found {found}", file=self.file, line=t.line, column=t.column, expected=expected)

    def next(self) -> _Token:
        token = self.token
        if token.kind != "end":
            self.index += 1
        return token

    def accept(self, text: str) -> bool:
        if self.token.text == text and self.token.kind in ("symbol", "name"):
            self.index += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            self.fail(f"'{text}'")

    def newlines(self) -> None:
        while self.token.kind == "newline":
            self.index += 1

    def line_end(self) -> None:
        if self.token.kind not in ("newline", "end"):
            self.fail("the end of the line")
        self.newlines()

    def number(self) -> int:
        if self.token.kind != "number":
            self.fail("a number")
        if len(self.token.text) > _DIGITS:
            self.fail("a number of at most 64 bits")
        return int(self.next().text)

    def string(self) -> str:
        if self.token.kind != "string":
            self.fail("a quoted string")
        token = self.next()
        try:
            return str(json.loads(token.text))
        except ValueError:
            self.fail("a string with valid escapes", token)

    def name(self) -> str:
        if self.token.kind == "string":
            return self.string()
        if self.token.kind != "name":
            self.fail("a name")
        return self.next().text

    def keyed(self, key: str) -> None:
        self.expect(key)
        self.expect("=")

    # --- the program

    def program(self) -> Program:
        self.newlines()
        if self.token.text != "program":
            self.fail("'program' (the text form of a Program starts with it)")
        self.next()
        name = self.string()
        self.keyed("arch")
        arch: Arch = self.enum(Arch)
        self.line_end()
        objects: list[Object] = []
        functions: list[Function] = []
        threads: list[Thread] = []
        observations: list[Observation] = []
        condition: Condition | None = None
        cuts: list[int] = []
        while self.token.kind != "end":
            token = self.next()
            match token.text:
                case "file":
                    number = self.number()
                    self.files[number] = self.string()
                case "global":
                    objects.append(self.object())
                case "function":
                    functions.append(self.function())
                case "thread":
                    threads.append(self.thread())
                case "observe":
                    observations.append(self.observation())
                case "condition":
                    condition = self.condition()
                case "cut":
                    cuts.append(self.number())
                    while self.accept(","):
                        cuts.append(self.number())
                case _:
                    self.fail("one of file, global, function, thread, observe, condition, cut", token)
            self.line_end()
        return Program(
            name, arch, tuple(objects), tuple(functions), tuple(threads), tuple(observations), condition, tuple(cuts)
        )

    def position(self) -> Position | None:
        if not self.accept("!"):
            return None
        token = self.token
        number = self.number()
        self.expect(":")
        line = self.number()
        self.expect(":")
        column = self.number()
        if number not in self.files:
            self.fail("the number of a file declared above", token)
        return Position(self.files[number], line, column)

    def enum(self, kind: type[E]) -> E:
        token = self.next()
        return self.enum_of(kind, token.text, token)

    def object(self) -> Object:
        name = self.name()
        self.keyed("size")
        size = self.number()
        self.keyed("align")
        align = self.number()
        local, constant = self.accept("thread_local"), self.accept("constant")
        init: list[Init] = []
        if self.accept("init"):
            self.expect("=")
            self.expect("(")
            while not self.accept(")"):
                offset = self.number()
                self.expect(":")
                length = self.number()
                self.expect(":")
                init.append(Init(offset, length, self.constant()))
                if not self.accept(",") and self.token.text != ")":
                    self.fail("',' or ')'")
        type_ = None
        if self.accept("type"):
            self.expect("=")
            type_ = self.datatype()
        return Object(name, size, align, tuple(init), local, constant, type_, self.position())

    def datatype(self, depth: int = 0) -> DataType:
        if depth > _MAX_DEPTH:
            self.fail(f"a type nested at most {_MAX_DEPTH} deep")
        if self.accept("["):
            count = self.number()
            self.expect("x")
            element = self.datatype(depth + 1)
            self.expect("]")
            return Array(element, count)
        if self.accept("{"):
            size = self.number()
            self.expect(":")
            members: list[Field] = []
            while not self.accept("}"):
                name, offset = self.name(), self.number()
                members.append(Field(name, offset, self.datatype(depth + 1)))
                if not self.accept(",") and self.token.text != "}":
                    self.fail("',' or '}'")
            return Struct(tuple(members), size)
        match = _SCALAR.match(self.token.text)
        if match is None:
            self.fail("a type: i8..i64, u8..u64, f32, f64, ptr, [N x TYPE] or {SIZE: NAME OFFSET TYPE, ...}")
        self.next()
        return Scalar("p", 8) if match.group(1) else Scalar(match.group(2), int(match.group(3)) // 8)

    def thread(self) -> Thread:
        name = self.name()
        self.expect("=")
        function = self.name()
        self.expect("(")
        return Thread(name, function, tuple(self.constant() for _ in self.items()))

    def items(self) -> Iterator[None]:
        """Yields once per item of a list whose '(' is read already; the caller reads the item."""
        if self.accept(")"):
            return
        while True:
            yield None
            if self.accept(")"):
                return
            if not self.accept(","):
                self.fail("',' or ')'")

    def constant(self) -> ConstantOperand:
        token = self.token
        operand = self.operand({})
        if operand is None or isinstance(operand, Reg):
            self.fail("a number, &object or @function", token)
        return operand

    def operand(self, registers: dict[str, int]) -> Operand | None:
        token = self.token
        if token.kind == "number":
            return Const(self.number())
        if self.accept("_"):
            return None
        if self.accept("%"):
            return self.register(registers)
        if self.accept("&"):
            name = self.name()
            signed_number = self.token.kind == "number" and self.token.text[0] in "+-"
            return GlobalAddress(name, self.number() if signed_number else 0)
        if self.accept("@"):
            return FunctionAddress(self.name())
        self.fail("an operand: a number, %register, &object or @function")

    def register(self, registers: dict[str, int]) -> Reg:
        token = self.token
        name = self.name()
        if name not in registers:
            self.fail("a register that the function declares", token)
        return Reg(registers[name])

    # --- functions

    def function(self) -> Function:
        name = self.name()
        names: list[str] = []
        self.expect("(")
        for _ in self.items():
            self.expect("%")
            names.append(self.name())
        parameters = len(names)
        variadic = self.accept("variadic")
        if self.accept("registers"):
            self.expect("(")
            for _ in self.items():
                self.expect("%")
                names.append(self.name())
        at = self.position()
        self.expect("{")
        self.line_end()
        registers = {n: i for i, n in enumerate(names)}
        labels: dict[str, int] = {}
        uses: list[_Token] = []
        drafts: list[tuple[type[Instruction], _Values]] = []
        while not self.accept("}"):
            following = self.tokens[min(self.index + 1, len(self.tokens) - 1)]
            if self.token.kind == "name" and following.text == ":":
                labels[self.next().text] = len(drafts)
                self.next()
            else:
                drafts.append(self.instruction(registers, uses))
            self.line_end()
        for use in uses:
            if use.text not in labels:
                self.fail("a label of this function", use)
        code = tuple(kind(**_resolve(kind, values, labels)) for kind, values in drafts)
        return Function(name, tuple(names), parameters, code, variadic, at)

    def instruction(self, registers: dict[str, int], uses: list[_Token]) -> tuple[type[Instruction], _Values]:
        defined: list[Reg | None] = []
        first = self.token
        if first.text in ("%", "_"):
            while True:
                if self.accept("_"):
                    defined.append(None)
                else:
                    self.expect("%")
                    defined.append(self.register(registers))
                if not self.accept(","):
                    break
            self.expect("=")
        token = self.next()
        kind = INSTRUCTIONS.get(token.text)
        if kind is None:
            self.fail("an instruction: " + ", ".join(INSTRUCTIONS), token)
        values: _Values = {}
        defines = [f for f in roles(kind) if f.metadata["role"] is Role.DEFINE]
        if len(defines) != len(defined):
            self.fail(f"{len(defines)} register(s) before '=' for {kind.mnemonic}", first)
        for f, register in zip(defines, defined, strict=True):
            values[f.name] = register
        operands = [f for f in roles(kind) if f.metadata["role"] not in (Role.DEFINE, Role.ATTRIBUTE)]
        for index, f in enumerate(operands):
            if f.default is not MISSING and (self.token.kind in ("newline", "end") or self.token.text == "!"):
                values[f.name] = f.default
                continue
            if index:
                self.expect(",")
            values[f.name] = self.field(f.metadata["role"], registers, uses)
        self.attributes(kind, values)
        values["at"] = self.position()
        return kind, values

    def field(self, role: Role, registers: dict[str, int], uses: list[_Token]) -> Any:
        match role:
            case Role.USE:
                return self.operand(registers)
            case Role.USES:
                self.expect("(")
                return tuple(self.operand(registers) for _ in self.items())
            case Role.TARGET:
                return self.label(uses)
            case _:
                self.expect("(")
                return tuple(self.label(uses) for _ in self.items())

    def label(self, uses: list[_Token]) -> str:
        uses.append(self.token)
        if self.token.kind != "name":
            self.fail("a label")
        return self.next().text

    def attributes(self, kind: type[Instruction], values: _Values) -> None:
        attributes = {f.name: f for f in roles(kind) if f.metadata["role"] is Role.ATTRIBUTE}
        while self.token.kind == "name":
            token = self.next()
            if token.text not in attributes or token.text in values:
                self.fail("an attribute of " + kind.mnemonic + ": " + ", ".join(attributes), token)
            self.expect("=")
            values[token.text] = self.attribute(attributes[token.text].metadata["type"])
        for name, f in attributes.items():
            if name not in values:
                if f.default is MISSING:
                    self.fail(f"{name}=...")
                values[name] = f.default

    def attribute(self, type_: Any) -> Any:
        if type_ is DataType:
            return None if self.accept("_") else self.datatype()
        if type_ is bool:
            if self.token.text not in ("true", "false"):
                self.fail("true or false")
            return self.next().text == "true"
        if type_ is int:
            return self.number()
        if type_ is str:
            return self.string()
        if type_ is Position:
            return None if self.accept("_") else self.place()
        return self.hyphenated_enum(type_)

    def place(self) -> Position:
        """A position in one string: FILE:LINE or FILE:LINE:COLUMN."""
        token = self.token
        found = re.fullmatch(r"(?s)(.*?):(\d+)(?::(\d+))?", self.string())
        if found is None:
            self.fail('a position like "file.c:3:1"', token)
        return Position(found.group(1), int(found.group(2)), int(found.group(3) or 0))

    def hyphenated_enum(self, kind: type[E]) -> E:
        """Enum values may contain '-' (`use-after-free`): join the tokens that touch each other."""
        token = self.next()
        text, end = token.text, token.column + len(token.text)
        while self.token.line == token.line and self.token.column == end and self.token.kind in ("name", "symbol"):
            end += len(self.token.text)
            text += self.next().text
        return self.enum_of(kind, text, token)

    def enum_of(self, kind: type[E], text: str, token: _Token) -> E:
        for member in kind:
            if member.value == text:
                return member
        self.fail("one of " + ", ".join(str(m.value) for m in kind), token)

    # --- the question

    def observation(self) -> Observation:
        name = self.name()
        self.expect("=")
        what: Observable
        if self.accept("register"):
            thread = self.name()
            what = FinalRegister(thread, self.name())
        else:
            self.expect("memory")
            object_, offset = self.name(), self.number()
            what = FinalMemory(object_, offset, self.number())
        self.keyed("width")
        width = self.number()
        return Observation(name, what, width, self.accept("signed"), self.accept("whole"))

    def condition(self) -> Condition:
        token = self.token
        quantifier = self.enum_of(Quantifier, self.string(), token)
        formula = self.formula()
        return Condition(quantifier, formula, self.formula() if self.accept("filter") else None)

    def formula(self, depth: int = 0) -> Formula:
        if depth > _MAX_DEPTH:
            self.fail(f"a formula nested at most {_MAX_DEPTH} deep")
        self.expect("(")
        operator = self.token.text
        following = self.tokens[min(self.index + 1, len(self.tokens) - 1)].text
        if self.token.kind == "name" and following in ("(", ")") and operator in ("and", "or", "not", "true", "false"):
            self.next()
            parts: list[Formula] = []
            while not self.accept(")"):
                parts.append(self.formula(depth + 1))
            match operator:
                case "and":
                    return And(tuple(parts))
                case "or":
                    return Or(tuple(parts))
                case "not":
                    if len(parts) != 1:
                        self.fail("one formula inside 'not'")
                    return Not(parts[0])
                case _:
                    return Truth(operator == "true")
        left = self.name()
        if self.token.text not in COMPARE_SYMBOLS:
            self.fail("one of " + " ".join(COMPARE_SYMBOLS))
        op = self.next().text
        right = self.name() if self.token.kind in ("name", "string") else self.constant()
        self.expect(")")
        return Compare(left, op, right)


def _resolve(kind: type[Instruction], values: _Values, labels: dict[str, int]) -> _Values:
    """Replaces label names by indices."""
    for f in roles(kind):
        if f.metadata["role"] is Role.TARGET:
            values[f.name] = labels[values[f.name]]
        elif f.metadata["role"] is Role.TARGETS:
            values[f.name] = tuple(labels[label] for label in values[f.name])
    return values
