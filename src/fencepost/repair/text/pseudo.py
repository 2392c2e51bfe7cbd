"""Orders and fences in the .fp language."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fencepost.program.instructions import FenceKind, Mode
from fencepost.repair.text.edits import Declared, Edit, OrderText, insert_statement, matching

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"[^\"\n]*\"", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_MODE = re.compile(r"\.(na|rlx|acq_pc|acq_rel|acq|rel|sc)\b")
_CALLS = frozenset({
    "FADD", "FSUB", "FAND", "FOR", "FXOR", "FNAND", "FMAX", "FMIN", "XCHG", "CAS", "WCAS", "BCAS", "LDX", "STX", "wait",
})  # fmt: skip
_LABEL = re.compile(r"[A-Za-z_$][\w$]*\s*:(?!=)")
_GOES_ON = re.compile(r"[-+*/%&|^<>=!,(\[~]\s*$")

_PREFIXED = (
    FenceKind.ACQ, FenceKind.REL, FenceKind.ACQ_REL, FenceKind.SC, FenceKind.MB, FenceKind.RMB, FenceKind.WMB,
)  # fmt: skip


class Pseudo:
    marker = "fence.sc;"
    own_fences = True

    def gaps(self, text: str) -> list[int]:
        code = _blank(text)
        found: list[int] = []
        depth, fresh, brackets, skip = 0, False, 0, 0
        for i, c in enumerate(code):
            if i < skip:
                continue
            if c in "([":
                if fresh and depth > 0 and brackets == 0:  # a store through an address
                    found.append(i)
                fresh = False
                brackets += 1
            elif c in ")]":
                brackets -= 1
            elif c == "{":
                depth, fresh = depth + 1, True
            elif c == "}":
                depth, fresh = depth - 1, True
            elif c == ";" or (c == "\n" and not _GOES_ON.search(code[max(0, i - 40) : i])):
                fresh = True
            elif not c.isspace() and fresh:
                fresh = False
                if depth > 0 and brackets == 0 and not code.startswith("else", i):
                    found.append(i)
                    label = _LABEL.match(code, i)
                    if label is not None:
                        fresh, skip = True, label.end()
        return found

    def order_at(self, text: str, offset: int) -> OrderText | None:
        code = _blank(text)
        at, what = offset, ""
        while (name := _NAME.match(code, at)) and name.group() in _CALLS:
            what, at = name.group(), name.end()
            while at < len(code) and code[at] in " (":
                at += 1
        end = _place_end(code, at)
        if end is None:
            return None
        mode = _MODE.match(code, end)
        now = Mode(mode.group(1)) if mode is not None else Mode.RLX
        return OrderText(end, now, what or text[at:end])

    def with_order(self, text: str, place: OrderText, mode: Mode) -> list[Edit] | None:
        written = _MODE.match(_blank(text), place.key)
        end = written.end() if written is not None else place.key
        return [Edit(place.key, end, "" if mode is Mode.RLX else f".{mode.value}")]

    def made_atomic(self, text: str, name: str) -> Declared | None:
        """Accesses say themselves that they are plain."""
        found = list(re.finditer(rf"(?<![\w$.]){re.escape(name)}(?:\[[^\]]*\])?(\.na)\b", _blank(text)))
        edits = tuple(Edit(*m.span(1), "") for m in found)
        return Declared(found[0].start(), f"{name}.na", name, edits) if edits else None

    def fence(self, text: str, kinds: Iterable[FenceKind]) -> str:
        return "; ".join(f"fence.{k.value}" if k in _PREFIXED else k.value for k in kinds)

    def insertion(self, text: str, offset: int, statement: str) -> Edit:
        return insert_statement(text, offset, statement, "; ")

    def fence_at(self, text: str, offset: int) -> tuple[int, int] | None:
        found = re.compile(r"[\w.]+").match(text, offset)
        return (offset, found.end()) if found is not None else None


def _place_end(code: str, at: int) -> int | None:
    """Where a place ends that begins here: x, a[i], [e]."""
    if at < len(code) and code[at] == "[":
        return matching(code, at) + 1
    name = _NAME.match(code, at)
    if name is None:
        return None
    end = name.end()
    return matching(code, end) + 1 if end < len(code) and code[end] == "[" else end


def _blank(text: str) -> str:
    """The text with its comments and strings as blanks, as long as before."""
    return _COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
