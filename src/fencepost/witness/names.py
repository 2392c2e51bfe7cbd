"""What people call things: locations (`x`, `a[3]`, `node.next`), values, threads, places, memory orders."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath

from fencepost.execution.execution import Event, EventKind, Execution
from fencepost.program.datatypes import Array, DataType, Scalar, Struct, path_at, show_value
from fencepost.program.instructions import Malloc, Mode
from fencepost.program.layout import FUNCTIONS, GAP, HEAP, REGION_MASK, STACK, Layout, lay_out
from fencepost.program.operands import Const, Position
from fencepost.program.program import Program
from fencepost.program.symbols import demangled
from fencepost.records import dataclass, replace

MODES = {
    Mode.NA: "non-atomic", Mode.RLX: "relaxed", Mode.ACQ_PC: "acquire-pc", Mode.ACQ: "acquire", Mode.REL: "release",
    Mode.ACQ_REL: "acq-rel", Mode.SC: "seq-cst",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Piece:
    """A memory object that is not global: shared stack (of the thread `owner`) or heap."""

    start: int
    size: int
    name: str
    type: DataType | None = None
    owner: int = -1


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
        self.spawned = _numbered({t: function_name(name) for t, name in (spawned or {}).items()})
        self.static = _same_function([t.name for t in program.threads] if program is not None else [])
        self.files = {e.at.file for e in execution.events if e.at is not None}
        self.layout: Layout | None = lay_out(program) if program is not None else None
        found = _heap(execution) | dict(pieces or {})
        self.pieces = sorted(self._told_apart(found.values()), key=lambda p: p.start)
        self.starts = [p.start for p in self.pieces]

    def _told_apart(self, pieces: Iterable[Piece]) -> Iterable[Piece]:
        """The variables of that name that several threads have on their stacks: `node@worker#2`."""
        owners: dict[str, set[int]] = {}
        for p in pieces:
            owners.setdefault(p.name, set()).add(p.owner)
        for p in pieces:
            shared = p.owner >= 0 and len(owners[p.name]) > 1
            yield replace(p, name=f"{p.name}@{self.thread(p.owner)}") if shared else p

    # --- threads and places

    def thread(self, index: int) -> str:
        if index in self.spawned:
            return self.spawned[index]
        if 0 <= index < len(self.execution.threads):
            name = self.execution.threads[index]
            return self.static.get(name, name)
        if self.program is not None and 0 <= index < len(self.program.threads):
            name = self.program.threads[index].name
            return self.static.get(name, name)
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

    def nameless(self, address: int) -> bool:
        """Whether an address lies in a heap object of which no type is known, or only one of the library's own."""
        found = self._object(address) if address & REGION_MASK == HEAP else None
        return found is not None and (found[1] is None or found[0].startswith(_STARTED))

    def piece(self, start: int) -> str:
        """The name of a whole heap or stack object."""
        return next((p.name for p in self.pieces if p.start == start), f"[{start:#x}]")

    def _locate(self, address: int) -> tuple[str, Scalar | None]:
        found = self._object(address)
        return _inside(*found) if found is not None else (f"[{address:#x}]", None)

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
            return self._pointer(value)
        if self.layout is None or self.program is None:
            return None
        if region == FUNCTIONS and (value - FUNCTIONS) % GAP == 0:
            index = (value - FUNCTIONS) // GAP
            return (
                function_name(self.program.functions[index].name) if 0 <= index < len(self.program.functions) else None
            )
        return self._pointer(value) if globals_too and self.layout.find(value) is not None else None

    def _pointer(self, value: int) -> str | None:
        """`&nodes[1]` rather than `&nodes[1].value`: a pointer to a struct is more often meant than one to the first of
        its members. `&node|1`: into the middle of a member point only marks in the low bits."""
        mark = value & 7
        inside = self._locate(value - mark)[1] if mark else None
        if inside is not None and inside.size > mark:
            pointer = self._pointer(value - mark)
            return f"{pointer}|{mark}" if pointer is not None else None
        found = self._object(value)
        if found is None:
            return self._end(value)
        name, type_, offset = found
        if (text := self._text(value)) is not None:
            return text
        while type_ is not None and not isinstance(type_, Scalar):
            found_step = None if isinstance(type_, Struct) and offset == 0 else _step(type_, offset)
            if found_step is None:
                return f"&{name}" + (f"+{offset}" if offset else "")
            name, type_, offset = name + found_step[0], *found_step[1:]
        return f"&{_inside(name, type_, offset)[0]}"

    def _text(self, value: int) -> str | None:
        """A string constant, which has no name in the source but itself."""
        found = self.layout.find(value) if self.layout is not None else None
        if found is None or not _LITERAL.fullmatch(found[0].name) or not found[0].constant:
            return None
        letters = {i.offset: i.value.value for i in found[0].init if i.size == 1 and isinstance(i.value, Const)}
        text = bytes(letters.get(n, 0) & 255 for n in range(found[1], found[0].size)).partition(b"\0")[0]
        shown = text.decode("utf-8", "replace")
        return f'"{shown[:_LONG]}…"' if len(shown) > _LONG else f'"{shown}"'

    def _end(self, value: int) -> str | None:
        """One past the end of a heap or stack object, which is where many loops stop."""
        index = bisect_right(self.starts, value) - 1
        if index < 0:
            return None
        piece = self.pieces[index]
        return f"the end of {piece.name}" if piece.size and value == piece.start + piece.size else None

    def _object(self, address: int) -> tuple[str, DataType | None, int] | None:
        """Name and type of the object at an address, and the offset in it."""
        found = self.layout.find(address) if self.layout is not None else None
        if found is not None:
            return demangled(found[0].name), found[0].type, found[1]
        index = bisect_right(self.starts, address) - 1
        if index >= 0 and address - self.pieces[index].start < max(self.pieces[index].size, 1):
            piece = self.pieces[index]
            return piece.name, piece.type, address - piece.start
        return None

    def beyond(self, address: int, size: int) -> str | None:
        """A place outside every object, told from the nearest one; None where none is near or it is inside one."""
        known = [(p.start, p.size, p.name, p.type) for p in self.pieces]
        if self.layout is not None:
            objects = zip(self.layout.starts, self.layout.objects, strict=True)
            known += [(start, o.size, demangled(o.name), o.type) for start, o in objects]
        near = min(known, key=lambda o: _distance(o[0], o[1], address), default=None)
        if near is None or _distance(near[0], near[1], address) > _NEAR:
            return None
        start, length, name, type_ = near
        if start <= address and address + size <= start + length:
            return None
        if start <= address < start + length:
            place = _inside(name, type_, address - start)[0]
            return f"{size} bytes at {place}, past the end of {name} ({length} bytes)"
        return _outside(name, type_, length, address - start)


_LITERAL = re.compile(r"\.str(?:\.\d+)?")  # what compilers call string constants
_LONG = 24  # letters of one that are shown
_STARTED = "tuple<…>"  # what std::thread hands to the thread that it starts
_NEAR = 1 << 20  # bytes from an object to an address that may have been meant to be in it


def _distance(start: int, size: int, address: int) -> int:
    return start - address if address < start else max(address - (start + size) + 1, 0)


def _outside(name: str, type_: DataType | None, size: int, offset: int) -> str:
    """A place outside an object, by the way the source would get there."""
    step = type_.element.size if isinstance(type_, Array) else 0
    place = f"{name}[{offset // step}]" if step and offset % step == 0 else f"{name}{offset:+}"
    if offset < 0:
        return f"{place}, before the start of {name}"
    extent = f"{type_.count} elements" if isinstance(type_, Array) and step else f"{size} bytes"
    return f"{place}, past the end of {name} ({extent})"


def listed(names: list[str]) -> str:
    """`a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


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
    if _PTHREAD.search(path):  # the inside of a pthread object, and of what std::mutex wraps it in, is the library's
        return name + _WRAPPED.sub("", _PTHREAD.split(path)[0]), scalar
    return name + (_own(type_, offset, path) if _RESERVED.search(path) else path), scalar


_WRAPPED = re.compile(r"(?:\.(?:base|_[A-Z]\w*|__\w+))+$")
_PTHREAD = re.compile(r"\.__(?:data|size|align)\b")
#: Members that the standard library added: `ready._M_base._M_i`, which is just `ready` to whoever wrote it.
_RESERVED = re.compile(r"\.(?:_[A-Z]|__|base\b)")


def _own(type_: DataType, offset: int, path: str) -> str:
    """The path without the library's members, where what they lead to is all there is: no two places share a name."""
    scalar, own = path_at(type_, offset)[1], ""
    while scalar is not None and (found := _step(type_, offset)) is not None:
        step, inner, rest = found
        whole = inner.size == type_.size  # this member is all that there is
        if _RESERVED.match(step) and offset == 0 and type_.size == scalar.size:
            return own
        own, type_, offset = own + ("" if whole and _RESERVED.match(step) else step), inner, rest
    return own if isinstance(type_, Scalar) else path


def _step(type_: DataType, offset: int) -> tuple[str, DataType, int] | None:
    """One level into an object, towards an offset: how it is written, the part, the offset in it."""
    if isinstance(type_, Array) and type_.element.size:
        return f"[{offset // type_.element.size}]", type_.element, offset % type_.element.size
    if isinstance(type_, Struct):
        for f in type_.fields:
            if f.offset <= offset < f.offset + max(f.type.size, 1):
                return f".{f.name}", f.type, offset - f.offset
    return None


_STD_THREAD = re.compile(r"std::thread::_State_impl<.*?std::tuple<(.*?)>\s*>")
_LAMBDA = re.compile(r"((?:\w+::)*\w+)(?:\([^()]*\))?::(?:\$_(\d+)|\{lambda\([^()]*\)#(\d+)\})")
_PLAIN = re.compile(r"(?:const |volatile )?(?:\w+::)*[\w ]+[*&]*")  # a type without arguments of its own


def function_name(name: str) -> str:
    """What to call a function, and the thread that runs it: the one that was given to std::thread, without types."""
    text = demangled(name)
    given = _STD_THREAD.search(text)
    outer = _without_arguments(text)
    library = given is not None or outer.startswith("std::") or " std::" in outer.partition("(")[0]
    inside = _LAMBDA.search((given.group(1) if given else text) if library else outer)
    if inside is not None:
        number = int(inside.group(2)) + 1 if inside.group(2) is not None else int(inside.group(3))
        return f"{inside.group(1)}::lambda{number}"
    if given is not None:
        return "thread"
    if text == name:
        return name
    return outer.partition("(")[0] if "operator" in outer else _last_word(outer.replace("(anonymous namespace)::", ""))


def _without_arguments(text: str) -> str:
    """A function's name without its parameters, and without the arguments of templates that say more than a plain type
    or number."""
    if "operator" in text and "lambda" not in text and "$_" not in text:
        return text
    kept, open_, start = "", "", 0
    for n, c in enumerate(text):
        if c in "<(" and text[n : n + 21] != "(anonymous namespace)":
            start = n if not open_ else start
            open_ += c
        elif c in ">)" and open_:
            open_ = open_[:-1]
            inside = text[start + 1 : n]
            if not open_ and c == ")":
                kept += "()"
            elif not open_ and "std::" not in inside and all(_PLAIN.fullmatch(p.strip()) for p in inside.split(",")):
                kept += text[start : n + 1]
        elif not open_:
            kept += c
    return kept


def _last_word(text: str) -> str:
    """`call_once` of `void call_once(int)`: a template is demangled with what it returns."""
    depth, start = 0, 0
    for n, c in enumerate(text):
        if c == "(" and depth == 0:
            return text[start:n]
        depth += (c == "<") - (c == ">")
        if c == " " and depth == 0:
            start = n + 1
    return text[start:]


def _same_function(names: list[str]) -> dict[str, str]:
    """`worker` and `worker.2`, as some passes call the threads of one function, become `worker#1` and `worker#2`."""
    shown: dict[str, str] = {}
    for name in names:
        base, _, number = name.rpartition(".")
        if base in names and number.isdigit():
            shown |= {base: f"{base}#1", name: f"{base}#{number}"}
    return shown


def _numbered(spawned: Mapping[int, str]) -> dict[int, str]:
    """Threads of one function are told apart by a number."""
    count = Counter(spawned.values())
    seen: Counter[str] = Counter()
    names: dict[int, str] = {}
    for thread, function in sorted(spawned.items()):
        seen[function] += 1
        names[thread] = function if count[function] == 1 else f"{function}#{seen[function]}"
    return names


def heap_pieces(sizes: Mapping[int, int], blocks: Mapping[int, Malloc] | None = None) -> dict[int, Piece]:
    """Names for heap objects: the name of the type that they were made for where it is known, numbered by address
    (which is by thread, then in the order of allocation)."""
    seen: Counter[str] = Counter()
    pieces: dict[int, Piece] = {}
    for start, size in sorted(sizes.items()):
        block = (blocks or {}).get(start)
        name = without_library((block.name if block is not None else "") or "heap")
        seen[name] += 1
        pieces[start] = Piece(start, size, f"{name}#{seen[name]}", _fitting(block.type if block else None, size))
    return pieces


def without_library(name: str) -> str:
    """`tuple<…>` for a type that says how a library is made inside: `tuple<std::__1::unique_ptr<...> >`."""
    outer, _, arguments = name.partition("<")
    return f"{outer}<…>" if "std::__" in arguments else name


def _fitting(type_: DataType | None, size: int) -> DataType | None:
    """The type of a block of this size that was made for objects of a type: one of them, or many."""
    if type_ is None or not type_.size or size == type_.size:
        return type_
    return Array(type_, size // type_.size) if size % type_.size == 0 else None


def _heap(execution: Execution) -> dict[int, Piece]:
    made = [e for e in execution.events if e.kind is EventKind.MALLOC and e.address]
    return heap_pieces({e.address: e.size or e.value for e in made})
