"""A module of LLVM IR, cut into its parts. Function bodies are only read when somebody asks: of a C++ program that uses
the standard library most functions are never reached."""

from __future__ import annotations

import re
from dataclasses import field
from functools import cached_property
from typing import NamedTuple

from fencepost.errors import InputError
from fencepost.frontends.c.llvm.debug import Debug
from fencepost.frontends.c.llvm.tokens import Cursor, plain_name, tokenize
from fencepost.frontends.c.llvm.types import FunctionType, Type, TypeTable
from fencepost.records import dataclass

_LABEL = re.compile(r'([-\w$.]+|"(?:[^"\\]|\\.)*"):')
_DBG = re.compile(r"!dbg !(\d+)")
_LOOP = re.compile(r"!llvm\.loop !(\d+)")  # on the jumps back to a header
_TYPE_START = re.compile(r"(i\d+|ptr|void|float|double|half|bfloat|x86_fp80|fp128|label|metadata|token|%.*|\[|\{|<)\Z")
_CONTINUES = ("to label ", "cleanup,", "catch ", "filter ")


@dataclass(slots=True)
class Inst:
    """One instruction: the cursor stands behind its opcode."""

    result: str | None
    op: str
    cursor: Cursor
    dbg: int | None
    line: int  # in the IR


@dataclass(slots=True)
class BasicBlock:
    label: str
    instructions: list[Inst]


@dataclass(slots=True)
class Parameter:
    type: Type
    name: str
    byval: Type | None = None


@dataclass
class IrFunction:
    """A definition or a declaration. `lines` are its body, unread."""

    module: Module
    name: str
    header: str
    lines: list[str] | None
    first: int = 0  # the line of the IR where the body begins

    @cached_property
    def _head(self) -> tuple[Type, list[Parameter], bool, int | None]:
        c = Cursor(tokenize(self.header), self.module.file, 1)
        skip_attributes(c)
        result = self.module.types.parse(c)
        c.next()
        parameters, variadic = self._parameters(c)
        found = _DBG.search(self.header)
        return result, parameters, variadic, int(found.group(1)) if found else None

    def _parameters(self, c: Cursor) -> tuple[list[Parameter], bool]:
        parameters: list[Parameter] = []
        variadic = False
        c.expect("(")
        while not c.accept(")"):
            if c.accept("..."):
                variadic = True
                continue
            type_ = self.module.types.parse(c)
            byval = argument_attributes(c, self.module.types).byval
            name = plain_name(c.next()) if c.token.startswith("%") else str(len(parameters))
            parameters.append(Parameter(type_, name, byval))
            c.accept(",")
        return parameters, variadic

    @property
    def result(self) -> Type:
        return self._head[0]

    @property
    def parameters(self) -> list[Parameter]:
        return self._head[1]

    @property
    def variadic(self) -> bool:
        return self._head[2]

    @property
    def dbg(self) -> int | None:
        return self._head[3]

    @property
    def type(self) -> FunctionType:
        return FunctionType(self.result, tuple(p.type for p in self.parameters), self.variadic)

    def blocks(self) -> list[BasicBlock]:
        unnamed = sum(p.name.isdigit() for p in self.parameters)
        current = BasicBlock(str(unnamed), [])
        blocks = [current]
        for number, line in _logical(self.lines or [], self.first):
            label = _LABEL.match(line)
            if label is not None and line[0] not in "%!#":
                name = label.group(1)
                current = BasicBlock(plain_name("%" + name), [])
                blocks.append(current)
            elif line[0] != "#":
                current.instructions.append(self._instruction(line, number))
        return [b for b in blocks if b.instructions]

    def _instruction(self, line: str, at: int) -> Inst:
        tokens = tokenize(line)
        dbg = _DBG.search(line)
        number = int(dbg.group(1)) if dbg else None
        if tokens[0] == "br" and (loop := _LOOP.search(line)):
            number = self.module.debug.loop(int(loop.group(1)), number)
        if len(tokens) > 2 and tokens[1] == "=" and tokens[0][0] == "%":
            return Inst(plain_name(tokens[0]), tokens[2], Cursor(tokens, self.module.file, 3), number, at)
        return Inst(None, tokens[0], Cursor(tokens, self.module.file, 1), number, at)


def _logical(lines: list[str], first: int) -> list[tuple[int, str]]:
    """Lines with their numbers; the ones that continue an instruction are joined to it."""
    found: list[str] = []
    numbers: list[int] = []
    in_switch = False
    for number, raw in enumerate(lines, first):
        line = raw.strip()
        if not line or line[0] == ";":
            continue
        if in_switch or line == "cleanup" or line.startswith(_CONTINUES):
            found[-1] += " " + line
            in_switch = in_switch and line[0] != "]"
        else:
            found.append(line)
            numbers.append(number)
            in_switch = line.startswith("switch ") and line.endswith("[")
    return list(zip(numbers, found, strict=True))


def skip_attributes(c: Cursor) -> None:
    """Skips linkage, calling conventions and attributes up to a type."""
    while c.token and not _TYPE_START.match(c.token):
        c.next()
        c.skip_group()


_CONSTANT_WORDS = frozenset({
    "true", "false", "null", "undef", "poison", "zeroinitializer", "none", "getelementptr", "bitcast", "inttoptr",
    "ptrtoint", "ptrtoaddr", "addrspacecast", "trunc", "zext", "sext", "add", "sub", "mul", "and", "or", "xor", "shl",
    "lshr", "icmp", "select", "asm", "blockaddress", "dso_local_equivalent", "no_cfi", "splat", "extractelement",
    "insertelement", "fcmp",
})  # fmt: skip


def is_attribute(token: str) -> bool:
    return (token[:1].isalpha() or token[:1] in ('"', "#")) and token not in _CONSTANT_WORDS and token[:2] != 'c"'


class Attributes(NamedTuple):
    """What we want to know of the attributes of an argument."""

    byval: Type | None
    align: int


def argument_attributes(c: Cursor, types: TypeTable) -> Attributes:
    """Skips the attributes between the type of an argument and its value."""
    byval: Type | None = None
    align = 1
    while c.token and is_attribute(c.token):
        word = c.next()
        if word in ("byval", "inalloca") and c.token == "(":
            byval = types.parse(Cursor(c.tokens, c.file, c.at + 1))
        if c.token == "(":
            c.skip_group()
        elif word in ("align", "dereferenceable", "dereferenceable_or_null") and c.token.isdigit():
            number = int(c.next())
            align = number if word == "align" else align
        elif c.token == "=":
            c.next()
            c.next()
    return Attributes(byval, align)


@dataclass
class IrGlobal:
    """A global variable; the cursor stands at its type. `cursor` is None once the initialiser is not known here."""

    name: str
    type: Type
    initialiser: Cursor | None
    constant: bool
    thread_local: bool
    align: int
    dbg: int | None
    module: Module


@dataclass
class Module:
    file: str
    types: TypeTable = field(default_factory=TypeTable)
    functions: dict[str, IrFunction] = field(default_factory=dict)
    global_lines: dict[str, str] = field(default_factory=dict)
    metadata: dict[int, str] = field(default_factory=dict)
    triple: str = ""  # the machine that it was compiled for
    nounwind: set[str] = field(default_factory=set)  # attribute groups of what never throws, as `#3`
    _globals: dict[str, IrGlobal | str] = field(default_factory=dict)

    @cached_property
    def debug(self) -> Debug:
        return Debug(self.metadata)

    def global_(self, name: str) -> IrGlobal | str | None:
        """A global, or the name of what an alias stands for."""
        if name not in self._globals and name in self.global_lines:
            self._globals[name] = self._read_global(name, self.global_lines[name])
        return self._globals.get(name)

    def _read_global(self, name: str, line: str) -> IrGlobal | str:
        c = Cursor(tokenize(line), self.file)
        words: list[str] = []
        while c.token not in ("global", "constant", "alias", "ifunc"):
            if not c.token:
                raise InputError(f"cannot read this LLVM IR: `{line[:200]}`", file=self.file)
            words.append(c.next())
            c.skip_group()
        kind = c.next()
        if kind in ("alias", "ifunc"):
            self.types.parse(c)
            c.expect(",")
            self.types.parse(c)
            return plain_name(next(t for t in c.tokens[c.at :] if t[0] == "@"))
        type_ = self.types.parse(c)
        external = c.token in ("", ",") or "external" in words or "extern_weak" in words
        align = re.search(r", align (\d+)", line)
        dbg = _DBG.search(line)
        return IrGlobal(
            name, type_, None if external else c, kind == "constant", "thread_local" in words,
            int(align.group(1)) if align else max(1, type_.align), int(dbg.group(1)) if dbg else None, self,
        )  # fmt: skip


_GLOBAL = re.compile(r'@([-\w$.]+|"(?:[^"\\]|\\.)*") = ')
_HEADER = re.compile(r"^(?:source_filename|target \w+) = ", re.MULTILINE)  # what compilers write for an empty file, too
_NAMED_TYPE = re.compile(r'%([-\w$.]+|"(?:[^"\\]|\\.)*") = type ')
_NUMBERED = re.compile(r"!(\d+) = ")
_FUNCTION_NAME = re.compile(r'@([-\w$.]+|"(?:[^"\\]|\\.)*")\(')


def read_module(text: str, file: str) -> Module:
    """Cuts the text of a module into its parts. Raises InputError where it is none."""
    module = Module(file)
    lines = text.split("\n")
    named_types: list[tuple[str, str]] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        match line[:1]:
            case "@":
                found = _GLOBAL.match(line)
                if found:
                    module.global_lines[plain_name("@" + found.group(1))] = line[found.end() :]
            case "d" if line.startswith(("define ", "declare ")):
                at = _function(module, lines, at)
            case "%":
                found = _NAMED_TYPE.match(line)
                if found:
                    named_types.append((plain_name("%" + found.group(1)), line[found.end() :]))
            case "t" if line.startswith("target triple = "):
                module.triple = line.split('"')[1]
            case "a" if line.startswith("attributes ") and " nounwind " in line:
                module.nounwind.add(line.split()[1])
            case "!":
                found = _NUMBERED.match(line)
                if found:
                    module.metadata[int(found.group(1))] = line[found.end() :]
    if not module.functions and not module.global_lines and not _HEADER.search(text):
        raise InputError("this is not LLVM IR: it defines nothing", file=file, line=1)
    for name, body in named_types:
        module.types.define(name, Cursor(tokenize(body), file))
    return module


def _function(module: Module, lines: list[str], at: int) -> int:
    """Takes the function whose header is the line before `at`; returns the line behind it."""
    header = lines[at - 1]
    found = _FUNCTION_NAME.search(header)
    if found is None:
        raise InputError(f"cannot read this LLVM IR: `{header[:200]}`", file=module.file, line=at)
    name = plain_name("@" + found.group(1))
    if header.startswith("declare"):
        module.functions.setdefault(name, IrFunction(module, name, header, None))
        return at
    end = at
    while end < len(lines) and lines[end] != "}":
        end += 1
    module.functions[name] = IrFunction(module, name, header, lines[at:end], at + 1)
    return end + 1
