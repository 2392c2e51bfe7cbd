"""Inline assembly: compiler barriers, fences, and what x86 does to memory. Anything else is named as unsupported."""

from __future__ import annotations

import re

from fencepost.frontends.c.body import Body
from fencepost.frontends.c.inline import bind_results, read_template
from fencepost.frontends.c.inline_x86 import X86
from fencepost.frontends.c.llvm.module import Inst
from fencepost.frontends.c.llvm.types import Type
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program import instructions as ins
from fencepost.program.instructions import FenceKind

_FENCES = {
    "mfence": FenceKind.MFENCE, "lfence": FenceKind.LFENCE, "sfence": FenceKind.SFENCE, "sync": FenceKind.SYNC,
    "hwsync": FenceKind.SYNC, "lwsync": FenceKind.LWSYNC, "isync": FenceKind.ISYNC, "eieio": FenceKind.EIEIO,
    "isb": FenceKind.ISB, "isb sy": FenceKind.ISB, "dmb": FenceKind.DMB_SY, "dsb": FenceKind.DSB_SY,
    "fence.tso": FenceKind.FENCE_TSO, "fence.i": FenceKind.FENCE_I, "fence": FenceKind.FENCE_RW_RW,
}  # fmt: skip
_ARM = {"sy": "sy", "ish": "sy", "st": "st", "ishst": "st", "ld": "ld", "ishld": "ld"}
_IDLE = frozenset({"", "nop", "pause", "rep; nop", "rep nop", "yield", "hint #1", "or 27,27,27"})
_RISCV = re.compile(r"fence\s+(rw|r|w|iorw)\s*,\s*(rw|r|w|iorw)\Z")
_LOCKED = re.compile(r"lock;?\s*(addl|orl|addq|orq)\s+\$\$?0(x0)?\s*,.*\((%+)?[er]sp\)\Z")


def translate(b: Body, i: Inst, type_: Type) -> None:
    """An unknown instruction is named; what was translated before it stays, and the execution ends there."""
    template = read_template(b, i, type_)
    # Other machines have the same words for something else: there `mov` has its destination first.
    intel = b.unit.module.triple.startswith(("x86_64", "i386", "i686")) and "inteldialect" not in i.cursor.tokens
    x86 = X86(b, template)
    for locked, word in instructions(template.text):
        line = f"lock; {word}" if locked else word
        if word in _IDLE or (intel and x86.run(word, locked=locked)):
            continue
        b.emit(ins.Fence(_fence(line, word, template.text)))
    bind_results(b, i, template)


def instructions(text: str) -> list[tuple[bool, str]]:
    """The instructions of a template, each with whether it is locked. Assemblers let the prefix `lock;` stand alone."""
    found: list[tuple[bool, str]] = []
    text = re.sub(r"\b(lock|rep)\s*[;\n]\s*", r"\1 ", text)
    for part in re.split(r"[\n;]", re.sub(r"#.*", "", text)):
        word = re.sub(r"\s+", " ", part.strip())
        word = word if "$" in word else word.lower()
        locked = word.startswith("lock ")
        if word:
            found.append((locked, word.removeprefix("lock ")))
    return found


def _fence(line: str, word: str, text: str) -> FenceKind:
    if word in _FENCES:
        return _FENCES[word]
    if (found := re.match(r"(dmb|dsb) (\w+)\Z", word)) and found.group(2) in _ARM:
        return FenceKind(f"{found.group(1)}.{_ARM[found.group(2)]}")
    if found := _RISCV.match(word):
        before, after = (s.replace("iorw", "rw") for s in found.groups())
        return FenceKind(f"fence.{before}.{after}")
    if _LOCKED.match(line):
        return FenceKind.MFENCE
    raise Unsupported(
        f'the instruction "{line}" of inline assembly "{text}"' if line != text else f'inline assembly "{text}"'
    )
