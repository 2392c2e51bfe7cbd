"""Front ends: each makes a Program of one language. This is the way in, by the suffix of the file."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from fencepost.errors import InputError, UsageError
from fencepost.program.program import Program
from fencepost.program.texts import decode

STANDARD_INPUT = "-"
C_SUFFIXES = frozenset({".c", ".cc", ".cpp", ".cxx", ".ll", ".bc"})
SUFFIXES = (".fp", ".litmus", ".fpir", *sorted(C_SUFFIXES))


def read_file(path: str | Path, *, flags: Sequence[str] = ()) -> Program:
    """The Program of one input file; `-` is standard input. `flags` go to the compiler (C, C++) or define constants
    (.fp). Raises InputError with the place of a mistake."""
    return read_files([path], flags=flags)


def read_files(paths: Sequence[str | Path], *, flags: Sequence[str] = ()) -> Program:
    """The Program of one input; only C and C++ may be spread over several files."""
    if not paths:
        raise UsageError("no input file is given")
    suffixes = {Path(p).suffix for p in paths}
    if suffixes <= C_SUFFIXES:
        return _read_c([Path(p) for p in paths], flags)
    if len(paths) > 1:
        raise UsageError("only C and C++ programs may consist of several files")
    path = str(paths[0])
    if path == STANDARD_INPUT:
        text = decode(sys.stdin.buffer.read(), "<stdin>")
        return _read_c_text(text, flags) if _IS_C.search(text) else read_text(text, "<stdin>", flags=flags)
    suffix = Path(path).suffix
    if Path(path).is_dir():
        raise InputError("cannot be read: this is a folder", file=path)
    if suffix not in SUFFIXES:
        raise InputError(f"no front end reads '{suffix}' files", file=path, expected="one of " + ", ".join(SUFFIXES))
    return replace(_BY_SUFFIX[suffix](decode(_bytes(path), path), path, flags), sources=(path,))


#: What only a C or C++ program has.
_IS_C = re.compile(r"^\s*#\s*include\b|\bint\s+main\s*\(", re.MULTILINE)


def _read_c_text(text: str, flags: Sequence[str]) -> Program:
    """C from standard input; C++ with the flag -xc++. Its lines are those of <stdin>, its includes are found here."""
    import tempfile

    suffix = ".cpp" if "-xc++" in flags or ("-x", "c++") in pairwise(flags) else ".c"
    with tempfile.TemporaryDirectory(prefix="fencepost-") as folder:
        path = Path(folder) / f"stdin{suffix}"
        path.write_text(f'#line 1 "<stdin>"\n{text}', encoding="utf-8")
        return _read_c([path], [*(f for f in flags if f not in ("-x", "c++", "-xc++", "-xc")), "-I."])


def read_text(text: str, file: str = "<text>", *, flags: Sequence[str] = ()) -> Program:
    """The Program of a text in the text form (it starts with the word `program`) or in the .fp language."""
    words = text.split(maxsplit=1)
    return (_read_text_form if words[:1] == ["program"] else _read_pseudo)(text, file, flags)


def _bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from None


def _no_flags(flags: Sequence[str], file: str) -> None:
    if flags:
        raise UsageError(f"{file}: flags after '--' mean something for C, C++ and .fp programs only: {flags[0]}")


def _read_pseudo(text: str, file: str, flags: Sequence[str]) -> Program:
    from fencepost.frontends import pseudo

    return pseudo.read(text, file, flags)


def _read_text_form(text: str, file: str, flags: Sequence[str]) -> Program:
    from fencepost.program.reader import read_program
    from fencepost.program.validate import validate

    _no_flags(flags, file)
    return validate(read_program(text, file))


def _read_litmus(text: str, file: str, flags: Sequence[str]) -> Program:
    from fencepost.frontends import litmus

    _no_flags(flags, file)
    return litmus.read(text, file)


def _read_c(paths: list[Path], flags: Sequence[str]) -> Program:
    from fencepost.frontends import c

    return c.read(paths, flags)


_BY_SUFFIX = {".fp": _read_pseudo, ".fpir": _read_text_form, ".litmus": _read_litmus}
