"""The texts of a program, and the program of changed texts."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from fencepost.errors import FencepostError
from fencepost.program.operands import Position
from fencepost.program.program import Program
from fencepost.records import dataclass, replace
from fencepost.repair.files import Read
from fencepost.repair.text.c import CText
from fencepost.repair.text.edits import Language, offset_of
from fencepost.repair.text.litmus import language_of_litmus
from fencepost.repair.text.pseudo import Pseudo

_CXX = frozenset({".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx"})
_C = frozenset({".c", ".h"})


def language_of(file: str) -> Language | None:
    """None where we cannot write the language."""
    suffix = Path(file).suffix
    if suffix in _CXX or suffix in _C:
        return CText(suffix in _CXX)
    if suffix == ".litmus" and Path(file).is_file():
        return _litmus(file, Path(file).stat().st_mtime_ns)
    return Pseudo() if suffix == ".fp" else None


@lru_cache(maxsize=64)
def _litmus(file: str, changed: int) -> Language | None:
    return language_of_litmus(Path(file).read_bytes().decode("utf-8", "surrogateescape"))


def load_text(file: str) -> str | None:
    """The text of a file; None where there is none, or not one that we can change."""
    if language_of(file) is None or not Path(file).is_file():
        return None
    return Path(file).read_bytes().decode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class Inserted:
    """A text with markers in it: `offsets` are those of the original, in order."""

    text: str
    offsets: tuple[int, ...]
    marker: str

    def original(self, offset: int) -> int:
        """The place in the original text of a place in this one (in front of a marker: what follows it)."""
        for number, start in enumerate(self.offsets):
            begin = start + number * len(self.marker)
            if offset < begin:
                return offset - number * len(self.marker)
            if offset < begin + len(self.marker):
                return start
        return offset - len(self.offsets) * len(self.marker)

    def marked(self, offset: int) -> int | None:
        """The original offset of the marker that stands here."""
        for number, start in enumerate(self.offsets):
            if offset == start + number * len(self.marker):
                return start
        return None


def insert(text: str, offsets: Sequence[int], marker: str) -> Inserted:
    pieces, last = [], 0
    for offset in sorted(set(offsets)):
        pieces += [text[last:offset], marker]
        last = offset
    return Inserted("".join([*pieces, text[last:]]), tuple(sorted(set(offsets))), marker)


class Sources:
    """The files of a program that are its own. C and C++ texts may have headers among them: a changed text is written
    to a folder of its own, and what is not changed is found in the original one."""

    def __init__(self, files: Sequence[str], flags: Sequence[str], read: Read) -> None:
        self.files, self.flags, self._read = tuple(files), tuple(flags), read
        self.texts: dict[str, str] = {}
        self.overlaid: frozenset[str] = frozenset()  # files whose text is not the one on disk
        self._names: dict[str, str] = {}
        for file in files:
            self.load(file)

    def load(self, file: str) -> str | None:
        """The text of a file; None where it is not one that can be changed."""
        file = self.name(file)
        if file not in self.texts and (text := load_text(file)) is not None:
            self.texts[file] = text
        return self.texts.get(file)

    def name(self, file: str) -> str:
        """One name per file: that under which it was given, or first seen. Compilers name files from where they run."""
        return self._names.setdefault(str(Path(file).resolve()), file)

    def overlay(self, texts: Mapping[str, str]) -> Sources:
        """The same files, some of them with other texts to begin with."""
        new = Sources(self.files, self.flags, self._read)
        new._names, new.texts = dict(self._names), {**self.texts, **texts}
        new.overlaid = self.overlaid | frozenset(texts)
        return new

    def program(self, changed: Mapping[str, str]) -> Program:
        """The program with these texts, its positions with the names of the original files."""
        changed = {**{f: self.texts[f] for f in self.overlaid}, **changed}
        if not changed:
            return renamed(self._read(self.files, self.flags), self.name)
        with tempfile.TemporaryDirectory(prefix="fencepost-repair-") as folder:
            root = Path(folder)
            new = {file: self._write(root, file, text) for file, text in changed.items()}
            for file in self.files:
                if file not in new:
                    new[file] = self._write(root, file, self.texts[file])
            names = {str(Path(path).resolve()): file for file, path in new.items()}
            flags = (*self._given_copies(root), *self.flags, *self._includes(root)) if self._is_c() else self.flags
            program = self._read([new[f] for f in self.files], flags)
        return renamed(program, lambda file: names.get(str(Path(file).resolve()), self.name(file)))

    def _is_c(self) -> bool:
        return all(Path(f).suffix in _CXX | _C for f in self.files)

    def _write(self, root: Path, file: str, text: str) -> str:
        path = root / _inside(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        return str(path)

    def _includes(self, root: Path) -> list[str]:
        """Where includes are looked for beside a text: first among the changed texts, then where they are."""
        own = [str(Path(f).parent.resolve()) for f in self.files]
        copies = [f"-I{root / _inside(d)}" for d in own]
        return ["-iquote" + d for d in own] + [c for c in copies if Path(c[2:]).is_dir()]

    def _given_copies(self, root: Path) -> list[str]:
        """Where changed texts of the folders are that the flags name: in front of those, which have the old texts."""
        found: list[str] = []
        for n, flag in enumerate(self.flags):
            kind = next((k for k in ("-iquote", "-isystem", "-I") if flag.startswith(k)), "")
            folder = flag.removeprefix(kind) or "".join(self.flags[n + 1 : n + 2])
            if kind and folder and (root / _inside(folder)).is_dir():
                found.append(f"{kind}{root / _inside(folder)}")
        return found

    def offset(self, text: str, at: Position) -> int | None:
        return offset_of(text, at)


def renamed(program: Program, name: Callable[[str], str]) -> Program:
    """The program with other names for its files. Debug information names them from where the compiler ran."""
    known: dict[str, str] = {}

    def moved(at: Position | None) -> Position | None:
        if at is None:
            return None
        file = known.get(at.file) or known.setdefault(at.file, name(at.file))
        return at if file == at.file else replace(at, file=file)

    functions = tuple(
        replace(f, at=moved(f.at), code=tuple(i if moved(i.at) is i.at else replace(i, at=moved(i.at)) for i in f.code))
        for f in program.functions
    )
    objects = tuple(replace(o, at=moved(o.at)) for o in program.objects)
    return replace(program, functions=functions, objects=objects, sources=tuple(name(s) for s in program.sources))


def _inside(file: str) -> str:
    return str(Path(file).resolve()).lstrip("/")


def compiles(sources: Sources, changed: Mapping[str, str]) -> Program | None:
    """The program of changed texts; None where they are not accepted."""
    try:
        return sources.program(changed)
    except FencepostError:
        return None
