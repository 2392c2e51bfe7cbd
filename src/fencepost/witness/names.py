"""What people call things: locations (`x`, `a[3]`, `node.next`), values, threads, places, memory orders."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from pathlib import Path, PurePath

from fencepost.execution.execution import Event, EventKind, Execution
from fencepost.program.datatypes import DataType, Scalar, path_at, show_value
from fencepost.program.instructions import Mode
from fencepost.program.layout import FUNCTIONS, GAP, HEAP, REGION_MASK, STACK, Layout, lay_out
from fencepost.program.operands import Position
from fencepost.program.program import Program
from fencepost.records import dataclass

MODES = {
    Mode.NA: "non-atomic", Mode.RLX: "relaxed", Mode.ACQ_PC: "acquire-pc", Mode.ACQ: "acquire", Mode.REL: "release",
    Mode.ACQ_REL: "acq-rel", Mode.SC: "seq-cst",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Piece:
    """A memory object that is not global: shared stack or heap."""

    start: int
    size: int
    name: str
    type: DataType | None = None


class Names:
    """`pieces` are the stack and heap objects, and `spawned` the functions of the threads that were started, as a
    replay finds them. Without a replay heap objects are numbered in the order of their allocation events."""

    def __init__(
        self,
        program: Program | None,
        execution: Execution,
        pieces: Mapping[int, Piece] | None = None,
        spawned: Mapping[int, str] | None = None,
    ) -> None:
        self.program, self.execution = program, execution
        self.spawned = _numbered(spawned or {})
        self.files = {e.at.file for e in execution.events if e.at is not None}
        self.layout: Layout | None = lay_out(program) if program is not None else None
        found = _heap(execution) | dict(pieces or {})
        self.pieces = sorted(found.values(), key=lambda p: p.start)
        self.starts = [p.start for p in self.pieces]

    # --- threads and places

    def thread(self, index: int) -> str:
        if index in self.spawned:
            return self.spawned[index]
        if 0 <= index < len(self.execution.threads):
            return self.execution.threads[index]
        if self.program is not None and 0 <= index < len(self.program.threads):
            return self.program.threads[index].name
        return str(index)

    def subject(self, index: int) -> str:
        """A thread as the subject of a sentence."""
        name = self.thread(index)
        return name if name.lower().startswith("thread") else f"thread {name}"

    def place(self, at: Position | None) -> str:
        """`file:line`; without the folders where that names only one file of the execution."""
        if at is None:
            return ""
        name = PurePath(at.file).name
        single = all(f == at.file for f in self.files if PurePath(f).name == name)
        return f"{name if single else short_file(at.file)}:{at.line}"

    # --- memory

    def location(self, address: int) -> str:
        """How the source would write the place at an address."""
        return self._locate(address)[0]

    def _locate(self, address: int) -> tuple[str, Scalar | None]:
        found = self.layout.find(address) if self.layout is not None else None
        if found is not None:
            o, offset = found
            return _inside(o.name, o.type, offset)
        index = bisect_right(self.starts, address) - 1
        if index >= 0 and address - self.pieces[index].start < max(self.pieces[index].size, 1):
            piece = self.pieces[index]
            return _inside(piece.name, piece.type, address - piece.start)
        return f"[{address:#x}]", None

    def value(self, event: Event) -> str:
        """The value of an access as the type of its location says; addresses by name."""
        return self.shown(event.value, event.size, self._locate(event.address)[1])

    def shown(self, value: int, size: int, scalar: Scalar | None) -> str:
        pointer = scalar is not None and scalar.kind == "p"
        if size == 8 and value and (name := self._address(value, globals_too=pointer)):
            return name
        text = show_value(value, size or 8, scalar)
        known = None if pointer or size != 8 else self._address(value, globals_too=True)
        return f"{text} (or {known})" if known else text

    def _address(self, value: int, *, globals_too: bool) -> str | None:
        """A name for a value that is an address. Small numbers can be both: the caller says whether they may be."""
        region = value & REGION_MASK
        if region in (HEAP, STACK) and value >> 47 == 0:
            return f"&{self.location(value)}" if self.location(value)[0] != "[" else None
        if self.layout is None or self.program is None:
            return None
        if region == FUNCTIONS and (value - FUNCTIONS) % GAP == 0:
            index = (value - FUNCTIONS) // GAP
            return self.program.functions[index].name if 0 <= index < len(self.program.functions) else None
        return f"&{self.location(value)}" if globals_too and self.layout.find(value) is not None else None


def short_file(file: str) -> str:
    path = Path(file)
    if not path.is_absolute():
        return file
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return path.name


def _inside(name: str, type_: DataType | None, offset: int) -> tuple[str, Scalar | None]:
    if type_ is None:
        return (f"{name}+{offset}" if offset else name), None
    path, scalar = path_at(type_, offset)
    return name + path.partition(".__data")[0], scalar  # the inside of a pthread object is the library's business


def _numbered(spawned: Mapping[int, str]) -> dict[int, str]:
    """Threads of one function are told apart by a number."""
    count = Counter(spawned.values())
    seen: Counter[str] = Counter()
    names: dict[int, str] = {}
    for thread, function in sorted(spawned.items()):
        seen[function] += 1
        names[thread] = function if count[function] == 1 else f"{function}#{seen[function]}"
    return names


def heap_pieces(sizes: Mapping[int, int]) -> dict[int, Piece]:
    """Names for heap objects, numbered by address (which is by thread, then in the order of allocation)."""
    single = len(sizes) == 1
    return {
        start: Piece(start, size, "heap" if single else f"heap{number}")
        for number, (start, size) in enumerate(sorted(sizes.items()), 1)
    }


def _heap(execution: Execution) -> dict[int, Piece]:
    made = [e for e in execution.events if e.kind is EventKind.MALLOC and e.address]
    return heap_pieces({e.address: e.size or e.value for e in made})
