"""Makes one access of a program stronger."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from fencepost.program.instructions import Fence, FenceKind, Instruction, Load, Mode, Rmw, Store
from fencepost.program.program import Program

_LOAD = {Mode.RLX: (Mode.ACQ, Mode.SC), Mode.ACQ: (Mode.SC,)}
_STORE = {Mode.RLX: (Mode.REL, Mode.SC), Mode.REL: (Mode.SC,)}
_RMW = {
    Mode.RLX: (Mode.ACQ, Mode.REL, Mode.ACQ_REL, Mode.SC), Mode.ACQ: (Mode.ACQ_REL, Mode.SC),
    Mode.REL: (Mode.ACQ_REL, Mode.SC), Mode.ACQ_REL: (Mode.SC,),
}  # fmt: skip
_FENCE = {
    FenceKind.ACQ: (FenceKind.ACQ_REL, FenceKind.SC), FenceKind.REL: (FenceKind.ACQ_REL, FenceKind.SC),
    FenceKind.ACQ_REL: (FenceKind.SC,),
}  # fmt: skip


def stronger(program: Program, seed: int) -> Program:
    """The program with one stronger order, or as it is where all are the strongest already."""
    random = Random(seed)
    sites = [(f, k) for f, fn in enumerate(program.functions) for k, i in enumerate(fn.code) if _options(i)]
    if not sites:
        return program
    f, k = random.choice(sites)
    function = program.functions[f]
    changed = random.choice(_options(function.code[k]))
    code = (*function.code[:k], changed, *function.code[k + 1 :])
    functions = (*program.functions[:f], replace(function, code=code), *program.functions[f + 1 :])
    return replace(program, functions=functions)


def _options(i: Instruction) -> list[Instruction]:
    match i:
        case Load():
            return [replace(i, mode=m) for m in _LOAD.get(i.mode, ())]
        case Store():
            return [replace(i, mode=m) for m in _STORE.get(i.mode, ())]
        case Rmw():
            return [replace(i, mode=m) for m in _RMW.get(i.mode, ())]
        case Fence():
            return [replace(i, kind=k) for k in _FENCE.get(i.kind, ())]
    return []
