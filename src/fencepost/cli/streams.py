"""The streams of the command, whatever the caller made of them: closed, or in an encoding that lacks our signs."""

from __future__ import annotations

import codecs
import os
import sys
from typing import TextIO

#: What stands for our signs where they cannot be written.
_PLAIN = {"│": "|", "─": "-", "┼": "+", "✗": "x", "…": "...", "→": "->", "←": "<-", "×": "x", "≤": "<=", "≥": ">="}


def settle() -> None:
    """Makes both streams take every text. Python has None for a stream that was closed."""
    if sys.stdout is None:
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()
    codecs.register_error("plain", _plain)
    for stream in (sys.stdout, sys.stderr):
        if not stream.encoding.lower().startswith("utf"):
            stream.reconfigure(errors="plain")  # type: ignore[union-attr] # both are text streams of files


def _nowhere() -> TextIO:
    from pathlib import Path

    return Path(os.devnull).open("w", encoding="utf-8")  # it is open until the end


def _plain(error: UnicodeError) -> tuple[str, int]:
    """An error handler of the codecs: our own signs are spelled in ASCII, other characters escaped."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(_PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in text), error.end
