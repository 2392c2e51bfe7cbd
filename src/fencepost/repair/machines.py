"""What an order costs where it runs: the instructions that it compiles to."""

from __future__ import annotations

from fencepost.program import instructions as ins
from fencepost.program.instructions import Fence, Instruction, Mode, RmwOp
from fencepost.program.operands import Const, GlobalAddress, Reg
from fencepost.program.passes.mapping import TARGETS, map_to
from fencepost.program.program import Arch, Function, Object, Program
from fencepost.repair.lattice import LOAD, STORE, joined, raised, with_order
from fencepost.repair.space import Site, SiteKind

_MACHINES = (("x86", "tso"), ("Arm", "armv8"), ("POWER", "power"))
_X = GlobalAddress("x")


def compiled(site: Site, steps: set[str]) -> tuple[tuple[str, str], ...]:
    """What stands beside the plain access on each machine; `plain` where nothing does."""
    if site.kind is not SiteKind.ACCESS:
        code: list[Instruction] = [Fence(kind) for kind in joined(steps, site.steps)]
    else:
        code = [with_order(_sample(site), raised(site.base, steps))]
    return tuple((name, _on(code, model)) for name, model in _MACHINES)


def _sample(site: Site) -> Instruction:
    if set(site.steps) <= set(LOAD) and "rel" not in site.steps:
        return ins.Load(Reg(0), _X)
    if set(site.steps) <= set(STORE) and "acq" not in site.steps:
        return ins.Store(_X, Const(1))
    return ins.Rmw(Reg(0), _X, Const(1), RmwOp.XCHG)


def _on(code: list[Instruction], model: str) -> str:
    function = Function("f", ("r",), 0, (*code, ins.Return()))
    program = Program("p", Arch.C11, (Object("x", 8),), (function,), ())
    words = [_word(i) for i in map_to(program, TARGETS[model]).functions[0].code]
    if TARGETS[model].locked and any(isinstance(i, ins.Rmw) for i in code):
        words = ["lock"]
    return " ".join(w for w in words if w) or "plain"


def _word(i: Instruction) -> str:
    if isinstance(i, Fence):
        return i.kind.value.replace(".", " ")
    mode = getattr(i, "mode", Mode.NA)
    if isinstance(i, ins.Load):
        return "ldar" if mode is Mode.ACQ else ""
    if isinstance(i, ins.Store):
        return "stlr" if mode is Mode.REL else ""
    if isinstance(i, ins.Rmw):
        return {Mode.ACQ: "acquire", Mode.REL: "release", Mode.ACQ_REL: "acquire release"}.get(mode, "")
    return ""
