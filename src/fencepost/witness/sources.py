"""The text of source files, for showing a line beside its event. A file that is gone is no error: no line is shown.
What a program *says* its file is proves nothing (`#line 1 "/etc/passwd"`): only files that were given to Fencepost,
or that the compiler read as a part of them, are ever opened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from fencepost.program.instructions import Call
from fencepost.program.operands import Position
from fencepost.verdict import Witness
from fencepost.witness.sites import in_library

_MAX_BYTES = 4_000_000
_SHORT = 80  # characters of a line that is shown as it is


class Sources:
    """`embedded` texts (from a saved witness) win over what is on disk, which may have changed since. Of what is on
    disk only `files` are read."""

    def __init__(self, embedded: Mapping[str, str] | None = None, files: Iterable[str] = ()) -> None:
        self._files = {_resolved(f) for f in files}
        self._texts: dict[str, tuple[str, ...] | None] = {
            file: tuple(text.splitlines()) for file, text in (embedded or {}).items()
        }

    def lines(self, file: str) -> tuple[str, ...] | None:
        if file not in self._texts:
            self._texts[file] = _read(file) if _resolved(file) in self._files else None
        return self._texts[file]

    def line(self, at: Position | None) -> str:
        """The source line at a position without its indentation; empty where it is not known."""
        lines = self.lines(at.file) if at is not None else None
        return lines[at.line - 1].strip() if at is not None and lines and 0 < at.line <= len(lines) else ""

    def excerpt(self, at: Position | None) -> str:
        """The same; of a long line with several statements what begins with the one at the position."""
        line = self.line(at)
        if at is None or len(line) <= _SHORT:
            return line
        whole = (self.lines(at.file) or ())[at.line - 1]
        begin = max(whole.rfind(c, 0, max(at.column - 1, 0)) for c in ";{}") + 1
        return f"… {whole[begin:].strip()}" if whole[:begin].strip() else line

    def embed(self, files: Iterable[str]) -> dict[str, str]:
        """The texts of those of the files that can be read, to be saved with a witness."""
        return {f: "\n".join(lines) + "\n" for f in sorted(set(files)) if (lines := self.lines(f)) is not None}


def sources_of(witness: Witness | None) -> Sources:
    """The sources that the program of a witness was read from."""
    program = witness.program if witness is not None else None
    return Sources(files=program.sources if program is not None else ())


def files_of(witness: Witness) -> list[str]:
    """The program's own files that a witness may speak of, the error's first; not those of libraries, which nobody
    looks at. An access inside a library is shown where it is called, so calls count too."""
    positions = [witness.error.at, *(e.at for e in witness.execution.events), *(s.at for s in witness.run)]
    if witness.program is not None:
        positions += [i.at for f in witness.program.functions for i in f.code if isinstance(i, Call)]
    return list(dict.fromkeys(p.file for p in positions if p is not None and not in_library(p)))


def _resolved(file: str) -> str:
    try:
        return str(Path(file).resolve())
    except (OSError, ValueError, RuntimeError):
        return ""


def _read(file: str) -> tuple[str, ...] | None:
    path = Path(file)
    try:
        if not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return None
        return tuple(path.read_text(encoding="utf-8", errors="replace").splitlines())
    except (OSError, ValueError):
        return None
