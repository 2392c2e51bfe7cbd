"""Tokens of LLVM IR, and a cursor over them."""

from __future__ import annotations

import re

from fencepost.errors import InputError

_TOKEN = re.compile(
    r'''\s*(?:;[^\n]*|([%@!$]"(?:[^"\\]|\\.)*"|c?"(?:[^"\\]|\\.)*"|[%@$][-\w$.]+|![-\w.]+|\#\w+
      |-?\d+\.\d*(?:[eE][+-]?\d+)?|0x[KLMHR]?[0-9A-Fa-f]+|-?\d+|\.\.\.|[A-Za-z_][-\w.$]*|.))''',
    re.VERBOSE | re.DOTALL,
)  # fmt: skip


def tokenize(text: str) -> list[str]:
    """The tokens of a piece of IR; comments and blanks are dropped."""
    return [t for t in _TOKEN.findall(text) if t and not t.isspace()]


def plain_name(token: str) -> str:
    """`%x`, `@x`, `%"a b"` without their sigil and quotes."""
    name = token[1:]
    return unescape(name[1:-1]) if name.startswith('"') else name


def unescape(text: str) -> str:
    return decode(text).decode("utf-8", "replace") if "\\" in text else text


def decode(text: str) -> bytes:
    r"""The bytes of a quoted string: \XX is a byte in hexadecimal."""
    if "\\" not in text:
        return text.encode()
    out = bytearray()
    at = 0
    while at < len(text):
        if text[at] == "\\" and text[at + 1 : at + 2] == "\\":
            out.append(0x5C)
            at += 2
        elif text[at] == "\\":
            out.append(int(text[at + 1 : at + 3], 16))
            at += 3
        else:
            out += text[at].encode()
            at += 1
    return bytes(out)


class Cursor:
    """A place in a list of tokens. What does not fit raises InputError: the input is not IR as we know it."""

    def __init__(self, tokens: list[str], file: str = "<ir>", at: int = 0) -> None:
        self.tokens, self.file, self.at = tokens, file, at

    @property
    def token(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def peek(self, ahead: int = 1) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def next(self) -> str:
        token = self.token
        self.at += 1
        return token

    def accept(self, *texts: str) -> str | None:
        if self.token in texts and self.token:
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def expect(self, text: str) -> None:
        if self.accept(text) is None:
            line = " ".join(self.tokens[:60])
            message = f"cannot read this LLVM IR: found {self.token!r} in `{line}`"
            raise InputError(message, file=self.file, expected=repr(text))

    def skip_group(self) -> None:
        """Skips a parenthesised group, if one starts here."""
        if self.token != "(":
            return
        depth = 0
        while self.token:
            depth += {"(": 1, ")": -1}.get(self.next(), 0)
            if depth == 0:
                return


def value_name(token: str) -> str | None:
    """The name of a value; that of a global keeps its `@`, for a local value may have the same."""
    if token[:1] == "@":
        return "@" + plain_name(token)
    return plain_name(token) if token[:1] == "%" else None
