"""A place in the tokens of a file, which remembers what it was asked for: that is what a mistake there lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeVar

from fencepost.errors import InputError
from fencepost.frontends.pseudo.mistakes import misplaced
from fencepost.frontends.pseudo.tokens import Token, tokens
from fencepost.program.operands import Position

_PartT = TypeVar("_PartT")


class Cursor:
    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self._tokens: list[Token] = []
        self._broken: InputError | None = None  # why there are no more tokens, for when they have all been taken
        try:
            self._tokens.extend(tokens(text, file))
        except InputError as error:
            self._broken = error
        self._index = -1
        self._tried: set[str] = set()  # what the current token was compared with
        self.kind = ""  # of the current token
        self.go_to(0)

    def position(self, token: Token) -> Position:
        return Position(self.file, token.line, token.column)

    def take(self) -> Token:
        token = self._tokens[self._index]
        self.go_to(self._index + 1)
        return token

    def go_to(self, index: int) -> None:
        """Goes to the token of that index."""
        if self._broken is not None and index >= len(self._tokens):
            raise self._broken
        self._index, self.kind = index, self._tokens[index].kind
        self._tried.clear()

    @property
    def index(self) -> int:
        return self._index

    def next_kind(self) -> str:
        return self._tokens[self._index + 1].kind if self._index + 1 < len(self._tokens) else "EOF"

    def at(self, kind: str) -> bool:
        if self.kind == kind:
            return True
        self._tried.add(kind)
        return False

    def at_one_of(self, kinds: frozenset[str]) -> bool:
        if self.kind in kinds:
            return True
        self.note(kinds)
        return False

    def note(self, kinds: frozenset[str]) -> None:
        """Remembers that one of these could stand here."""
        self._tried |= kinds

    def skip(self, kind: str) -> bool:
        """Whether the token is of the kind; then it is passed."""
        if self.at(kind):
            self.take()
            return True
        return False

    def expect(self, kind: str) -> Token:
        if not self.at(kind):
            self.refuse()
        return self.take()

    def refuse(self) -> NoReturn:
        raise misplaced(self._tokens[self._index], self._tried, self.file)

    def error(self, message: str, token: Token | Position, expected: str = "") -> InputError:
        return InputError(message, file=self.file, line=token.line, column=token.column, expected=expected)

    def separated(self, part: Callable[[], _PartT]) -> tuple[_PartT, ...]:
        """One part or more, with commas between them."""
        parts = [part()]
        while self.skip("COMMA"):
            parts.append(part())
        return tuple(parts)

    def in_parentheses(self, part: Callable[[], _PartT]) -> tuple[_PartT, ...]:
        """Any number of parts, with commas between them."""
        self.expect("LPAR")
        parts = () if self.at("RPAR") else self.separated(part)
        self.expect("RPAR")
        return parts
