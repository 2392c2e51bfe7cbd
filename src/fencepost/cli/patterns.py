"""Files that are named by a folder or a pattern."""

from __future__ import annotations

import os
from collections.abc import Sequence
from glob import glob
from pathlib import Path

from fencepost.errors import UsageError
from fencepost.testing.headers import SUFFIXES, headers

_MAGIC = frozenset("*?[")


def expand(files: Sequence[str]) -> tuple[list[Path], bool]:
    """The files that are meant, and whether a folder or a pattern was among what was given. A name that exists is that
    file, whatever signs are in it."""
    found: list[Path] = []
    for name in files:
        path = Path(name)
        if not name:
            raise UsageError("a file has no name: '' is given; is a variable of your shell empty?")
        if path.is_dir():
            found += inside(path)
        elif _MAGIC & set(name) and not path.exists():
            matches = [Path(m) for m in sorted(glob(name, recursive=True))]  # noqa: PTH207 # Path.glob takes no absolute pattern
            if not matches:
                raise UsageError(f"{name}: no file matches this pattern")
            found += matches
        else:
            found.append(path)
    return found, found != [Path(f) for f in files] or any(Path(f).is_dir() for f in files)


def inside(folder: Path) -> list[Path]:
    """The files in a folder that may be programs. Hidden folders and environments of Python (ours has examples in it)
    are left alone."""
    found: list[Path] = []
    for name, folders, files in os.walk(folder):
        folders[:] = [f for f in folders if not f.startswith(".") and not _environment(Path(name) / f)]
        found += [Path(name) / f for f in files if Path(f).suffix in SUFFIXES]
    return sorted(p for p in found if p.is_file())


def _environment(folder: Path) -> bool:
    try:
        return (folder / "pyvenv.cfg").exists()
    except OSError:  # nobody may look into it: os.walk leaves it alone, too
        return False


def says_what_it_expects(path: Path) -> bool:
    return bool(headers(path))
