"""What a build system knows: the flags of each file and the files of each target, from its compile_commands.json.

CMake writes one with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, Meson always, Bazel and make through tools of their own."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from fencepost.errors import InputError, UsageError
from fencepost.records import dataclass

_NAME = "compile_commands.json"
#: Flags that say what a program means, and take a path or a word behind them or as their next word.
_PATHS = ("-I", "-isystem", "-iquote", "-idirafter", "-include")
_WORDS = ("-D", "-U")
#: The same, whole. Everything else (warnings, optimisation, debugging) changes nothing that we look at.
_WHOLE = ("-std=", "-fno-exceptions", "-fno-rtti", "-funsigned-char", "-fsigned-char", "-fshort-enums")


@dataclass(frozen=True, slots=True)
class Entry:
    """One file as the build compiles it. `target` is the folder of its output, which CMake and Meson name after it."""

    file: str
    target: str
    flags: tuple[str, ...]


def from_build(
    place: str, target: str | None, files: Sequence[str], flags: Sequence[str]
) -> tuple[list[str], tuple[str, ...]]:
    """The files to read and the flags for all of them; those that were given stand last and win."""
    database = Path(place) / _NAME if Path(place).is_dir() else Path(place)
    entries = _read(database)
    wanted = _of_target(entries, target, database) if target is not None else []
    if not wanted and not files:
        raise UsageError(f"missing argument FILES; --target NAME takes those of a target of {database}")
    for file in files:
        wanted.append(_of_file(entries, file, target, database))
    different = next((e for e in wanted if e.flags != wanted[0].flags), None)
    if different is not None:
        raise UsageError(
            f"{database} compiles {wanted[0].file} with other flags than {different.file} "
            f"({shlex.join(wanted[0].flags)} and {shlex.join(different.flags)}): check them without it, and give the "
            "flags after --"
        )
    return list(dict.fromkeys(e.file for e in wanted)), (*wanted[0].flags, *flags)


def _of_target(entries: Sequence[Entry], target: str, database: Path) -> list[Entry]:
    found = [e for e in entries if e.target == target]
    if not found:
        known = ", ".join(sorted({e.target for e in entries if e.target})) or "none"
        raise UsageError(f"--target {target}: {database} has no such target; it has: {known}")
    return found


def _of_file(entries: Sequence[Entry], file: str, target: str | None, database: Path) -> Entry:
    real = Path(file).resolve()
    found = [e for e in entries if Path(e.file).resolve() == real]
    if not found:
        raise InputError(f"does not name {file}", file=str(database), hint="is it built? Configure the build again")
    return next((e for e in found if e.target == target), found[0])


def _read(database: Path) -> list[Entry]:
    hint = "CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
    try:
        rows = json.loads(database.read_text(encoding="utf-8"))
        return [_entry(row) for row in rows]
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(database), hint=hint) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        what = "a list of objects with directory, file and command"
        raise InputError("this is no compilation database", file=str(database), expected=what, hint=hint) from None


def _entry(row: dict[str, Any]) -> Entry:
    folder = Path(row["directory"])
    words = list(row["arguments"]) if "arguments" in row else shlex.split(row["command"])
    output = row.get("output") or next((b for a, b in pairwise(words) if a == "-o"), "")
    return Entry(str(folder / row["file"]), _target(output), tuple(_kept(words[1:], folder)))


def _target(output: str) -> str:
    """`CMakeFiles/queue_test.dir/queue.c.o` and `queue_test.p/queue.c.o` belong to queue_test."""
    for part in Path(output).parts:
        if part.endswith((".dir", ".p")):
            return part.rpartition(".")[0]
    return ""


def _kept(words: Sequence[str], folder: Path) -> Iterator[str]:
    rest = iter(words)
    for word in rest:
        option = next((o for o in (*_PATHS, *_WORDS) if word.startswith(o)), None)
        if option is not None:
            value = word[len(option) :] or next(rest, "")
            yield from (option, str(folder / value)) if option in _PATHS else (f"{option}{value}",)
        elif word.startswith(_WHOLE):
            yield word
