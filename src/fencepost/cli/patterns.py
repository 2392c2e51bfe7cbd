"""Files that are named by a folder or a pattern."""

from __future__ import annotations

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
            found += sorted(p for p in path.rglob("*") if p.suffix in SUFFIXES and p.is_file())
        elif _MAGIC & set(name) and not path.exists():
            matches = [Path(m) for m in sorted(glob(name, recursive=True))]  # noqa: PTH207 # Path.glob takes no absolute pattern
            if not matches:
                raise UsageError(f"{name}: no file matches this pattern")
            found += matches
        else:
            found.append(path)
    return found, found != [Path(f) for f in files] or any(Path(f).is_dir() for f in files)


def says_what_it_expects(path: Path) -> bool:
    return bool(headers(path))
