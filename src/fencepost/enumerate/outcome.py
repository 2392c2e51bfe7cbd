"""An outcome as a person writes it: `0:r1=1 /\\ x=2`, also with `&&`, `,`, `\\/`, `||`, `~`, `!`, `==`, `!=` and
parentheses. A register is `THREAD:REGISTER` with the thread's name or number; a location is the name of a global."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import get_close_matches
from typing import NoReturn

from fencepost.errors import InputError, UsageError
from fencepost.program.condition import (
    And,
    Compare,
    FinalMemory,
    FinalRegister,
    Formula,
    Not,
    Observation,
    Or,
    Quantifier,
)
from fencepost.program.operands import Const
from fencepost.program.program import Program

_TOKEN = re.compile(
    r"\s*(?:(?P<and>/\\|&&|,)|(?P<or>\\/|\|\|)|(?P<compare>==|!=|<>|<=|>=|=|<|>)|(?P<not>~|!)|(?P<open>\()|(?P<close>\))"
    r"|(?P<number>-?(?:0x[0-9a-fA-F]+|[0-9]+)(?![:\w]))|(?P<name>[A-Za-z0-9_$%.#]+(?::[A-Za-z0-9_$%.]+)?(?:\[[0-9]+\])?))"
)
_OPERATOR = {"==": "=", "<>": "!="}
_DIGITS = 64  # of a number: more than 64 bits in any base
FILE = "--outcome"


def parse_outcome(text: str, program: Program) -> tuple[Program, Formula]:
    """The formula, and the program observing everything that it names."""
    parser = _Parser(text, program)
    formula = parser.disjunction()
    if parser.kind != "end":
        parser.fail("'/\\' , '\\/' or the end")
    return replace(program, observations=tuple(parser.observations.values())), formula


def asked_outcome(program: Program) -> Formula:
    """The states that the program's own condition is about: for `forall` those that would refute it."""
    condition = program.condition
    if condition is None:
        raise UsageError("the program has no condition: say which outcome to explain with --outcome")
    return Not(condition.formula) if condition.quantifier is Quantifier.FORALL else condition.formula


class _Parser:
    def __init__(self, text: str, program: Program) -> None:
        self.text, self.program, self.offset = text, program, 0
        self.observations = {o.name: o for o in program.observations}
        self.kind = self.word = ""
        self.start = 0
        self.advance()

    def advance(self) -> str:
        before, self.start = self.word, self.offset
        rest = self.text[self.offset :]
        if not rest.strip():
            self.kind, self.word = "end", ""
            return before
        match = _TOKEN.match(self.text, self.offset)
        if match is None:
            self.start = self.offset + len(rest) - len(rest.lstrip())
            self.word = rest.lstrip()[0]
            self.fail("a register, a location, a comparison or a connective")
        self.kind = match.lastgroup or ""
        self.word = match.group(self.kind)
        self.start, self.offset = match.start(self.kind), match.end()
        return before

    def fail(self, expected: str, hint: str = "") -> NoReturn:
        found = f"'{self.word[:200]}'" if self.word else "the end"
        raise InputError(f"found {found}", file=FILE, line=1, column=self.start + 1, expected=expected, hint=hint)

    def disjunction(self) -> Formula:
        parts = [self.conjunction()]
        while self.kind == "or":
            self.advance()
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def conjunction(self) -> Formula:
        parts = [self.literal()]
        while self.kind == "and":
            self.advance()
            parts.append(self.literal())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def literal(self) -> Formula:
        if self.kind == "not":
            self.advance()
            return Not(self.literal())
        if self.kind == "open":
            self.advance()
            inner = self.disjunction()
            if self.kind != "close":
                self.fail("')'")
            self.advance()
            return inner
        if self.kind != "name":
            self.fail("a register such as 0:r1 or a location such as x")
        left = self.observed()
        if self.kind != "compare":
            self.fail("a comparison such as =", "write: 0:r1=1 /\\ x=2")
        op = _OPERATOR.get(self.word, self.word)
        self.advance()
        if self.kind == "number":
            return Compare(left, op, self.number())
        if self.kind != "name":
            self.fail("a number, a register or a location")
        return Compare(left, op, self.observed())

    def number(self) -> Const:
        if len(self.word) > _DIGITS:
            self.fail("a number of at most 64 bits")
        return Const(int(self.advance(), 0))

    def observed(self) -> str:
        name = self.word
        if name in self.observations:
            self.advance()
            return name
        found = self.register(name) if ":" in name else self.memory(name)
        if found is None:
            known = [*self.observations, *(o.name for o in self.program.objects)]
            close = get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"the program observes {', '.join(known)}"
            self.fail("a register or a location of the program", hint)
        self.advance()
        self.observations[name] = Observation(name, found)
        return name

    def register(self, name: str) -> FinalRegister | None:
        which, _, register = name.partition(":")
        threads = self.program.threads
        thread = next((t for i, t in enumerate(threads) if which in (t.name, str(i), f"P{i}")), None)
        if thread is None or register not in self.program.function(thread.function).registers:
            return None
        return FinalRegister(thread.name, register)

    def memory(self, name: str) -> FinalMemory | None:
        base, _, index = name.removesuffix("]").partition("[")
        o = next((o for o in self.program.objects if o.name == base), None)
        if o is None:
            return None
        size = min(o.size, 8)
        offset = int(index[:_DIGITS] or 0) * size
        return FinalMemory(o.name, offset, size) if offset + size <= o.size else None
