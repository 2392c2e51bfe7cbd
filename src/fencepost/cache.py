"""What was computed once and is kept for the next time, by content: the key is made of everything that the answer
depends on, so an entry never becomes wrong, it only becomes useless.

Entries lie in `$FENCEPOST_CACHE`, or in `fencepost` below the user's folder for caches. `FENCEPOST_CACHE=off` switches
it off. A cache that cannot be read or written is no error: the work is done again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from fencepost._version import __version__

_OFF = ("off", "0", "no")
_MOST_BYTES = 256 << 20  # of one kind of entry; beyond it the ones not used for longest go


def folder() -> Path | None:
    """Where entries lie; None where there is no cache."""
    wanted = os.environ.get("FENCEPOST_CACHE", "")
    if wanted.lower() in _OFF and wanted:
        return None
    if wanted:
        return Path(wanted)
    try:
        return _users() / "fencepost"
    except RuntimeError:  # a user without a home
        return None


def _users() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


@cache
def code() -> str:
    """Which Fencepost this is: its version, and every file of it as it lies on disk."""
    core = find_spec("fencepost._core")  # an editable install has it elsewhere
    files = sorted(_files(str(Path(__file__).parent)))
    if core is not None and core.origin is not None:
        found = Path(core.origin).stat()
        files.append((core.origin, found.st_size, found.st_mtime_ns))
    return key(__version__, sys.version, *map(repr, files))


def _files(folder: str) -> Iterator[tuple[str, int, int]]:
    """Name, size and time of each below it, but of what Python compiled. Every command asks, and entries answer four
    times as fast as paths."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _files(entry.path)
            elif entry.is_file() and not entry.name.endswith(".pyc"):
                found = entry.stat()
                yield entry.path, found.st_size, found.st_mtime_ns


def key(*parts: str) -> str:
    """One name for all of these together. Where a part ends counts."""
    found = sha256()
    for part in parts:
        content = part.encode("utf-8", "surrogatepass")
        found.update(b"%d:" % len(content) + content)
    return found.hexdigest()


def load(kind: str, name: str) -> bytes | None:
    place = _place(kind, name)
    if place is None:
        return None
    try:
        content = place.read_bytes()
        os.utime(place)  # it was useful
    except OSError:
        return None
    checksum, _, body = content.partition(b"\n")
    return body if checksum == sha256(body).hexdigest().encode() else None


def save(kind: str, name: str, body: bytes) -> None:
    """Whole or not at all: another process may read it at the same time."""
    place = _place(kind, name)
    if place is None:
        return
    own = place.with_suffix(f".{os.getpid()}.new")
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        own.write_bytes(sha256(body).hexdigest().encode() + b"\n" + body)
        own.replace(place)
        if name.startswith("0"):  # now and then is enough
            _tidy(place.parent.parent)
    except OSError:
        own.unlink(missing_ok=True)


def _place(kind: str, name: str) -> Path | None:
    root = folder()
    return None if root is None else root / kind / name[:2] / name[2:]


def _tidy(root: Path) -> None:
    """Removes what was not used for longest, down to half of what is allowed."""
    entries = sorted(((p.stat().st_mtime_ns, p.stat().st_size, p) for p in root.glob("*/*")), reverse=True)
    total = 0
    over = sum(size for _, size, _ in entries) > _MOST_BYTES
    for _, size, path in entries:
        total += size
        if over and total > _MOST_BYTES // 2:
            path.unlink(missing_ok=True)
