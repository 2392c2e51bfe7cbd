"""Which files the compiler read for a program, so that their lines may be shown beside what they do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

#: What the compiler said about a file is kept beside its output, in a file with this ending.
READ = ".read"
#: A file that it read, as `-H` has it told: as many dots as it is deep, and the name.
INCLUDED = re.compile(r"^\.+ (.+)$", re.MULTILINE)
INCLUDE_OPTIONS = ("-I", "-iquote", "-isystem", "-idirafter")


def read_files(folder: Path) -> tuple[str, ...]:
    """Every file that an #include named, as the compiler found it."""
    said = (file.read_text("utf-8") for file in sorted(folder.glob(f"*{READ}")))
    return tuple(dict.fromkeys(name for text in said for name in INCLUDED.findall(text)))


def shown_sources(paths: Sequence[Path], flags: Sequence[str], folder: Path) -> tuple[str, ...]:
    """The files given, and those of their includes that lie below the working directory, below the folder of a file
    given, or below an include path. Where a name leads elsewhere (a link, `..`), what it leads to counts."""
    given = [p.resolve() for p in paths]
    roots = {Path.cwd().resolve(), *(p.parent for p in given), *(Path(p).resolve() for p in include_paths(flags))}
    read = {Path(name).resolve() for name in read_files(folder)}
    return tuple(map(str, [*given, *sorted(p for p in read - set(given) if not roots.isdisjoint(p.parents))]))


def include_paths(flags: Sequence[str]) -> list[str]:
    found: list[str] = []
    for k, flag in enumerate(flags):
        option = next((o for o in INCLUDE_OPTIONS if flag.startswith(o)), None)
        if option is not None:
            found.append(flag[len(option) :] or (flags[k + 1] if k + 1 < len(flags) else ""))
    return [p for p in found if p]
