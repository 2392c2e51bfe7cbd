"""The text of an input file, whatever editor wrote it."""

from __future__ import annotations

from fencepost.errors import InputError


def decode(content: bytes, file: str) -> str:
    """Without a byte order mark, with lines that end in a newline alone. Raises InputError where it is no UTF-8."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - (content.rfind(b"\n", 0, error.start) + 1) + 1
        message = f"this is not a text file: byte {content[error.start]:#04x} is not UTF-8"
        raise InputError(message, file=file, line=line, column=column) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")
