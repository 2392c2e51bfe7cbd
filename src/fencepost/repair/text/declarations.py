"""Declarations of C and C++ that become atomic: `int x;` as `_Atomic int x;` or `std::atomic<int> x;`.

As in `c.py`, the text is only scanned. A name that is declared twice, or in a way that is not plainly a variable or a
member, is left alone; what comes of the change is compiled and checked.
"""

from __future__ import annotations

import re

from fencepost.records import dataclass
from fencepost.repair.text.edits import Declared, Edit, matching

_STORAGE = frozenset({"static", "extern", "inline", "register", "mutable", "thread_local", "_Thread_local", "alignas"})
_NO_TYPE = frozenset({
    "return", "goto", "case", "delete", "typedef", "using", "else", "new", "throw", "struct", "union", "class", "enum",
    "namespace", "template", "do", "constexpr", "const", "auto", "sizeof", "operator", "co_return",
})  # fmt: skip
_TAGS = frozenset({"struct", "union", "class", "enum"})
_ACCESS = re.compile(r"\s*(?:public|private|protected)\s*:")
_TYPE = re.compile(r"(?:[\w:]+(?:\s*<[\w\s:,*]*>)?\s*)+\Z")
_ATOMIC = re.compile(r"_Atomic\b|\batomic_\w+|\batomic\s*<")


@dataclass(frozen=True, slots=True)
class _Declaration:
    """`storage` and `type` stand at `start`, then the `declarators`, up to the semicolon at `end`."""

    start: int
    end: int
    storage: str
    type: str
    declarators: tuple[str, ...]


def made_atomic(text: str, code: str, name: str, cxx: bool) -> Declared | None:
    """`code` is the text without comments, strings and directives, as long as before."""
    uses = re.finditer(rf"\b{re.escape(name)}\b", code)
    found = {
        d for use in uses if (d := _declaration(text, code, use)) is not None and name in map(_named, d.declarators)
    }
    if len(found) != 1:
        return None
    (one,) = found
    number = [_named(d) for d in one.declarators].index(name)
    if ":" in one.declarators[number].partition("=")[0].replace("::", ""):  # a bit-field
        return None
    mine = one.declarators[number]
    around = [one.declarators[:number], one.declarators[number + 1 :]]  # each keeps its place: a struct has an order
    plain = [f"{one.storage}{one.type} {', '.join(d)};" if d else "" for d in around]
    parts = [plain[0], f"{one.storage}{_atomic(one.type, mine, cxx)};", plain[1]]
    after = _between(text, one.start).join(p for p in parts if p)
    edits = [Edit(one.start, one.end + 1, after)]
    if cxx:
        edits += _definitions(code, name) if "static " in one.storage else []
        edits += _loads(code, name, one) if "*" in mine.partition("=")[0] else []
        edits += _include(text)
    return Declared(one.start, f"{one.type} {mine}", _atomic(one.type, mine, cxx), tuple(edits))


def _declaration(text: str, code: str, name: re.Match[str]) -> _Declaration | None:
    """The declaration in which this use of a name is a declarator."""
    start = max(code.rfind(c, 0, name.start()) for c in ";{}") + 1
    if (access := _ACCESS.match(code, start)) is not None:
        start = access.end()
    start += len(code[start:]) - len(code[start:].lstrip())
    end = _semicolon(code, start)
    first = re.compile(r"[\w\s:<>,]*?(?=[\s*]+[A-Za-z_]\w*\s*(?:[;=,\[{]|:(?!:)))").match(code, start)
    if end is None or first is None or first.end() > name.start():
        return None
    head = code[start : first.end()]
    words = head.split()
    storage = [w for w in words if w in _STORAGE]
    type_ = " ".join(w for w in words if w not in _STORAGE)
    tagged = words and words[0] in _TAGS
    if not type_ or not _TYPE.match(type_) or _ATOMIC.search(head) or (set(words) & _NO_TYPE and not tagged):
        return None
    declarators = tuple(d.strip() for d in _split(text, code, first.end(), end))
    prefix = "".join(f"{w} " for w in storage)
    return _Declaration(start, end, prefix, type_, declarators)


def _semicolon(code: str, at: int) -> int | None:
    """The end of a declaration: brackets of its initialiser are passed over."""
    while at < len(code):
        if code[at] in "([{":
            at = matching(code, at)
        elif code[at] == ";":
            return at
        elif code[at] in ")]}":
            return None
        at += 1
    return None


def _split(text: str, code: str, start: int, end: int) -> list[str]:
    parts, last, at = [], start, start
    while at < end:
        if code[at] in "([{":
            at = matching(code, at)
        elif code[at] == ",":
            parts.append(text[last:at])
            last = at + 1
        at += 1
    return [*parts, text[last:end]]


def _named(declarator: str) -> str:
    """`*p = 0` declares p; what has brackets before its name (a pointer to a function) none that we change."""
    found = re.match(r"[\s*]*(?:volatile\s+)?([A-Za-z_]\w*)\s*(?![\w(])", declarator)
    return found.group(1) if found is not None else ""


def _atomic(type_: str, declarator: str, cxx: bool) -> str:
    stars = re.match(r"[\s*]*", declarator)
    pointer = stars.group().replace(" ", "") if stars is not None else ""
    rest = declarator[stars.end() :] if stars is not None else declarator
    if cxx:
        kept = type_.replace("volatile ", "")
        return f"std::atomic<{kept}{' ' + pointer if pointer else ''}> {rest}"
    return f"{type_} {pointer}_Atomic {rest}" if pointer else f"_Atomic {type_} {rest}"


def _definitions(code: str, name: str) -> list[Edit]:
    """Where a static member is defined outside its class: `T *C::name = nullptr;`."""
    member = (
        rf"^[ \t]*((?:[\w:]+[ \t]+)*?[\w:]+(?:<[\w\s:,*]*>)?)([\s*]+)((?:\w+::)+{re.escape(name)})\b(?=\s*[;={{\[])"
    )
    return [
        Edit(m.start(1), m.start(3), f"{_atomic(m.group(1), m.group(2), cxx=True)}")
        for m in re.finditer(member, code, re.MULTILINE)
    ]


def _loads(code: str, name: str, one: _Declaration) -> list[Edit]:
    """An atomic pointer has no `->` in C++."""
    uses = re.finditer(rf"\b{re.escape(name)}(?=\s*->)", code)
    return [Edit(m.end(), m.end(), ".load()") for m in uses if not one.start <= m.start() <= one.end]


def _include(text: str) -> list[Edit]:
    if re.search(r"^\s*#\s*include\s*<atomic>", text, re.MULTILINE):
        return []
    first = re.search(r"^[ \t]*#[ \t]*include\b", text, re.MULTILINE)
    at = first.start() if first is not None else 0
    return [Edit(at, at, "#include <atomic>\n")]


def _between(text: str, at: int) -> str:
    """What goes between two declarations: a new line where the first one begins a line."""
    before = text[text.rfind("\n", 0, at) + 1 : at]
    return " " if before.strip() else f"\n{before}"
