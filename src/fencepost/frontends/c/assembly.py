"""Inline assembly: what the compiler writes for a machine is read through that machine's instructions. A text that is
the same on every machine (empty, a fence of another one) is known everywhere. Anything else is named."""

from __future__ import annotations

import re

from fencepost.frontends.c.body import ZERO, Body
from fencepost.frontends.c.inline import LOCKED_STACK, Template, bind_results, read_template
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
_IDLE = frozenset({"", "nop", "pause", "rep nop", "yield", "hint #1", "or 27,27,27"})
_RISCV = re.compile(r"fence\s+(rw|r|w|iorw)\s*,\s*(rw|r|w|iorw)\Z")
_INTEL = "inteldialect"


def translate(b: Body, i: Inst, type_: Type) -> Template:
    """An unknown instruction is named; the execution ends there."""
    template = read_template(b, i, type_)
    if template.way is not None:
        b.move(template.way, ZERO)
    fences = _fences(template.text)
    if fences is not None:
        for fence in fences:
            b.emit(ins.Fence(fence))
    else:
        from fencepost.frontends.c.inline_machines import MACHINES

        machine = MACHINES.get(b.unit.module.triple.partition("-")[0])
        if machine is None or _INTEL in i.cursor.tokens:
            raise Unsupported(f'inline assembly "{template.text}"')
        machine(b, template).run()
    bind_results(b, i, template)
    return template


def _fences(text: str) -> list[FenceKind] | None:
    """The fences of a text that has nothing else but pauses; None where it has."""
    text = re.sub(r"\b(rep|lock)\s*[;\n]\s*", r"\1 ", re.sub(r"#(?!\d).*", "", text.lower()))
    words = [re.sub(r"\s+", " ", part.strip()) for part in re.split(r"[\n;]", text)]
    found = [_fence(w) for w in words if w not in _IDLE]
    known = [f for f in found if f is not None]
    return known if len(known) == len(found) else None


def _fence(word: str) -> FenceKind | None:
    if word in _FENCES:
        return _FENCES[word]
    if LOCKED_STACK.match(word):
        return FenceKind.MFENCE
    if (found := re.match(r"(dmb|dsb) (\w+)\Z", word)) and found.group(2) in _ARM:
        return FenceKind(f"{found.group(1)}.{_ARM[found.group(2)]}")
    if found := _RISCV.match(word):
        before, after = (s.replace("iorw", "rw") for s in found.groups())
        return FenceKind(f"fence.{before}.{after}")
    return None
