"""Tokens with places, and the mistakes that are reported at them: the part that every litmus dialect shares."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from fencepost.errors import InputError
from fencepost.program.operands import Position

_TOKEN = re.compile(
    r"""\s* (?: (?P<string>"(?:[^"\\\n]|\\.)*") | (?P<number>0[xX][0-9a-fA-F]+|\d+)(?:[uUlL]+\b)?
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*\.?)
      | (?P<symbol>/\\|\\/|<<=|>>=|=>|==|!=|<>|<=|>=|&&|\|\||<<|>>|\+\+|--|[-+*/%&|^]=|->
      |[][+*/%&|^~!<>=(){},;:.\#$@?-]) | \Z)""",
    re.VERBOSE,
)


class Token(NamedTuple):
    """`kind` is name, number, string, symbol or end; `offset` counts characters from the start of the file."""

    kind: str
    text: str
    offset: int


_DIGITS = 64  # of a number: more than 64 bits in any base
_LONGEST = 200  # characters of a message: what was found may be a file of its own


class Source:
    """The text of one file; comments are blanked out, so that offsets stay those of the file. `written` keeps them."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file, self.written = text, file, text
        self.starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def at(self, offset: int) -> Position:
        line = bisect_right(self.starts, offset)
        return Position(self.file, line, offset - self.starts[line - 1] + 1)

    def fail(self, offset: int, message: str, expected: str = "", hint: str = "") -> NoReturn:
        at = self.at(min(offset, len(self.text)))
        message = message if len(message) <= _LONGEST else f"{message[:_LONGEST]}..."
        raise InputError(message, file=at.file, line=at.line, column=at.column, expected=expected, hint=hint)

    def blank(self, start: int, end: int) -> None:
        """Replaces a stretch by spaces, keeping its line breaks."""
        kept = "".join(c if c == "\n" else " " for c in self.text[start:end])
        self.text = self.text[:start] + kept + self.text[end:]

    def blank_nested_comment(self, start: int) -> int:
        """Blanks the `(* ... *)` that starts here, comments inside it included; returns where it ended."""
        depth = 0
        for mark in re.finditer(r"\(\*|\*\)", self.text[start:]):
            depth += 1 if mark.group() == "(*" else -1
            if depth == 0:
                self.blank(start, start + mark.end())
                return start + mark.end()
        self.fail(start, "found a comment '(*' that never ends", expected="'*)'")


class Tokens:
    """A stretch of a source, token by token, with the usual accept and expect."""

    def __init__(self, source: Source, start: int, end: int) -> None:
        self.source, self.index, self.stop = source, 0, end
        self.list: list[Token] = []
        match, at = _TOKEN.match, start
        while (found := match(source.text, at, end)) is not None and (kind := found.lastgroup) is not None:
            self.list.append(Token(kind, found[kind], found.start(kind)))
            at = found.end()
        if found is None:
            at = end - len(source.text[at:end].lstrip())
            source.fail(at, f"found {source.text[at]!r}, a character that means nothing here")
        self.list.append(Token("end", "", end))

    @property
    def token(self) -> Token:
        return self.list[self.index]

    def peek(self, ahead: int = 1) -> Token:
        return self.list[min(self.index + ahead, len(self.list) - 1)]

    @property
    def done(self) -> bool:
        return self.token.kind == "end"

    def next(self) -> Token:
        token = self.list[self.index]
        if token.kind != "end":
            self.index += 1
        return token

    def at(self, *texts: str) -> bool:
        token = self.list[self.index]
        return token.text in texts and token.kind in ("symbol", "name")

    def accept(self, *texts: str) -> bool:
        token = self.list[self.index]
        if token.text in texts and token.kind in ("symbol", "name"):
            self.index += 1
            return True
        return False

    def expect(self, text: str, instead: str = "") -> Token:
        token = self.list[self.index]
        if token.text != text or token.kind not in ("symbol", "name"):
            self.fail(instead or f"'{text}'")
        self.index += 1
        return token

    def name(self, expected: str = "a name") -> Token:
        token = self.list[self.index]
        if token.kind != "name":
            self.fail(expected)
        self.index += 1
        return token

    def number(self, expected: str = "a number") -> int:
        """A number, with its sign."""
        negative = self.accept("-")
        if not negative:
            self.accept("+")
        if self.token.kind != "number":
            self.fail(expected)
        if len(self.token.text) > _DIGITS:
            self.fail("a number of at most 64 bits")
        text = self.next().text
        value = int(text, 16 if text[:2].lower() == "0x" else 10)
        return -value if negative else value

    def finished(self, expected: str) -> None:
        if not self.done:
            self.fail(expected)

    def separated(self, read: Callable[[], None], separator: str, until: str) -> None:
        """Reads items up to `until`, which it leaves; a separator may also stand at the end."""
        while not self.at(until) and not self.done:
            read()
            if not self.accept(separator) and not self.at(until):
                self.fail(f"'{separator}' or '{until}'")

    def fail(self, expected: str, hint: str = "", token: Token | None = None) -> NoReturn:
        t = token or self.token
        found = self._end() if t.kind == "end" else f"found {t.text!r}" if "'" in t.text else f"found '{t.text}'"
        self.source.fail(t.offset, found, expected, hint)

    def _end(self) -> str:
        rest = self.source.text[self.stop : self.stop + 1]
        return f"found '{rest}'" if rest.strip() else "found the end of the file" if not rest else "found the end"
