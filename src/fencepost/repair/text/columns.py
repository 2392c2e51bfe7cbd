"""Orders and fences in litmus tests whose threads stand in columns of assembly: a fence is a row of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fencepost.program.instructions import FenceKind, Mode
from fencepost.repair.text.edits import Declared, Edit, OrderText

_WORD = re.compile(r"[A-Za-z][\w.]*")
#: AArch64 has acquire and release accesses of its own; the acquiring load and the releasing store take no offset.
_PLAIN_ADDRESS = re.compile(r"[^\[]*\[\s*\w+\s*\]\s*\Z")
_LOAD = re.compile(r"(?P<head>LD)(?P<order>|A|X|AX)(?P<tail>R[BH]?)\Z", re.IGNORECASE)
_STORE = re.compile(r"(?P<head>ST)(?P<order>|L)(?P<tail>X?R[BH]?)\Z", re.IGNORECASE)
_UPDATE = re.compile(
    r"(?P<head>LD(?:ADD|CLR|EOR|SET|SMAX|SMIN|UMAX|UMIN)|SWP|CAS)(?P<order>|A|L|AL)(?P<tail>[BH]?)\Z", re.IGNORECASE
)
_LETTERS = {Mode.RLX: "", Mode.ACQ: "A", Mode.REL: "L", Mode.ACQ_REL: "AL"}
_MODES = {letters: mode for mode, letters in _LETTERS.items()}


class Columns:
    """`arch` as the first word of the test has it."""

    marker = ""  # fences stand in front of instructions: there is no text that could be marked in all columns at once
    own_fences = True

    def __init__(self, arch: str) -> None:
        self.arch = arch

    def gaps(self, text: str) -> list[int]:
        return []

    # --- orders

    def order_at(self, text: str, offset: int) -> OrderText | None:
        if self.arch != "AArch64":
            return None
        word = _WORD.match(text, offset)
        found = _access(text, word) if word is not None else None
        if word is None or found is None:
            return None
        return OrderText(offset, _mode(found), word.group(), offers=_offers(found))

    def with_order(self, text: str, place: OrderText, mode: Mode) -> list[Edit] | None:
        word = _WORD.match(text, place.key)
        found = _access(text, word) if word is not None else None
        if word is None or found is None or mode not in _LETTERS:
            return None
        exclusive = "X" if "X" in found["order"].upper() else ""
        letters = _LETTERS[mode] + exclusive
        letters = letters if word.group().isupper() else letters.lower()
        return [Edit(word.start(), word.end(), f"{found['head']}{letters}{found['tail']}")]

    def made_atomic(self, text: str, name: str) -> Declared | None:
        return None  # a machine's accesses are all alike

    # --- fences

    def fence(self, text: str, kinds: Iterable[FenceKind]) -> str:
        return "\n".join(self._spell(k) for k in kinds)

    def _spell(self, kind: FenceKind) -> str:
        if kind.value.startswith("fence.") and kind is not FenceKind.FENCE_TSO:
            _, before, after = kind.value.split(".")
            return f"fence {before},{after}"
        words = kind.value.replace(".", " ")
        return words.upper() if self.arch in ("AArch64", "X86", "X86_64") else words

    def fence_at(self, text: str, offset: int) -> tuple[int, int] | None:
        end = _end(text, offset)
        return offset, offset + len(text[offset:end].rstrip())

    def insertion(self, text: str, offset: int, statement: str) -> Edit:
        """A row in front of the row of `offset`, empty but for its column."""
        start, end = _row(text, offset)
        cells = text[start:end].split("|")
        column = text.count("|", start, offset)
        rows = ""
        for fence in statement.split("\n"):
            words = [" " * len(c) for c in cells]
            words[column] = f" {fence} ".ljust(len(cells[column]))
            rows += f"{'|'.join(words)};\n"
        return Edit(start, start, rows)


def in_one_row(edits: Iterable[Edit]) -> list[Edit]:
    """New rows at one place as one row, where no two of them use the same column."""
    kept: list[Edit] = []
    rows: dict[int, Edit] = {}
    for edit in edits:
        known = rows.get(edit.start)
        if not edit.new.endswith(";\n"):
            kept.append(edit)
        elif known is not None and (one := _merged(known.new, edit.new)) is not None:
            rows[edit.start] = Edit(edit.start, edit.end, one)
        elif known is not None:
            rows[edit.start] = Edit(edit.start, edit.end, known.new + edit.new)
        else:
            rows[edit.start] = edit
    return [*kept, *rows.values()]


def _merged(a: str, b: str) -> str | None:
    pairs = list(zip(a.rstrip(";\n").split("|"), b.rstrip(";\n").split("|"), strict=False))
    if "\n" in a[:-1] + b[:-1] or any(x.strip() and y.strip() for x, y in pairs):
        return None
    return "|".join(x if x.strip() else y for x, y in pairs) + ";\n"


def _row(text: str, offset: int) -> tuple[int, int]:
    """From the start of its line (or behind the row before it) to its semicolon."""
    start = max(text.rfind(";", 0, offset), text.rfind("\n", 0, offset)) + 1
    end = text.find(";", offset)
    return start, len(text) if end < 0 else end


def _end(text: str, offset: int) -> int:
    found = re.compile(r"[|;\n]").search(text, offset)
    return found.start() if found is not None else len(text)


def _access(text: str, word: re.Match[str]) -> re.Match[str] | None:
    name = word.group()
    update = _UPDATE.match(name)
    if update is not None:
        return update
    simple = _PLAIN_ADDRESS.match(text[word.end() : _end(text, word.end())]) is not None
    return (_LOAD.match(name) or _STORE.match(name)) if simple else None


def _mode(found: re.Match[str]) -> Mode:
    return _MODES[found["order"].upper().replace("X", "")]


def _offers(found: re.Match[str]) -> frozenset[str]:
    if found.re is _UPDATE:
        return frozenset({"acq", "rel"})
    return frozenset({"acq"} if found.re is _LOAD else {"rel"})
