"""Our own form for what is kept in files and sent to other machines: JSON with pieces of bytes, and a checksum.

A record is its length, its content and a hash of both. The content is a header in JSON, which knows how long the pieces
are that follow it; what is long is compressed. Reading one runs nothing and makes nothing but plain values.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TypeAlias

from fencepost.records import dataclass

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_LENGTH = struct.Struct("<IB")  # of the content, and whether that is compressed
_HEADER = struct.Struct("<I")
_DIGEST = 16
_LONG = 512  # bytes from which compression pays
_MOST = 1 << 30  # bytes that a record may become


class DamagedError(Exception):
    """Bytes that are no record: cut short, changed, or not ours."""


@dataclass(frozen=True, slots=True)
class Record:
    """`data` is the header, `blobs` are the pieces of bytes after it."""

    data: dict[str, Json]
    blobs: tuple[bytes, ...] = ()

    def packed(self) -> bytes:
        lengths: list[Json] = [len(b) for b in self.blobs]
        header = json.dumps({**self.data, "blobs": lengths}, separators=(",", ":")).encode()
        content = b"".join((_HEADER.pack(len(header)), header, *self.blobs))
        short = len(content) < _LONG
        body = content if short else zlib.compress(content, 1)
        start = _LENGTH.pack(len(body), not short)
        return start + body + _checksum(start, body)


def _checksum(start: bytes, body: bytes) -> bytes:
    from hashlib import blake2b

    found = blake2b(start, digest_size=_DIGEST)
    found.update(body)
    return found.digest()


def unpacked(content: bytes) -> Record:
    """The one record that these bytes are. Raises DamagedError."""
    record, end = _read(content, 0)
    if end != len(content):
        raise DamagedError("there is more than one record")
    return record


def records(content: bytes, start: int = 0) -> Iterator[tuple[Record, int]]:
    """Each record, and where it ends. Raises DamagedError at the first that is none."""
    while start < len(content):
        record, start = _read(content, start)
        yield record, start


def _read(content: bytes, start: int) -> tuple[Record, int]:
    body = start + _LENGTH.size
    if body > len(content):
        raise DamagedError("a record is cut short")
    length, compressed = _LENGTH.unpack_from(content, start)
    end = body + length + _DIGEST
    if end > len(content):
        raise DamagedError("a record is cut short")
    if _checksum(content[start:body], content[body : body + length]) != content[body + length : end]:
        raise DamagedError("a checksum does not fit")
    return _opened(content[body : body + length], bool(compressed)), end


def _opened(body: bytes, compressed: bool) -> Record:
    """pre: the checksum fits, so that this is what one of us wrote."""
    try:
        content = zlib.decompressobj().decompress(body, _MOST) if compressed else body
        (length,) = _HEADER.unpack_from(content)
        data = json.loads(content[_HEADER.size : _HEADER.size + length])
        return Record(data, _cut(content[_HEADER.size + length :], data.pop("blobs")))
    except (struct.error, zlib.error, ValueError, KeyError, TypeError, AttributeError):
        raise DamagedError("a record is not in our form") from None


def _cut(rest: bytes, lengths: Sequence[int]) -> tuple[bytes, ...]:
    if sum(lengths) != len(rest) or any(n < 0 for n in lengths):
        raise DamagedError("the pieces of a record do not fit")
    return tuple(rest[end - n : end] for n, end in zip(lengths, accumulate(lengths), strict=True))
