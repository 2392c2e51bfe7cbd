"""Orders and fences in C and C++.

A compiler's front end is not asked: the text is only scanned, for where statements begin and for the arguments of the
atomic operations whose places the compiler reports. What cannot be made out is left alone, and every text that comes
of this is compiled and checked before anybody sees it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from fencepost.program.instructions import FenceKind, Mode
from fencepost.repair.lattice import failure_order, held, raised
from fencepost.repair.text.declarations import made_atomic
from fencepost.repair.text.edits import Declared, Edit, OrderText, insert_statement, matching

_NOT_CODE = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*", re.DOTALL | re.MULTILINE
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_BEFORE_BLOCK = frozenset({"else", "do", "try", "const", "noexcept", "override", "final", "mutable"})
_NEVER_FIRST = frozenset({"else", "case", "default", "catch", "public", "private", "protected"})
_NOT_BLOCKS = frozenset({"struct", "class", "union", "enum", "namespace", "extern"})
_LABEL = re.compile(r"[A-Za-z_]\w*\s*:(?!:)")
_ORDER = re.compile(
    r"(?P<prefix>(?:(?:std\s*::\s*)?memory_order(?:_|\s*::\s*)|__ATOMIC_))"
    r"(?P<name>relaxed|consume|acquire|release|acq_rel|seq_cst|RELAXED|CONSUME|ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)"
)
_MODES = {
    "relaxed": Mode.RLX, "consume": Mode.ACQ, "acquire": Mode.ACQ, "release": Mode.REL, "acq_rel": Mode.ACQ_REL,
    "seq_cst": Mode.SC,
}  # fmt: skip
_SPELLED = {m: n for n, m in _MODES.items() if n != "consume"}
_EXCHANGES = re.compile(r"(atomic_)?compare_exchange_(weak|strong)(_explicit)?$|__atomic_compare_exchange(_n)?$")
#: How many arguments come before the order: of methods, and of C's functions (whose first is the object).
_METHODS = {
    "load": 0, "test": 0, "clear": 0, "test_and_set": 0, "store": 1, "exchange": 1, "fetch_add": 1, "fetch_sub": 1,
    "fetch_and": 1, "fetch_or": 1, "fetch_xor": 1, "wait": 1, "compare_exchange_weak": 2, "compare_exchange_strong": 2,
}  # fmt: skip
_FUNCTIONS = {
    "atomic_load": 1, "atomic_store": 2, "atomic_exchange": 2, "atomic_fetch_add": 2, "atomic_fetch_sub": 2,
    "atomic_fetch_and": 2, "atomic_fetch_or": 2, "atomic_fetch_xor": 2, "atomic_flag_test_and_set": 1,
    "atomic_flag_clear": 1, "atomic_compare_exchange_weak": 3, "atomic_compare_exchange_strong": 3,
}  # fmt: skip
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define\b(?:\\\n|[^\n])*", re.MULTILINE)
_BUILTINS = re.compile(r"__atomic_(load|store|exchange|compare_exchange|fetch_\w+|\w+_fetch|test_and_set|clear)(_n)?$")


class CText:
    marker = "__atomic_thread_fence(5);"
    own_fences = False

    def __init__(self, cxx: bool) -> None:
        self.cxx = cxx

    # --- where statements begin

    def gaps(self, text: str) -> list[int]:
        return _Statements(_blank(text)).found

    # --- orders

    def order_at(self, text: str, offset: int) -> OrderText | None:
        code = _blank(text)
        call = _Call.at(code, offset)
        if call is None:
            call = _defined_macro(text, offset)
        if call is None and any(line.start() < offset < line.end() for line in _DEFINE.finditer(text)):
            call = _Call.at(text, offset)
        if call is None:
            return None
        written = call.orders
        if not written:
            return OrderText(call.start, Mode.SC, call.name, Mode.SC if call.exchanges else None)
        modes = [_mode_of(argument, text) for argument in written]
        failure = modes[1] if len(modes) > 1 else None
        return OrderText(call.start, modes[0], call.name, failure)

    def with_order(self, text: str, place: OrderText, mode: Mode) -> list[Edit] | None:
        call = _Call.at(_blank(text), place.key) or _Call.at(text, place.key)
        if call is None:
            return None
        orders = call.spans_of_orders()
        if orders:
            failure = failure_order(mode)
            if place.failure is not None and set(held(place.now or Mode.RLX)) < set(held(mode)):
                failure = raised(failure, held(place.failure))  # stronger than before: nothing is taken away
            modes = [mode, failure][: len(orders)]
            return [Edit(s, e, self._spell(text, text[s:e], m)) for (s, e), m in zip(orders, modes, strict=True)]
        return self._add_order(text, call, mode)

    def _add_order(self, text: str, call: _Call, mode: Mode) -> list[Edit] | None:
        """An operation that names no order is sequentially consistent; another one has to be said."""
        modes = [mode, failure_order(mode)] if call.exchanges and not self.cxx else [mode]
        words = ", ".join(self._spell(text, "", m) for m in modes)
        comma = ", " if call.arguments else ""
        edits = [Edit(call.end, call.end, f"{comma}{words}")]
        if not call.method:
            name_end = call.start + len(call.name)
            edits.append(Edit(name_end, name_end, "_explicit"))
        return edits

    def _spell(self, text: str, like: str, mode: Mode) -> str:
        written = _ORDER.search(like) or _ORDER.search(text)
        prefix = written.group("prefix") if written else ("std::memory_order_" if self.cxx else "memory_order_")
        name = _SPELLED[mode]
        return f"{prefix}{name.upper() if prefix == '__ATOMIC_' else name}"

    def made_atomic(self, text: str, name: str) -> Declared | None:
        return made_atomic(text, _blank(text), name, self.cxx)

    # --- fences

    def fence(self, text: str, kinds: Iterable[FenceKind]) -> str:
        return " ".join(self._fence(text, Mode(k.value)) for k in kinds)

    def _fence(self, text: str, mode: Mode) -> str:
        if self.cxx and "<atomic>" in text:
            prefix = "std::memory_order::" if "memory_order::" in text else "std::memory_order_"
            return f"std::atomic_thread_fence({prefix}{_SPELLED[mode]});"
        if not self.cxx and "<stdatomic.h>" in text:
            return f"atomic_thread_fence(memory_order_{_SPELLED[mode]});"
        return f"__atomic_thread_fence(__ATOMIC_{_SPELLED[mode].upper()});"

    def insertion(self, text: str, offset: int, statement: str) -> Edit:
        return insert_statement(text, offset, statement, " ")

    def fence_at(self, text: str, offset: int) -> tuple[int, int] | None:
        code = _blank(text)
        found = re.compile(r"\w*atomic_thread_fence\s*\(").match(code, offset)
        if found is None:
            return None
        start = offset - 5 if text[max(0, offset - 5) : offset] == "std::" else offset
        end = matching(code, found.end() - 1) + 1
        semicolon = re.compile(r"\s*;").match(code, end)
        return (start, semicolon.end()) if semicolon is not None else None


class _Call:
    """A call of an atomic operation: `start` of its name, its `arguments` as (start, end), `end` at its bracket."""

    def __init__(self, code: str, start: int, name: str, opening: int) -> None:
        self.code, self.start, self.name = code, start, name
        self.end = matching(code, opening)
        self.arguments = _arguments(code, opening, self.end)
        before = code[:start].rstrip()
        self.method = name in _METHODS and before.endswith((".", "->"))

    @staticmethod
    def at(code: str, offset: int) -> _Call | None:
        word = _WORD.match(code, offset)
        while word is not None and word.group() == "std":
            word = _WORD.match(code, word.end() + 2)
        if word is None:
            return None
        name = word.group()
        known = name in _METHODS or name.removesuffix("_explicit") in _FUNCTIONS or _BUILTINS.match(name)
        opening = re.compile(r"\s*\(").match(code, word.end())
        return _Call(code, word.start(), name, opening.end() - 1) if known and opening is not None else None

    @property
    def exchanges(self) -> bool:
        return _EXCHANGES.match(self.name) is not None

    @property
    def orders(self) -> list[str]:
        return [self.code[s:e] for s, e in self.spans_of_orders()]

    def spans_of_orders(self) -> list[tuple[int, int]]:
        if _BUILTINS.match(self.name):
            return self.arguments[-2:] if self.exchanges else self.arguments[-1:]
        if self.method:
            return self.arguments[_METHODS[self.name] :]
        return self.arguments[_FUNCTIONS.get(self.name.removesuffix("_explicit"), 99) :]


def _arguments(code: str, opening: int, end: int) -> list[tuple[int, int]]:
    found, start, depth = [], opening + 1, 0
    for i in range(opening + 1, end + 1):
        c = code[i] if i < len(code) else ")"
        if c in "([{":
            depth += 1
        elif c in ")]}" and i < end:
            depth -= 1
        elif (c == "," and depth == 0) or i == end:
            piece = code[start:i]
            if piece.strip():
                left = start + len(piece) - len(piece.lstrip())
                found.append((left, left + len(piece.strip())))
            start = i + 1
    return found


def _mode_of(argument: str, text: str) -> Mode | None:
    """The order that an argument names, perhaps by a macro or a constant of the file."""
    name = argument.strip()
    written = _ORDER.fullmatch(name)
    if written is None and _WORD.fullmatch(name):
        defined = re.search(rf"^[ \t]*#[ \t]*define[ \t]+{re.escape(name)}[ \t]+(\S+)[ \t]*$", text, re.MULTILINE)
        written = _ORDER.fullmatch(defined.group(1)) if defined is not None else None
    return _MODES[written.group("name").lower()] if written is not None else None


def _defined_macro(text: str, offset: int) -> _Call | None:
    """The operation in the body of a macro of this text: all of its uses share it."""
    word = _WORD.match(text, offset)
    if word is None:
        return None
    define = re.search(rf"^[ \t]*#[ \t]*define[ \t]+{re.escape(word.group())}\b(?:\\\n|[^\n])*", text, re.MULTILINE)
    if define is None:
        return None
    calls = [
        c for w in _WORD.finditer(text, define.start(), define.end()) if (c := _Call.at(text, w.start())) is not None
    ]  # fmt: skip
    return calls[0] if len(calls) == 1 and calls[0].end <= define.end() else None


def _blank(text: str) -> str:
    """The text with comments, strings and directives as blanks, as long as before."""
    return _NOT_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


class _Statements:
    """Where statements begin in blocks of code. `found` are offsets."""

    def __init__(self, code: str) -> None:
        self.code, self.found = code, list[int]()
        self.blocks: list[tuple[bool, bool, int]] = []  # is code, belongs to a `do`, the brackets open around it
        self.round = 0
        self.without_braces: list[int] = []  # each `do` that has a statement for its body: the blocks around it
        fresh, skip = False, 0
        for i, c in enumerate(code):
            if i < skip:
                continue
            if fresh and c in "(*&+-!~[":
                fresh = self.statement(i) > 0
            if c in "([":
                self.round += 1
            elif c in ")]":
                self.round -= 1
            elif c == "{":
                self.open(i)
                fresh = self.in_code
            elif c == "}":
                is_code, do, self.round = self.blocks.pop() if self.blocks else (False, False, 0)
                fresh = is_code and self.in_code and not (do and self.word_after(i) == "while")
            elif c == ";":
                fresh = self.in_code and self.round == self.blocks[-1][2]
            elif not c.isspace() and fresh:
                skip = self.statement(i)
                fresh = skip > 0

    @property
    def in_code(self) -> bool:
        return bool(self.blocks) and self.blocks[-1][0]

    def open(self, at: int) -> None:
        before = self.code[:at].rstrip()
        word = re.search(r"[A-Za-z_]\w*$", before[-64:])
        last = before[-1:] or ";"
        head = self.code[max((before.rfind(x) for x in ";{}"), default=-1) + 1 : at]
        named = any(w in _NOT_BLOCKS for w in _WORD.findall(head)) and "(" not in head
        starts = last in ")]" or (word is not None and word.group() in _BEFORE_BLOCK)
        inside = last in ";{}:" and self.in_code
        trailing = "->" in head and ")" in head  # a lambda or function with a trailing return type
        self.blocks.append(((starts or inside or trailing) and not named, before.endswith("do"), self.round))

    def word_after(self, at: int) -> str:
        word = re.compile(r"\s*([A-Za-z_]\w*)").match(self.code, at + 1)
        return word.group(1) if word else ""

    def statement(self, at: int) -> int:
        """Notes the statement that begins here; the end of its label, behind which another one begins, or 0."""
        word = _WORD.match(self.code, at)
        if word is not None and word.group() in _NEVER_FIRST:
            return 0
        if word is not None and word.group() == "while" and self.without_braces[-1:] == [len(self.blocks)]:
            self.without_braces.pop()
            return 0
        if word is not None and word.group() == "do" and not self.code[word.end() :].lstrip().startswith("{"):
            self.without_braces.append(len(self.blocks))
        self.found.append(at)
        label = _LABEL.match(self.code, at)
        return label.end() if label is not None else 0
