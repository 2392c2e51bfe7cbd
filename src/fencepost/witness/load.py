"""Reads a saved witness from where it is."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fencepost.errors import InputError
from fencepost.verdict import Witness
from fencepost.witness.codec import decode
from fencepost.witness.sources import Sources

_MAX_BYTES = 200_000_000


def load(source: str | Path | Mapping[str, Any]) -> tuple[Witness, Sources]:
    """A file, `-` for standard input, or JSON that is loaded already."""
    if isinstance(source, Mapping):
        return decode(dict(source))
    file = str(source)
    try:
        data = json.loads(_text(file))
    except json.JSONDecodeError as error:
        raise InputError(error.msg, file=file, line=error.lineno, column=error.colno, expected="JSON") from None
    except RecursionError:
        raise InputError("the JSON nests too deeply", file=file) from None
    return decode(data, file)


def _text(file: str) -> str:
    try:
        if file == "-":
            return sys.stdin.read()
        path = Path(file)
        if path.is_file() and path.stat().st_size > _MAX_BYTES:
            raise InputError(f"larger than {_MAX_BYTES} bytes", file=file)
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError("this is not UTF-8 text", file=file, expected="JSON") from None
    except OSError as error:
        raise InputError(error.strerror or str(error), file=file) from None
