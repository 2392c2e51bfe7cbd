"""Inline assembly: compiler barriers and fences. Anything else is named as unsupported."""

from __future__ import annotations

import re

from fencepost.frontends.c.body import Body
from fencepost.frontends.c.llvm.module import Inst
from fencepost.frontends.c.llvm.tokens import unescape
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
    template = next(t for t in i.cursor.tokens[i.cursor.at :] if t[0] == '"')
    text = unescape(template[1:-1])
    for line in re.split(r"[\n;]\s*", text) if not text.strip().startswith(("lock", "rep")) else [text]:
        word = re.sub(r"\s+", " ", line.strip().lower())
        if word not in _IDLE:
            b.emit(ins.Fence(_fence(word, text)))
    if i.result is not None:
        raise Unsupported(f'inline assembly with a result: "{text}"')


def _fence(word: str, text: str) -> FenceKind:
    if word in _FENCES:
        return _FENCES[word]
    if (found := re.match(r"(dmb|dsb) (\w+)\Z", word)) and found.group(2) in _ARM:
        return FenceKind(f"{found.group(1)}.{_ARM[found.group(2)]}")
    if found := _RISCV.match(word):
        before, after = (s.replace("iorw", "rw") for s in found.groups())
        return FenceKind(f"fence.{before}.{after}")
    if _LOCKED.match(word):
        return FenceKind.MFENCE
    raise Unsupported(f'inline assembly "{text}"')
