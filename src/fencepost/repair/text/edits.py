"""Changes of texts, and how they look as a patch."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import unified_diff
from typing import Protocol

from fencepost.program.instructions import FenceKind, Mode
from fencepost.program.operands import Position
from fencepost.records import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """The characters from `start` to `end` are replaced."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class OrderText:
    """Where the source gives an access its order. `key` tells two such places apart; `now` is the order that is
    written there, None where that cannot be told; `failure` is that of a compare-exchange that fails. `offers`: the
    steps that can be written there, where those are fewer than the access could have."""

    key: int
    now: Mode | None
    what: str = ""
    failure: Mode | None = None
    offers: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Declared:
    """Where a variable is declared (`offset`), as what, and how it is declared as an atomic one."""

    offset: int
    before: str
    after: str
    edits: tuple[Edit, ...]


class Language(Protocol):
    """What there is to know of the texts of one language."""

    marker: str  #: a full fence, as a statement; empty where only places in front of instructions are offered
    own_fences: bool  #: whether a text can name the fences of a machine

    def gaps(self, text: str) -> list[int]:
        """Where statements begin, so that a fence can be put in front."""

    def order_at(self, text: str, offset: int) -> OrderText | None:
        """The order of the access that the front end places at `offset`; None where it is not written there."""

    def with_order(self, text: str, place: OrderText, mode: Mode) -> list[Edit] | None:
        """The edits that give it this order; None where it cannot be written there."""

    def fence(self, text: str, kinds: Iterable[FenceKind]) -> str:
        """Fences, as statements."""

    def insertion(self, text: str, offset: int, statement: str) -> Edit:
        """The edit that puts a statement in front of what stands at `offset`."""

    def made_atomic(self, text: str, name: str) -> Declared | None:
        """How the plain variable or member of this name becomes atomic; None where its declaration is not here, or
        not one that can be changed for certain."""

    def fence_at(self, text: str, offset: int) -> tuple[int, int] | None:
        """From where to where the statement of a fence goes that the front end places at `offset`."""


def apply(text: str, edits: Iterable[Edit]) -> str:
    for edit in sorted(edits, key=lambda e: (e.start, e.end), reverse=True):
        text = text[: edit.start] + edit.new + text[edit.end :]
    return text


def insert_statement(text: str, offset: int, statement: str, separator: str) -> Edit:
    """On a line of its own where what follows begins a line, else in front of it."""
    start = text.rfind("\n", 0, offset) + 1
    indent = text[start:offset]
    if indent.strip():
        return Edit(offset, offset, f"{statement}{separator}")
    return Edit(offset, offset, f"{statement}\n{indent}")


def diff(file: str, before: str, after: str) -> str:
    """A unified diff that `patch -p1` and `git apply` take."""
    name = file.lstrip("/")
    lines = unified_diff(before.splitlines(True), after.splitlines(True), f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def offset_of(text: str, at: Position) -> int | None:
    """The character at a position. Compilers count bytes in a line; our own front ends count characters, which is the
    same wherever a line has no others before the place."""
    lines = text.splitlines(True)
    if not 1 <= at.line <= len(lines):
        return None
    line = lines[at.line - 1]
    column = len(line.encode()[: max(at.column - 1, 0)].decode("utf-8", "replace"))
    return sum(map(len, lines[: at.line - 1])) + column


def position_of(file: str, text: str, offset: int) -> Position:
    start = text.rfind("\n", 0, offset) + 1
    return Position(file, text.count("\n", 0, offset) + 1, offset - start + 1)


def written_at(text: str, at: Position, key: int) -> Position:
    """Where the order of what stands at a place is written: there, or in the macro that is used there."""
    written = position_of(at.file, text, key)
    return at if written.line == at.line else written


def matching(text: str, opening: int) -> int:
    """The bracket that closes the one at `opening`; the end of the text where there is none."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    depth = 0
    for i in range(opening, len(text)):
        if text[i] in pairs:
            depth += 1
        elif text[i] in pairs.values():
            depth -= 1
            if depth == 0:
                return i
    return len(text)
