"""What the Promela export asks of code: which objects a register may point to, what a Promela int holds of it, and the
arithmetic of fewer than 32 bits."""

from __future__ import annotations

from collections.abc import Iterator

from fencepost.errors import UnsupportedError
from fencepost.program import instructions as ins
from fencepost.program.instructions import Instruction, Op
from fencepost.program.operands import GlobalAddress, Reg, to_signed
from fencepost.program.passes.rewrite import defined
from fencepost.program.program import Function

Access = ins.Load | ins.Store | ins.Rmw | ins.Cas | ins.Await | ins.BlockingCas
COMPARISONS = (Op.EQ, Op.NE, Op.SLT, Op.SLE, Op.SGT, Op.SGE, Op.ULT, Op.ULE, Op.UGT, Op.UGE)


def provenance(f: Function, given: list[frozenset[str] | None]) -> dict[int, frozenset[str] | None]:
    """For each register the objects whose address it may hold; None: any. Registers that only numbers reach hold
    none. Loads and calls may bring any address, parameters those that are `given`."""
    found: dict[int, frozenset[str] | None] = dict(enumerate(given))
    changed = True
    while changed:
        changed = False
        for i in f.code:
            for register, names in _defined(i, found):
                before = found.get(register, frozenset())
                after = None if before is None or names is None else before | names
                if after != before or register not in found:
                    found[register], changed = after, True
    return found


def _defined(i: Instruction, found: dict[int, frozenset[str] | None]) -> Iterator[tuple[int, frozenset[str] | None]]:
    if isinstance(i, ins.Compute):
        names: frozenset[str] | None = frozenset()
        for a in i.args:
            more = frozenset({a.name}) if isinstance(a, GlobalAddress) else frozenset[str]()
            if isinstance(a, Reg):
                origin = found.get(a.index, frozenset())
                if origin is None and any(isinstance(b, GlobalAddress) for b in i.args):
                    origin = frozenset()  # an index into the object that the other operand names
                names = None if names is None or origin is None else names | origin
            names = names if names is None else names | more
        yield i.dst.index, names
        return
    for name in ("dst", "old", "success"):
        register = getattr(i, name, None)
        if isinstance(register, Reg):
            yield register.index, None


def masked(text: str, width: int) -> str:
    return f"(({text}) & {(1 << width) - 1})"


def signed(text: str, width: int) -> str:
    sign = 1 << (width - 1)
    return f"(({masked(text, width)} ^ {sign}) - {sign})"


def narrow(f: Function) -> frozenset[int]:
    """The registers that may hold what an operation or a location of 32 bits left, as it is in a Promela int."""
    found: set[int] = set(range(f.parameters))
    before = -1
    while len(found) != before:
        before = len(found)
        for i in f.code:
            if isinstance(i, ins.Compute):
                copies = i.op in (Op.MOV, Op.SELECT) and any(isinstance(a, Reg) and a.index in found for a in i.args)
                if copies or (i.width == 32 and i.op is not Op.SEXT and i.op not in COMPARISONS):
                    found.add(i.dst.index)
            elif (isinstance(i, Access) and i.size == 4) or isinstance(i, ins.Call | ins.Choose):
                found |= {r.index for r in defined(i)}
    return frozenset(found)


def targets(i: Instruction) -> tuple[int, ...]:
    match i:
        case ins.Jump():
            return (i.target,)
        case ins.Branch():
            return (i.then, i.otherwise)
        case ins.Switch():
            return (*i.targets, i.default)
    return ()


def integer(value: int, bits: int) -> int:
    """The Promela int that stands for a constant in a place of so many bits."""
    if bits < 32:
        return value & ((1 << bits) - 1)
    found = to_signed(value, bits)
    if not -(1 << 31) <= found < 1 << 31:
        raise UnsupportedError(f"the Promela export has no number as large as {found}")
    return found
