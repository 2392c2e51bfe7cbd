"""What a program goes through before its robustness is judged. The witness is an execution of the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fencepost.options import RobustOptions
from fencepost.prepare.encoded import Prepared, encoded
from fencepost.program import instructions as ins
from fencepost.program import pipeline
from fencepost.program.fences import FULL_FENCES
from fencepost.program.instructions import FenceKind, Instruction, Mode, RmwOp
from fencepost.program.operands import Const, GlobalAddress
from fencepost.program.passes.rewrite import Registers, expand
from fencepost.program.program import Arch, Object, Program


def prepare(program: Program, against: str, options: RobustOptions | None = None) -> Prepared:
    return encoded(passes(program, against, options))


def passes(program: Program, against: str, options: RobustOptions | None = None) -> Program:
    """What every analysis does. Then, unless the model has fences of its own, turns every full fence into a
    read-modify-write of one location that nothing else uses (Example 3.6 of the paper), and drops the weaker fences:
    where every access releases or acquires they add nothing. SC needs no fence at all."""
    settings = replace((options or RobustOptions()).settings, target=against)
    program = pipeline.prepare(program, pipeline.Purpose.ROBUSTNESS, settings)
    if against == "tso" or against in RC11:
        return program
    return _fences_as_updates(program, frozenset() if against == "sc" else FULL_FENCES)


#: The models that take the orders of C, and its fences, as they are.
RC11 = frozenset({"rc11", "rc11-cpp20"})


def _fences_as_updates(program: Program, full: frozenset[FenceKind]) -> Program:
    fences = [i.kind for f in program.functions for i in f.code if isinstance(i, ins.Fence)]
    if not fences:
        return program
    name = _fresh("fence", {o.name for o in program.objects} | {f.name for f in program.functions})

    def lower(i: Instruction, registers: Registers) -> Sequence[Instruction]:
        if not isinstance(i, ins.Fence):
            return (i,)
        if i.kind not in full:
            return ()
        return (ins.Rmw(None, GlobalAddress(name), Const(0), RmwOp.ADD, 8, Mode.ACQ_REL, at=i.at),)

    functions = tuple(expand(f, lower) for f in program.functions)
    objects = (*program.objects, Object(name, 8)) if full & set(fences) else program.objects
    return replace(program, functions=functions, objects=objects, arch=_readable(program.arch))


def _readable(arch: Arch) -> Arch:
    """A hardware program that is judged against a language model is read as one of that language."""
    return arch if arch in (Arch.FP, Arch.C11) else Arch.C11


def _fresh(wish: str, taken: set[str]) -> str:
    name, n = f"${wish}", 1
    while name in taken:
        n += 1
        name = f"${wish}{n}"
    return name
