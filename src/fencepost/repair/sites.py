"""Where the orders of a program can be changed: for programs without text at hand, and the rules common to all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fencepost.program.instructions import Alloca, Call, Fence, FenceKind, Instruction, Mode, Return, Sync
from fencepost.program.operands import Reg
from fencepost.program.passes.rewrite import Registers, expand, map_functions
from fencepost.program.program import Arch, Function, Program
from fencepost.repair.lattice import Access, access_steps, existing_fence_steps, held, is_access, with_order
from fencepost.repair.space import Site, SiteKind, Spot
from fencepost.witness.sites import foreign, in_library


def accesses(program: Program) -> Iterator[tuple[Spot, Access]]:
    """The atomic accesses in the program's own text."""
    for number, function in enumerate(program.functions):
        for index, i in enumerate(function.code):
            if is_access(i) and i.mode is not Mode.NA and not foreign(i.at):  # type: ignore[attr-defined] # an access
                yield (number, index), i  # type: ignore[misc]


def shared(function: Function, i: Instruction) -> bool:
    """Whether other threads may notice an instruction: an access to memory that is not the thread's own, or a call."""
    if isinstance(i, Call | Sync):
        return True
    if not is_access(i):
        return False
    private = {c.dst.index for c in function.code if isinstance(c, Alloca) and c.private}
    address = i.address  # type: ignore[attr-defined] # an access has one
    return not (isinstance(address, Reg) and address.index in private)


def access_site(spots: Iterable[Spot], i: Access, *, strip: bool, now: Mode | None = None, label: str = "") -> Site:
    """`strip`: an assignment without atoms gives it no order at all."""
    order = now if now is not None else i.mode
    base = Mode.RLX if strip else order
    steps = access_steps(i)
    if strip:
        steps = {n: s for n, s in steps.items() if n in held(order)}
    return Site(SiteKind.ACCESS, tuple(spots), steps, i.at, order, base, label)


def fence_sites(program: Program) -> list[Site]:
    """The fences that are there, each as one that may be made weaker or taken away."""
    found = []
    for number, function in enumerate(program.functions):
        for index, i in enumerate(function.code):
            if isinstance(i, Fence) and not foreign(i.at):
                steps = existing_fence_steps(i.kind)
                found.append(Site(SiteKind.FENCE, ((number, index),), steps, i.at, label="fence", fence=i.kind))
    return found


def strongest(program: Program, architecture: Arch | None = None) -> Program:
    """The program with every atomic access sequentially consistent and a full fence in front of everything that others
    may notice: if this fails, no order and no fence helps, wherever it is written. The Linux kernel has no loads and
    stores above acquire and release; its full fences do the rest."""
    most = Mode.ACQ_REL if architecture is Arch.LKMM else Mode.SC
    full = FenceKind.MB if architecture is Arch.LKMM else FenceKind.SC

    def change(function: Function) -> Function:
        own = not in_library(function.at)

        def stronger(i: Instruction, registers: Registers) -> list[Instruction]:
            here = with_order(i, most) if is_access(i) and i.mode is not Mode.NA else i  # type: ignore[attr-defined]
            fenced = own and (is_access(i) or isinstance(i, Call | Sync | Return))
            return [Fence(full, at=i.at), here] if fenced else [here]

        return expand(function, stronger)

    return map_functions(program, change)
