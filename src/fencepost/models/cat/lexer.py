"""Text of a cat file to tokens with their places.

herd's comments nest and Dartagnan's do not, so `(* (* *)` is a complete comment for one of them only. A comment is
read as nesting; where that would run to the end of the file it ends at its first `*)`. `/* */` does not nest; `//`
(both Dartagnan's) and `#` (old herd files) reach to the end of the line.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from fencepost.errors import InputError
from fencepost.program.operands import Position
from fencepost.records import dataclass

KEYWORDS = frozenset({
    "let", "rec", "and", "in", "fun", "match", "with", "end", "try", "if", "then", "else", "not", "from", "include",
    "acyclic", "irreflexive", "empty", "as", "flag", "show", "unshow", "undefined_unless", "assert", "when",
    "procedure", "call", "forall", "foreach", "do", "enum", "instructions", "default", "catdep",
})  # fmt: skip

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+|//[^\n]*|\#[^\n]*)
      | (?P<name>[A-Za-z][A-Za-z0-9_.]*(?:-+[A-Za-z0-9_.]+)*'*|_[A-Za-z0-9][A-Za-z0-9_.-]*)
      | (?P<tag>'[A-Za-z][A-Za-z0-9_.-]*)
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<op>\^\s*-1|\^[+*?]|\+\+|\|\||&&|->|[|&\\;+*?~=()\[\]{},0_<:])
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """kind is name, tag, string, op, keyword or end; text is what to compare with and to show."""

    kind: str
    text: str
    at: Position

    def __str__(self) -> str:
        return "the end of the file" if self.kind == "end" else f"'{self.text}'"


def tokenize(text: str, file: str) -> list[Token]:
    """All tokens, the last of kind `end`."""
    starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def place(offset: int) -> Position:
        line = bisect_right(starts, offset)
        return Position(file, line, offset - starts[line - 1] + 1)

    tokens: list[Token] = []
    offset = 0
    while offset < len(text):
        if text.startswith("(*", offset):
            offset = _skip_comment(text, offset, place(offset))
            continue
        if text.startswith("/*", offset):
            offset = _first_end(text, offset, "*/", place(offset))
            continue
        match = _TOKEN.match(text, offset)
        if match is None:
            raise _unreadable(text, offset, place(offset))
        kind, word = match.lastgroup or "", match.group()
        if kind == "name" and word in KEYWORDS:
            kind = "keyword"
        if kind == "op" and word.startswith("^"):
            word = "^-1" if word.endswith("1") else word[1:]
        if kind != "space":
            tokens.append(Token(kind, word, place(offset)))
        offset = match.end()
    return [*tokens, Token("end", "", place(len(text)))]


def _skip_comment(text: str, start: int, at: Position) -> int:
    depth = 0
    for mark in re.finditer(r"\(\*|\*\)", text[start:]):
        depth += 1 if mark.group() == "(*" else -1
        if depth == 0:
            return start + mark.end()
    return _first_end(text, start, "*)", at)


def _first_end(text: str, start: int, mark: str, at: Position) -> int:
    first = text.find(mark, start + 2)
    if first < 0:
        raise InputError(
            "a comment that never ends", file=at.file, line=at.line, column=at.column, expected=f"'{mark}'",
            hint="close the comment that opens here",
        )  # fmt: skip
    return first + 2


def _unreadable(text: str, offset: int, at: Position) -> InputError:
    found = text[offset]
    hints = {
        '"': "a string ends on the line where it begins",
        "∪": "union is written |",
        "∩": "intersection is written &",
        "^": "the inverse is written r^-1",
        "-": "a difference is written r \\ s",
        "!": "a complement is written ~r, and a check is negated as ~empty r",
        "'": "a tag is a quote and a name: 'acquire",
    }
    return InputError(
        f"unexpected character {found!r}", file=at.file, line=at.line, column=at.column,
        expected="a name, an operator or a keyword", hint=hints.get(found, ""),
    )  # fmt: skip
