"""The file that an exploration is saved in: a state, and after it what was done since, one record for each.

Whatever whole records it begins with are an exact state: a record takes one piece of work away and adds what was found
in it together with what is left of it, both or neither. So a crash costs the last moments and never a count. Files of
explorations on one machine hold a state alone; those of a cluster grow, and are written anew when they have grown much.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from io import FileIO
from pathlib import Path

from fencepost import _core
from fencepost.errors import UsageError
from fencepost.explore.packed import DamagedError, Json, Record, records
from fencepost.explore.structs import decode, encode
from fencepost.records import dataclass

_FORM = b"fencepost exploration 5\n"
_SYNC_EVERY = 1.0  # seconds
_TRY_AGAIN = 5.0  # seconds after a write failed
_GROWN = 32 << 20  # bytes after which it is written anew, and not before it is several times its first size


@dataclass(frozen=True, slots=True)
class Saved:
    """`remaining`: the pieces of work that are left. `cuts`: where the program of the exploration is cut. `lost`: how
    many bytes at the end of the file were no whole record."""

    fingerprint: str
    results: _core.CoreResults
    remaining: tuple[bytes, ...]
    cuts: tuple[int, ...]
    lost: int = 0


def save(file: Path, state: Saved) -> None:
    """Writes beside the file and renames, so that a crash in the middle leaves the older state."""
    _write_state(file, state.fingerprint, state.results, dict(enumerate(state.remaining)), state.cuts).close()


def load(file: Path) -> Saved:
    """Raises UsageError for a file whose state is not whole, or that is none of ours."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UsageError(f"--resume {file}: {error.strerror}") from None
    if not content.startswith(_FORM):
        raise UsageError(f"--resume {file}: this is not a saved exploration of this version of fencepost")
    try:
        return _replayed(content)
    except DamagedError as error:
        raise UsageError(f"--resume {file}: the file is damaged: {error}") from None
    except (KeyError, TypeError, AttributeError, ValueError, StopIteration):
        raise UsageError(f"--resume {file}: this is not a saved exploration") from None


def _replayed(content: bytes) -> Saved:
    found = records(content, len(_FORM))
    first, end = next(found)
    results = decode(_core.CoreResults, first.data["results"])
    pieces = dict(zip(_numbers(first.data["pieces"]), first.blobs, strict=True))
    try:
        for record, end in found:  # noqa: B007 # the end of the last whole one is used below
            del pieces[int(str(record.data["done"]))]
            results.merge(decode(_core.CoreResults, record.data["results"]))
            pieces |= dict(zip(_numbers(record.data["pieces"]), record.blobs, strict=True))
    except DamagedError:  # the end of a file that was being written when something crashed
        pass
    cuts = tuple(_numbers(first.data["cuts"]))
    return Saved(str(first.data["fingerprint"]), results, tuple(pieces.values()), cuts, len(content) - end)


def _numbers(value: Json) -> list[int]:
    if not isinstance(value, list):
        raise TypeError("a list expected")
    return [int(str(v)) for v in value]


def _write_state(
    file: Path, fingerprint: str, results: _core.CoreResults, pieces: Mapping[int, bytes], cuts: tuple[int, ...]
) -> FileIO:
    """A fresh file with this state alone, open at its end."""
    data: dict[str, Json] = {
        "fingerprint": fingerprint, "results": encode(results), "pieces": list(pieces), "cuts": list(cuts),
    }  # fmt: skip
    fresh = beside(file)
    try:
        fresh.write_bytes(_FORM + Record(data, tuple(pieces.values())).packed())
        handle = fresh.open("ab", buffering=0)
        os.fsync(handle.fileno())
        fresh.replace(file)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
    return handle


def _write(handle: FileIO, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[handle.write(rest) or 0 :]


def refuse_unwritable(file: Path) -> None:
    """Raises UsageError where nothing can be saved: before an hour of work, not after it."""
    if file.exists() and not file.is_file():
        raise UsageError(f"--save {file}: this is not a file")
    try:
        fresh = beside(file)
        fresh.touch()
        fresh.unlink()
    except OSError as error:
        raise UsageError(f"--save {file}: {error.strerror}") from None


def beside(file: Path) -> Path:
    """The name is that of the process: another run may be saving to the same file."""
    return file.with_name(f"{file.name}.{os.getpid()}.new")


class Journal:
    """A saved exploration that grows. A disk that is full for a while is no reason to lose the exploration: `behind`
    says that the file lacks something, and `renew` writes the whole state when there is room again."""

    def __init__(self, file: Path, fingerprint: str, cuts: tuple[int, ...]) -> None:
        refuse_unwritable(file)
        self.file, self.fingerprint, self.cuts = file, fingerprint, cuts
        self.behind, self.problem = True, ""
        self._handle: FileIO | None = None
        self._size = self._first = 0
        self._synced = self._tried = -_TRY_AGAIN

    @property
    def wants_renewal(self) -> bool:
        if self.behind:
            return time.monotonic() - self._tried >= _TRY_AGAIN
        return self._size > max(_GROWN, 8 * self._first)

    def renew(self, results: _core.CoreResults, pieces: Mapping[int, bytes]) -> None:
        """Begins anew with the whole state."""
        self._tried = time.monotonic()
        try:
            handle = _write_state(self.file, self.fingerprint, results, pieces, self.cuts)
        except OSError as error:
            return self._fail(error)
        self._close()
        self._handle, self.behind, self.problem = handle, False, ""
        self._first = self._size = handle.tell()

    def commit(self, done: int, results: _core.CoreResults, pieces: Mapping[int, bytes]) -> None:
        """One piece of work is done; this was found, and these are left of it."""
        if self.behind or self._handle is None:
            return
        data: dict[str, Json] = {"done": done, "results": encode(results), "pieces": list(pieces)}
        content = Record(data, tuple(pieces.values())).packed()
        try:
            _write(self._handle, content)
            self._size += len(content)
        except OSError as error:
            self._fail(error)

    def sync(self, *, now: bool = False) -> None:
        """Once a second what was written reaches the disk."""
        if self._handle is None or not (now or time.monotonic() - self._synced >= _SYNC_EVERY):
            return
        self._synced = time.monotonic()
        try:
            os.fsync(self._handle.fileno())
        except OSError as error:
            self._fail(error)

    def close(self) -> None:
        self.sync(now=True)
        self._close()

    def _close(self) -> None:
        if self._handle is not None:
            self._handle.close()
        self._handle = None

    def _fail(self, error: OSError) -> None:
        """What was written in part is no record, and is cut off when it is read: the file stays exact."""
        self.behind, self.problem = True, f"the state was not saved: {self.file}: {error.strerror}"
        self._close()
