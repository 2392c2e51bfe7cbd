"""Front ends: each makes a Program of one language. This is the way in, by the suffix of the file."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from fencepost import paths as names
from fencepost.errors import InputError, UsageError
from fencepost.program.program import Program
from fencepost.program.texts import decode
from fencepost.records import dataclass, replace

if TYPE_CHECKING:
    from pathlib import Path

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
    places = [str(p) for p in paths]
    for p in places:
        if p != STANDARD_INPUT and not names.is_there(p):
            raise missing(p)
    if {names.suffix(p) for p in places} <= C_SUFFIXES:
        return _read_c(places, flags)
    if len(paths) > 1:
        raise UsageError("only C and C++ programs may consist of several files")
    path = places[0]
    if path == STANDARD_INPUT:
        text = decode(sys.stdin.buffer.read(), "<stdin>")
        return _read_c_text(text, flags) if _IS_C.search(text) else read_text(text, "<stdin>", flags=flags)
    if names.is_folder(path):
        raise InputError("cannot be read: this is a folder", file=path)
    _refuse_foreign(path, names.suffix(path))
    return _of_content(_bytes(path), path, names.suffix(path), flags)


def read_content(content: bytes, path: str, *, flags: Sequence[str] = ()) -> Program:
    """The Program of a litmus test or a text whose content is at hand; `path` is the file that it comes from."""
    suffix = names.suffix(path)
    _refuse_foreign(path, suffix)
    return _of_content(content, path, suffix, flags)


def _of_content(content: bytes, path: str, suffix: str, flags: Sequence[str]) -> Program:
    return replace(_BY_SUFFIX[suffix](decode(content, path), path, flags), sources=(path,))


def _refuse_foreign(path: str, suffix: str) -> None:
    if suffix not in SUFFIXES:
        header = suffix in (".h", ".hh", ".hpp", ".hxx")
        hint = f"a header is tested by a program that includes it: fencepost init {path} writes one" if header else ""
        expected = "one of " + ", ".join(SUFFIXES)
        raise InputError(f"no front end reads '{suffix}' files", file=path, expected=expected, hint=hint)


@dataclass(frozen=True, slots=True)
class Unread:
    """An input that is compiled, where it is C, but not translated yet. `content` decides what the Program will be,
    with all its places; empty where that is not known. `included`: every file that an #include named. `files` and
    `flags` are what was given."""

    content: str
    sources: tuple[str, ...]
    read: Callable[[], Program]
    included: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


def open_files(paths: Sequence[str | Path], *, flags: Sequence[str] = ()) -> Unread:
    """The input as far as it must be looked at to tell whether it has changed."""
    return replace(_opened(paths, flags), files=tuple(map(str, paths)), flags=tuple(flags))


def _opened(paths: Sequence[str | Path], flags: Sequence[str]) -> Unread:
    if any(str(p) == STANDARD_INPUT for p in paths):
        return Unread("", (), lambda: read_files(paths, flags=flags))
    files = [str(p) for p in paths]
    if not files or not {names.suffix(f) for f in files} <= C_SUFFIXES or not all(map(names.is_file, files)):
        program = read_files(paths, flags=flags)
        content = "".join(decode(_bytes(str(p)), str(p)) for p in paths)
        return Unread(f"{paths} {flags} {content}", program.sources, lambda: program)
    from fencepost.frontends import c

    compiled = c.compiled(_paths(paths), flags)
    return Unread(compiled.text, compiled.sources, lambda: c.translated(compiled, str(paths[0])), compiled.read)


def setting_of(paths: Sequence[str | Path], *, flags: Sequence[str] = ()) -> str:
    """All that decides what the compiler makes of these files, but for the content of files. Empty where that is not
    known, and for what is not compiled."""
    if not paths or not {names.suffix(str(p)) for p in paths} <= C_SUFFIXES:
        return ""
    from fencepost.frontends.c.dependencies import setting

    return setting(_paths(paths), flags)


def look(paths: Sequence[str | Path], given: Unread, since: int, *, flags: Sequence[str] = ()) -> str:
    """The footprint of a C program, for `unchanged`; empty where a file changed after `since`, in nanoseconds."""
    from fencepost.frontends.c.dependencies import look as looked

    return looked(_paths(paths), given.included, flags, since)


def unchanged(footprint: str, *, flags: Sequence[str] = ()) -> bool:
    """Whether the compiler would read the same text again."""
    from fencepost.frontends.c.dependencies import unchanged as same

    return same(footprint, flags)


def _paths(files: Sequence[str | Path]) -> list[Path]:
    from pathlib import Path

    return [Path(f) for f in files]


def _near(path: str) -> str:
    """A file beside it whose name is almost the same."""
    from difflib import get_close_matches
    from pathlib import Path

    wanted = Path(path)
    try:
        there = [p.name for p in wanted.parent.iterdir() if p.suffix in SUFFIXES and p.exists()]
    except OSError:
        return ""
    near = get_close_matches(wanted.name, there, 1)
    return f"did you mean {wanted.parent / near[0]}?" if near else ""


def missing(path: str | Path) -> InputError:
    """What is said of an input that does not exist."""
    hint = "the option before it takes no value" if str(path).isdecimal() else _near(str(path))
    return InputError("cannot be read: there is no such file", file=str(path), hint=hint)


#: What only a C or C++ program has.
_IS_C = re.compile(r"^\s*#\s*include\b|\bint\s+main\s*\(", re.MULTILINE)


def _read_c_text(text: str, flags: Sequence[str]) -> Program:
    """C from standard input; C++ with the flag -xc++. Its lines are those of <stdin>, its includes are found here."""
    import tempfile
    from pathlib import Path

    suffix = ".cpp" if "-xc++" in flags or ("-x", "c++") in pairwise(flags) else ".c"
    with tempfile.TemporaryDirectory(prefix="fencepost-") as folder:
        path = Path(folder) / f"stdin{suffix}"
        path.write_text(f'#line 1 "<stdin>"\n{text}', encoding="utf-8")
        return _read_c([path], [*(f for f in flags if f not in ("-x", "c++", "-xc++", "-xc")), "-I."])


#: What only C++ has, of what concurrent programs are made of.
_IS_CXX = re.compile(r"\bstd::|^\s*#\s*include\s*<(?:atomic|thread|mutex|memory|c\w+)>", re.MULTILINE)
_IS_LITMUS = re.compile(r"\s*(?:\(\*.*?\*\)\s*)*(?:X86|PPC|AArch64|ARM|RISCV|C|LISA)[ \t]+\S+[^;{]*\{", re.DOTALL)


def language_of(text: str) -> str:
    """The suffix of a file with this text."""
    if _IS_LITMUS.match(text):
        return ".litmus"
    if _IS_C.search(text):
        return ".cpp" if _IS_CXX.search(text) else ".c"
    return ".fpir" if text.split(maxsplit=1)[:1] == ["program"] else ".fp"


def read_string(text: str, *, flags: Sequence[str] = ()) -> Program:
    """The Program of a text in any of the languages. It is kept in a file as long as this process lives, so that a
    report can show its lines."""
    from hashlib import sha256
    from pathlib import Path

    path = Path(_texts()) / f"{sha256(text.encode()).hexdigest()[:12]}" / f"source{language_of(text)}"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return read_file(path, flags=[*flags, "-I."] if path.suffix in C_SUFFIXES else flags)


@cache
def _texts() -> str:
    import atexit
    import shutil
    import tempfile

    folder = tempfile.mkdtemp(prefix="fencepost-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def read_text(text: str, file: str = "<text>", *, flags: Sequence[str] = ()) -> Program:
    """The Program of a text: a litmus test where the name of the file says so, else in the text form (it starts with
    the word `program`) or in the .fp language."""
    if file.endswith(".litmus"):
        return _read_litmus(text, file, flags)
    words = text.split(maxsplit=1)
    return (_read_text_form if words[:1] == ["program"] else _read_pseudo)(text, file, flags)


def _bytes(path: str) -> bytes:
    try:
        return names.content(path)
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


def _read_c(files: Sequence[str | Path], flags: Sequence[str]) -> Program:
    from fencepost.frontends import c

    return c.read(_paths(files), flags)


_BY_SUFFIX = {".fp": _read_pseudo, ".fpir": _read_text_form, ".litmus": _read_litmus}
