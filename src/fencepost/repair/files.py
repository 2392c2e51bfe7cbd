"""What a program was read from, for those that change its text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fencepost.program.program import Program
from fencepost.records import dataclass

Read = Callable[[Sequence[str], Sequence[str]], Program]


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a program, the flags of their compiler, and how to read such files."""

    files: tuple[str, ...]
    flags: tuple[str, ...]
    read: Read
