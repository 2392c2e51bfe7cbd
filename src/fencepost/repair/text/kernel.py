"""Orders and fences in litmus tests of the Linux kernel: READ_ONCE, smp_load_acquire, xchg_relaxed, xchg, smp_mb."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fencepost.program.instructions import FenceKind, Mode
from fencepost.repair.text.c import CText
from fencepost.repair.text.edits import Declared, Edit, OrderText, matching

_NAME = re.compile(r"[A-Za-z_]\w*")
_LOADS = {"READ_ONCE": Mode.RLX, "smp_load_acquire": Mode.ACQ, "atomic_read": Mode.RLX, "atomic_read_acquire": Mode.ACQ}
_STORES = {
    "WRITE_ONCE": Mode.RLX,
    "smp_store_release": Mode.REL,
    "atomic_set": Mode.RLX,
    "atomic_set_release": Mode.REL,
}
#: The weaker and the stronger name; those that begin a pair take an object, the others a pointer to it.
_PAIRS = {
    ("READ_ONCE", "smp_load_acquire"), ("WRITE_ONCE", "smp_store_release"), ("atomic_read", "atomic_read_acquire"),
    ("atomic_set", "atomic_set_release"),
}  # fmt: skip
_UPDATE = re.compile(
    r"(?P<stem>(?:atomic(?:64|_long)?_)?(?:cmp)?xchg|atomic(?:64|_long)?_(?:fetch_\w+?|\w+_return))"
    r"(?P<order>|_relaxed|_acquire|_release)\Z"
)
#: What has no suffix is a full barrier: the kernel has nothing between it and acquire or release.
_SUFFIX = {Mode.RLX: "_relaxed", Mode.ACQ: "_acquire", Mode.REL: "_release", Mode.ACQ_REL: ""}
_MODE = {suffix: mode for mode, suffix in _SUFFIX.items()}
_FENCES = {FenceKind.MB: "smp_mb();", FenceKind.RMB: "smp_rmb();", FenceKind.WMB: "smp_wmb();"}


class KernelText(CText):
    marker = "smp_mb();"
    own_fences = True

    def __init__(self) -> None:
        super().__init__(False)

    def order_at(self, text: str, offset: int) -> OrderText | None:
        word = _NAME.match(text, offset)
        if word is None:
            return None
        name = word.group()
        if name in _LOADS:
            return OrderText(offset, _LOADS[name], name)
        if name in _STORES:
            return OrderText(offset, _STORES[name], name)
        update = _UPDATE.match(name)
        return OrderText(offset, _MODE[update["order"]], name) if update is not None else None

    def with_order(self, text: str, place: OrderText, mode: Mode) -> list[Edit] | None:
        word = _NAME.match(text, place.key)
        assert word is not None, "a place of an order should be the name of an operation"
        name = word.group()
        update = _UPDATE.match(name)
        if update is not None:
            return [Edit(word.start(), word.end(), update["stem"] + _SUFFIX[mode])]
        weak, strong = next(pair for pair in _PAIRS if name in pair)
        new = strong if mode is not Mode.RLX else weak
        edits = [Edit(word.start(), word.end(), new)]
        argument = _first_argument(text, word.end())
        if new == name or not weak.isupper() or argument is None:
            return edits
        start, end = argument
        inside = text[start:end]
        return [*edits, Edit(start, end, _pointer_to(inside) if new == strong else _what(inside))]

    def made_atomic(self, text: str, name: str) -> Declared | None:
        return None  # a test declares nothing

    def fence(self, text: str, kinds: Iterable[FenceKind]) -> str:
        return " ".join(_FENCES[k] for k in kinds)

    def fence_at(self, text: str, offset: int) -> tuple[int, int] | None:
        found = re.compile(r"smp_[rw]?mb\s*\(\s*\)\s*;").match(text, offset)
        return (offset, found.end()) if found is not None else None


def _first_argument(text: str, at: int) -> tuple[int, int] | None:
    opening = text.find("(", at)
    if opening < 0:
        return None
    end, depth = matching(text, opening), 0
    for i in range(opening + 1, end):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if text[i] == "," and depth == 0:
            return opening + 1, i
    return opening + 1, end


def _pointer_to(place: str) -> str:
    """`*x` -> `x`, `p->next` -> `&p->next`."""
    stripped = place.strip()
    return stripped[1:].lstrip() if stripped.startswith("*") else f"&{stripped}"


def _what(pointer: str) -> str:
    stripped = pointer.strip()
    return stripped[1:].lstrip() if stripped.startswith("&") else f"*{stripped}"
