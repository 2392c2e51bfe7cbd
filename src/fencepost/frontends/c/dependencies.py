"""Whether the compiler would read the same text as the last time, told without calling it.

It would if the files that it read have the same content, and no file has come or gone at a place where it would look
for one of them first. Which places these are depends on how each name was written, so more are looked at than it looks
at: the end of every path, below every folder that a file was found in and every include path. What else may change the
text (a date, files that flags name, the environment) is not followed: then nothing is recorded.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from fencepost import cache as kept
from fencepost.frontends.c.compile import Compiler, compiler_identity, find_compiler
from fencepost.frontends.c.included import INCLUDE_OPTIONS, include_paths
from fencepost.records import dataclass

_SAFE = re.compile(
    r"-[DU].*|-std=.*|-O.|-g|-pthread|-W[^,]*|-f(?:no-)?(?:exceptions|rtti|short-enums|(?:un)?signed-char)"
)
_ENVIRONMENT = (
    "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS", "CCC_ADD_ARGS", "ZIG_LIB_DIR",
)  # fmt: skip
#: What makes a text depend on more than the text of files, and how a file asks for one that may not be there.
_MOVES = re.compile(rb"__DATE__|__TIME__|__TIMESTAMP__|#\s*embed\b|__has_embed|\.incbin")
_ASKS = re.compile(rb"(?<!define )__has_include(?:_next)?\s*\(\s*([^)\n]*)\)")
_NAMED = re.compile(rb'[<"]([^>"]+)[>"]\s*')
_DEEPEST = 6  # names at the end of a path that an #include may have written
_Tree: TypeAlias = dict[str, "_Tree"]


@dataclass(frozen=True, slots=True)
class _Seen:
    """The files that were read, and the names that were asked for."""

    files: tuple[str, ...]
    names: tuple[str, ...]


def setting(paths: Sequence[Path], flags: Sequence[str]) -> str:
    """All that decides about the text, but for the files. Empty where something does that we do not follow."""
    if any(name in os.environ for name in _ENVIRONMENT) or not _only_safe(flags):
        return ""
    if any(p.suffix in (".ll", ".bc") or not p.is_file() for p in paths):
        return ""
    return repr((compiler_identity(find_compiler()), str(Path.cwd()), [str(p) for p in paths], list(flags)))


def _only_safe(flags: Sequence[str]) -> bool:
    rest = iter(flags)
    for flag in rest:
        if flag in INCLUDE_OPTIONS or flag in ("-D", "-U"):
            next(rest, None)
        elif not flag.startswith(INCLUDE_OPTIONS) and not _SAFE.fullmatch(flag):
            return False
    return True


def look(paths: Sequence[Path], read: Iterable[str], flags: Sequence[str], since: int) -> str:
    """The footprint, which a later run compares with. Empty where a file changed after `since`, in nanoseconds: it may
    not be the one that the compiler read."""
    files = tuple(dict.fromkeys([*map(str, paths), *read]))
    names: set[str] = set()
    for content in map(_content, files):
        asked = [_NAMED.fullmatch(a) for a in _ASKS.findall(content or b"")]
        if content is None or _MOVES.search(content) or None in asked:
            return ""
        names |= {os.fsdecode(a[1]) for a in asked if a is not None}
    found = _Seen(files, tuple(sorted(names)))
    places = _places(found, flags)
    if any(_changed(p) >= since for p in (*files, *places)):
        return ""
    return json.dumps([found.files, found.names, _state(found, places)])


def unchanged(footprint: str, flags: Sequence[str]) -> bool:
    files, names, state = json.loads(footprint)
    seen = _Seen(tuple(files), tuple(names))
    return bool(state == _state(seen, _places(seen, flags)))


def _state(seen: _Seen, places: Sequence[str]) -> str:
    wheel = _wheel(find_compiler())
    return kept.key(*(_identity(f, wheel) for f in seen.files), "", *places)


def _identity(file: str, wheel: str) -> str:
    """Of its content; files of the compiler itself do not change under it."""
    try:
        if file.startswith(wheel):
            found = Path(file).stat()
            return f"{found.st_size} {found.st_mtime_ns}"
        return sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return ""


def _content(file: str) -> bytes | None:
    try:
        return Path(file).read_bytes()
    except OSError:
        return None


def _changed(file: str) -> int:
    """When: the time that the system writes, which nobody sets."""
    try:
        return Path(file).stat().st_ctime_ns
    except OSError:
        return 0


def _wheel(compiler: Compiler) -> str:
    """The folder of the compiler and its own headers, where it brings them along."""
    return f"{Path(compiler.name).parent}{os.sep}" if Path(compiler.name).stem == "zig" else "\0"


def _places(seen: _Seen, flags: Sequence[str]) -> list[str]:
    """Every file that is there and has the name, or the last names, of one that was read or asked for."""
    wheel = _wheel(find_compiler())
    wanted: _Tree = {}
    for name in (*seen.files, *seen.names):
        parts = Path(name).parts[-_DEEPEST:]
        for k in range(len(parts)):
            _plant(wanted, parts[k:])
    folders = {p for f in seen.files if not f.startswith(wheel) for p in map(str, Path(f).parents)}
    return sorted(place for root in {*folders, *include_paths(flags)} for place in _there(root, wanted))


def _plant(tree: _Tree, parts: Sequence[str]) -> None:
    for part in parts:
        tree = tree.setdefault(part, {})


def _there(folder: str, wanted: _Tree) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            found = [e for e in entries if e.name in wanted]
    except OSError:
        return
    for entry in found:
        if not entry.is_dir():
            yield entry.path
        elif wanted[entry.name]:
            yield from _there(entry.path, wanted[entry.name])
