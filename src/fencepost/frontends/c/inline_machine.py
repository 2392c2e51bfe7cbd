"""Inline assembly through the instruction tables that litmus tests use: an instruction has one meaning in the project.
The operands of a template become registers of the machine, its text is read by the machine's dialect, and the code
that comes out takes the place of the template."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import ClassVar

from fencepost.errors import InputError
from fencepost.frontends.assembly.code import Code, Typed
from fencepost.frontends.assembly.dialect import Dialect
from fencepost.frontends.c.body import Body
from fencepost.frontends.c.inline import Place, Template
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.frontends.scan import Source, Token, Tokens
from fencepost.program import instructions as ins
from fencepost.program.operands import Const, ConstantOperand, Operand, Reg
from fencepost.program.passes.rewrite import defined, map_operands, retarget

_OPERAND = re.compile(r"\$\$|\$(\d+)|\$\{(\d+)(?::(\w))?\}|\$\{:uid\}")
_LABEL = re.compile(r"^\s*(\d+):", re.MULTILINE)
_EXIT = "exit.{}"  # the names of the labels of the program
_WAY = ".way"  # a register that no machine has
_JUMP = re.compile(r"\b(\d+)([bf])\b")


class Machine:
    """How one machine writes the operands of a template. `registers`: names for operands, most natural first."""

    dialect: ClassVar[type[Dialect]]
    registers: ClassVar[tuple[str, ...]]
    idle: ClassVar[frozenset[str]] = frozenset({"nop"})
    separator: ClassVar[str] = r"[\n;]"
    comment: ClassVar[str] = r"//.*|/\*.*?\*/"
    uid = 0

    def __init__(self, b: Body, template: Template) -> None:
        self.b, self.template = b, template
        self.names = self._assign()

    def _assign(self) -> dict[int, str]:
        """The machine's register for each operand, by its number; operands that are one place share it."""
        taken = {self.asked(p.register) for p in self.template.places if p.register} | set(self._mentioned())
        free = iter(r for r in self.registers if r not in taken)
        of_place: dict[int, str] = {}
        found: dict[int, str] = {}
        for n, place in enumerate(self.template.places):
            known = of_place.get(id(place)) or (self.asked(place.register) if place.register else next(free, ""))
            if not known:
                raise Unsupported("inline assembly with more operands than registers")
            found[n] = of_place[id(place)] = known
        return found

    def asked(self, register: str) -> str:
        """The name of a register that a constraint asks for."""
        return register

    def _mentioned(self) -> list[str]:
        """Registers that the text names itself."""
        return [r for r in self.registers if re.search(rf"\b{r}\b", self.template.text)]

    def written(self, place: Place, name: str, modifier: str) -> str:
        """An operand as the machine's assembler wants it."""
        raise NotImplementedError

    # --- the code

    def run(self) -> None:
        code = self._read(self._text())
        registers = self._registers(code)
        labels: dict[int, int] = {}

        def label(target: int) -> int:
            return labels.setdefault(target, self.b.label()) if target not in labels else labels[target]

        body = [retarget(i, label) for i in code.instructions]
        for n, i in enumerate(body):
            if n in labels:
                self.b.mark(labels[n])
            if isinstance(i, ins.Return):
                if n + 1 < len(body):
                    raise Unsupported(f'a return in inline assembly "{self.template.text}"')
                break
            self.b.emit(replace(map_operands(i, lambda o: registers[o.index] if isinstance(o, Reg) else o), at=None))
            self.template.written.update(registers[r.index] for r in defined(i))
        self._share(dict(zip(code.registers, registers, strict=True)))

    def _share(self, registers: dict[str, Reg]) -> None:
        """Gives results their values whose machine register is an input's, too: `"=a"(old) : "a"(expected)`."""
        for n, place in enumerate(self.template.places):
            naming = self.dialect.naming(self.names[n])
            held = registers.get(naming.name) if naming is not None else None
            if place in self.template.results and held in self.template.written and held not in (None, place.value):
                assert held is not None and place.value is not None, "a result should have a register"
                self.b.move(place.value, held)
                self.template.written.add(place.value)

    def _registers(self, code: Code) -> list[Reg]:
        """The registers of the surrounding function, for those of the code."""
        given: dict[str, Operand] = {}
        for n, place in enumerate(self.template.places):
            own = place.value if place.address is None else place.address
            naming = self.dialect.naming(self.names[n])
            if own is not None and naming is not None:
                given[naming.name] = own
        found: list[Reg] = []
        for name in code.registers:
            value = given.get(name)
            if name == _WAY and self.template.way is not None:
                value = self.template.way
            if value is None or not isinstance(value, Reg):
                value = self._held(value)
            found.append(value)
        return found

    def _held(self, value: Operand | None) -> Reg:
        """A register with the value of a constant, or one that the template may use as it likes."""
        register = self.b.fresh("asm")
        if value is not None:
            self.b.move(register, value)
        return register

    def _read(self, text: str) -> Code:
        source = Source(text, "asm")
        code = Code(source, "asm", {}, _NoLocations())
        dialect = self.dialect(code)
        offset = 0
        try:
            for line in text.split("\n"):
                self._line(dialect, Tokens(source, offset, offset + len(line)), line)
                offset += len(line) + 1
            self._exits(code)
            self._flags(dialect)
            finished = code.finish()
        except InputError as problem:
            line = text.split("\n")[(problem.line or 1) - 1].strip()
            raise Unsupported(f'the instruction "{line}" of inline assembly "{self.template.text}"') from None
        code.instructions = list(finished.code)
        return code

    def _exits(self, code: Code) -> None:
        """The labels of the program that the template may jump to lie behind it, and note which one it was."""
        if self.template.way is None:
            return
        end = code.fresh_label()
        code.jump(end)
        for n in range(self.template.exits):
            code.label(Token("name", _EXIT.format(n), 0))
            code.move(code.register(_WAY), Const(n + 1))
            code.jump(end)
        code.label(end)

    def _flags(self, dialect: Dialect) -> None:
        """Gives operands that are the outcome of a condition their value."""
        for n, place in enumerate(self.template.places):
            if place.flag:
                naming = self.dialect.naming(self.names[n])
                assert naming is not None, "an operand should have the name of a register"
                dialect.code.move(dialect.code.register(naming.name), self.condition(dialect, place.flag))

    def condition(self, dialect: Dialect, name: str) -> Reg:
        raise Unsupported(f"the flag {name} as a result of inline assembly")

    def _line(self, dialect: Dialect, t: Tokens, line: str) -> None:
        while t.token.kind == "name" and t.peek().text == ":":
            dialect.code.label(t.next())
            t.next()
        if t.done or re.sub(r"\s*(,|\s)\s*", r"\1", line.strip().lower()) in self.idle:
            return
        dialect.instruction(t.name("an instruction"), t)
        t.finished("the end of the instruction")

    def _text(self) -> str:
        """The template with names for its operands and its labels, one instruction in a line."""
        Machine.uid += 1
        text = re.sub(self.comment, "", self.template.text)
        text = self.joined(_OPERAND.sub(self._operand, text))
        lines = [part.strip() for part in re.split(self.separator, text)]
        return _labelled("\n".join(self.prepared(line) for line in lines if line))

    def joined(self, text: str) -> str:
        """Brings together what is one instruction: assemblers may let a prefix stand alone."""
        return text

    def prepared(self, line: str) -> str:
        return line

    def _operand(self, found: re.Match[str]) -> str:
        if found.group() == "$$":
            return "$"
        if found.group() == "${:uid}":
            return str(Machine.uid)
        number = int(found[1] or found[2])
        if 0 <= (label := number - len(self.template.places)) < self.template.exits:
            return _EXIT.format(label)
        if number >= len(self.template.places):
            raise Unsupported(f"operand {number} of inline assembly")
        place = self.template.places[number]
        if place.constant is not None:
            return self.literal(place.constant)
        return self.written(place, self.names[number], found[3] or "")

    def literal(self, value: Const) -> str:
        return str(value.value)


class _NoLocations:
    """Inline assembly names no location by itself."""

    def __init__(self) -> None:
        self.symbols: dict[str, ConstantOperand] = {}
        self.locations: dict[str, Typed] = {}

    def location(self, name: str, offset: int) -> object:
        raise Unsupported(f"the symbol {name} in inline assembly")


def _labelled(text: str) -> str:
    """Numbered labels, which may stand several times, as names: `1b` is the last one before, `1f` the next one."""
    places = [(m.start(), m[1]) for m in _LABEL.finditer(text)]

    def target(m: re.Match[str]) -> str:
        back = [n for n, (at, name) in enumerate(places) if name == m[1] and at < m.start()]
        ahead = [n for n, (at, name) in enumerate(places) if name == m[1] and at > m.start()]
        chosen = back[-1:] if m[2] == "b" else ahead[:1]
        return f"local.{chosen[0]}" if chosen else m.group()

    text_with_jumps = _JUMP.sub(target, text)
    count = iter(range(len(places)))
    return _LABEL.sub(lambda _: f"local.{next(count)}:", text_with_jumps)
