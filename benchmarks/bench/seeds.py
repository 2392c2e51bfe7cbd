"""Seeded bugs: the text of a library with one memory order made relaxed, or one fence taken out, at a time."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_ORDER = re.compile(
    r"\b(std::memory_order_|std::memory_order::|memory_order_|__ATOMIC_)"
    r"(acquire|release|acq_rel|seq_cst|consume|ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)\b"
)
_SHORT = re.compile(r"\b(A|R|AR|C)\b(?=[,)])")  # atomic_queue's names of orders
_VSYNC = re.compile(
    r"\b(vatomic(?:\d+|ptr|sz)_(?!init\b)\w+?)(_acq|_rel|_rlx)?(?=\()"
)  # libvsync's; without a suffix seq_cst
_FENCE = re.compile(
    r"\bck_pr_fence_\w+\(\);|\b(?:std::)?atomic_thread_fence\([^)]*\);|\bfence\(memory_order_\w+\);"
    r"|\bvatomic_fence\w*\(\);"
)
_OWN = {"atomic_queue": _SHORT, "vsync": _VSYNC}  # by a folder of the library
_LEFT_OUT = (".git", "docs", "doxygen", "images", "unittests", "benchmarks", "build", "3rd-party")


@dataclass(frozen=True, slots=True)
class Seed:
    """`change` says what was written and what stands there now."""

    file: Path
    line: int
    change: str
    text: str

    def plant(self) -> None:
        self.file.write_text(self.text, encoding="utf-8")


def copied(library: Path, to: Path) -> Path:
    """A copy of what a program may include, and of what a library's own build wants, without the history."""
    shutil.copytree(library, to, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    return to


def seeds(file: Path) -> Iterator[Seed]:
    text = file.read_text(encoding="utf-8")
    for pattern in (_FENCE, _ORDER, *(p for folder, p in _OWN.items() if folder in file.parts)):
        for found in pattern.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            if _is_comment(text, found.start()) or (pattern is _SHORT and "template" in text.splitlines()[line - 1]):
                continue
            new = _weaker(found, pattern)
            if new != found.group() and not _is_inside_fence(text, found, pattern):
                shown = f"`{found.group()}` → `{new}`" if new else f"without `{found.group()}`"
                yield Seed(file, line, shown, text[: found.start()] + new + text[found.end() :])


def _is_inside_fence(text: str, found: re.Match[str], pattern: re.Pattern[str]) -> bool:
    """An order that stands in a fence: the fence is taken out as a whole."""
    return pattern is _ORDER and any(f.start() < found.start() < f.end() for f in _FENCE.finditer(text))


def _weaker(found: re.Match[str], pattern: re.Pattern[str]) -> str:
    if pattern is _FENCE:
        return ""
    if pattern is _SHORT:
        return "X"
    if pattern is _VSYNC:
        return found[1] + "_rlx"
    return found[1] + ("RELAXED" if found[2].isupper() else "relaxed")


def _is_comment(text: str, at: int) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return "//" in line or line.lstrip().startswith(("*", "/*"))
