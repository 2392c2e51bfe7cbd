"""The steps by which an access or a fence can be made stronger, and what each costs.

An *atom* is one step: `acq` on a load, `sync` in a gap. An assignment is a set of atoms that holds, with each atom,
those below it. The orders of one site are then a distributive lattice, and "one of these steps is needed" is a clause.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from fencepost.errors import UsageError
from fencepost.program import instructions as ins
from fencepost.program.instructions import FenceKind, Instruction, Mode
from fencepost.program.program import Arch
from fencepost.records import replace

#: Name of a step -> (its own cost, the steps below it). The costs are about ratios: an acquire load costs less than a
#: fence, a full fence more than a light one.
Steps: TypeAlias = Mapping[str, tuple[int, tuple[str, ...]]]

LOAD: Steps = {"acq": (2, ()), "sc": (4, ("acq",))}
STORE: Steps = {"rel": (2, ()), "sc": (4, ("rel",))}
UPDATE: Steps = {"acq": (2, ()), "rel": (2, ()), "sc": (4, ("acq", "rel"))}
C11_FENCE: Steps = {"acq": (3, ()), "rel": (3, ()), "sc": (7, ("acq", "rel"))}
#: The same in front of a store: where both would do, a release is what a person expects there.
_C11_FENCE_BEFORE_STORE: Steps = {n: C11_FENCE[n] for n in ("rel", "acq", "sc")}
_MACHINE_FENCES: dict[Arch, Steps] = {
    Arch.X86: {"mfence": (10, ())},
    Arch.PPC: {"lwsync": (5, ()), "sync": (6, ("lwsync",))},
    Arch.AARCH64: {"dmb.ld": (4, ()), "dmb.st": (4, ()), "dmb.sy": (3, ("dmb.ld", "dmb.st"))},
    Arch.RISCV: {
        "fence.r.rw": (4, ()), "fence.rw.w": (4, ()), "fence.rw.rw": (3, ("fence.r.rw", "fence.rw.w")),
    },
    Arch.LKMM: {"rmb": (3, ()), "wmb": (3, ()), "mb": (7, ("rmb", "wmb"))},
}  # fmt: skip
_PSO_FENCES: Steps = {"sfence": (4, ()), "mfence": (6, ("sfence",))}

READS = (ins.Load, ins.Await)
WRITES = (ins.Store, ins.StoreConditional)
UPDATES = (ins.Rmw, ins.Cas, ins.BlockingCas)
Access: TypeAlias = ins.Load | ins.Await | ins.Store | ins.StoreConditional | ins.Rmw | ins.Cas | ins.BlockingCas


def is_access(i: Instruction) -> bool:
    return isinstance(i, (*READS, *WRITES, *UPDATES))


def access_steps(i: Instruction) -> Steps:
    return LOAD if isinstance(i, READS) else STORE if isinstance(i, WRITES) else UPDATE


def fence_steps(model: str, architecture: Arch | None, own: bool, before: Instruction | None) -> Steps:
    """The fences to offer in front of an access. `own`: the source can name those of the machine; else they are
    C11's."""
    if not own and architecture is Arch.LKMM:  # it has no word for the others
        return {"sc": (13, ())}
    if not own or architecture is None:
        return _C11_FENCE_BEFORE_STORE if isinstance(before, WRITES) else C11_FENCE
    if model == "pso":
        return _PSO_FENCES
    if model == "armv7":  # it reads sync as dmb, and has nothing lighter
        return {"sync": (10, ())}
    return _MACHINE_FENCES[architecture]


def existing_fence_steps(kind: FenceKind) -> Steps:
    """The steps down from a fence that is there: those of its family at or below it, or the whole fence."""
    for steps in (C11_FENCE, *_MACHINE_FENCES.values(), _PSO_FENCES):
        top = "sc" if kind is FenceKind.SC else kind.value
        if kind is FenceKind.ACQ_REL:
            return {n: C11_FENCE[n] for n in ("acq", "rel")}
        if top in steps and steps is not _PSO_FENCES:
            keep = {top, *steps[top][1]}
            return {n: s for n, s in steps.items() if n in keep}
    return {kind.value: (10, ())}


def held(mode: Mode) -> frozenset[str]:
    """The steps that an order already has."""
    names = {"acq": mode.acquires, "rel": mode.releases, "sc": mode is Mode.SC}
    return frozenset(n for n, has in names.items() if has)


def raised(mode: Mode, steps: Iterable[str]) -> Mode:
    """The order with these steps added."""
    have = held(mode) | set(steps)
    if "sc" in have:
        return Mode.SC
    if {"acq", "rel"} <= have:
        return Mode.ACQ_REL
    if "rel" in have:
        return Mode.REL
    if "acq" in have:
        return mode if mode is Mode.ACQ_PC and "acq" not in set(steps) else Mode.ACQ
    return mode


def with_order(i: Instruction, mode: Mode, failure: Mode = Mode.RLX) -> Instruction:
    """The access with this order, as far as its kind can have it; a compare-exchange that fails has the order of its
    success without the release, but at least `failure`."""
    assert isinstance(i, (*READS, *WRITES, *UPDATES)), i
    allowed = {n for n in access_steps(i) if n in held(mode)}
    mode = raised(Mode.NA if mode is Mode.NA else Mode.RLX, allowed)
    if isinstance(i, ins.Cas):
        return replace(i, mode=mode, failure=raised(failure_order(mode), held(failure)))
    return replace(i, mode=mode)


def failure_order(mode: Mode) -> Mode:
    return Mode.SC if mode is Mode.SC else Mode.ACQ if mode.acquires else Mode.RLX


def fences(steps: Iterable[str], order: Steps) -> list[FenceKind]:
    """One fence per step, the lighter ones first: a model may ask for a fence of exactly one kind, so the joined one
    need not be as strong as both. Steps under another chosen one are still said."""
    chosen = set(steps)
    return [FenceKind(n) for n in order if n in chosen]


def joined(steps: Iterable[str], order: Steps) -> list[FenceKind]:
    """The same in as few fences as can be: what a person would write."""
    chosen = set(steps)
    top = [n for n in order if n in chosen and not any(n in order[m][1] for m in chosen)]
    if set(top) == {"acq", "rel"}:
        return [FenceKind.ACQ_REL]
    return [FenceKind(n) for n in top]


# --- prices

_GROUPS: dict[str, Steps] = {"load": LOAD, "store": STORE, "update": UPDATE, "fence": C11_FENCE}


def parse_costs(texts: Iterable[str]) -> dict[str, int]:
    """`--cost fence.sc=20`, `--cost lwsync=3`, `--cost lock.c:12=50`: a kind of step, or all steps at a place."""
    costs: dict[str, int] = {}
    for text in texts:
        for part in text.split(","):
            name, _, number = part.strip().rpartition("=")
            if not name or not number.isdigit():
                raise UsageError(f"--cost {part}: expected KIND=NUMBER or FILE:LINE=NUMBER, such as fence.sc=20")
            if ":" not in name and name not in known_prices():
                raise UsageError(f"--cost {name}: there is no such kind; expected one of {', '.join(known_prices())}")
            costs[name] = int(number)
    return costs


def known_prices() -> tuple[str, ...]:
    names = [f"{group}.{n}" for group, steps in _GROUPS.items() for n in steps]
    machine = [n for steps in (*_MACHINE_FENCES.values(), _PSO_FENCES) for n in steps]
    return tuple(dict.fromkeys([*names, *machine]))


def price(group: str, name: str, default: int, costs: Mapping[str, int]) -> int:
    """What a step costs: as the table says, else as the user says it of its kind. At least 1, so that nothing is
    changed for free."""
    return max(1, costs.get(f"{group}.{name}", costs.get(name, default)))
