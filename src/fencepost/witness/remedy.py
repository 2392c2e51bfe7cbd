"""What would have prevented an execution: the orderings that its cycle (or its race) lacks, as changes to the source.

A remedy is proposed from the shape of the cycle and then tried: the same execution with the stronger accesses or the
added fences must be one that the model forbids. Only a remedy that passed says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from fencepost.execution.execution import Event, EventKind, Execution
from fencepost.program.instructions import FenceKind, Mode
from fencepost.program.program import Arch
from fencepost.records import dataclass
from fencepost.verdict import Edge
from fencepost.witness.case import Case
from fencepost.witness.confirm import model_of
from fencepost.witness.relations import Relations

Pair = tuple[Event, Event]
Forbids = Callable[[Execution], bool]


@dataclass(frozen=True, slots=True)
class Remedy:
    """`proof` says what was checked of the execution with this change; empty where nothing was."""

    text: str
    proof: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """Either an access with a stronger `mode`, or a `fence` between two events of a thread."""

    first: Event
    second: Event
    mode: Mode | None = None
    fence: FenceKind | None = None

    @property
    def target(self) -> Event:
        return self.second if self.mode is Mode.REL else self.first


# --- what orders what, by architecture

_C11 = (Arch.C11, Arch.FP)
_FULL = {Arch.C11: FenceKind.SC, Arch.FP: FenceKind.SC, Arch.PPC: FenceKind.SYNC, Arch.X86: FenceKind.MFENCE,
         Arch.AARCH64: FenceKind.DMB_SY, Arch.RISCV: FenceKind.FENCE_RW_RW}  # fmt: skip
_RISCV = {"RR": FenceKind.FENCE_R_R, "RW": FenceKind.FENCE_R_W, "WR": FenceKind.FENCE_W_R, "WW": FenceKind.FENCE_W_W}
_SPOKEN = {FenceKind.SC: "a seq-cst fence", FenceKind.ACQ: "an acquire fence", FenceKind.REL: "a release fence",
           FenceKind.ACQ_REL: "an acq-rel fence"}  # fmt: skip


def machine_of(case: Case) -> Arch:
    """Whose fences to speak of: those of the hardware model, else the program's own."""
    model = model_of(case.witness)
    return model.architecture if model is not None and model.architecture is not None else case.arch


def forbidder(case: Case) -> Forbids | None:
    """The model as a judge of changed executions; None where it is not at hand or does not know this one either."""
    model = model_of(case.witness)
    if model is None or not model.judge(case.witness.execution).consistent:
        return None
    return lambda execution: not model.judge(execution, all_violations=False).consistent


def _letters(a: Event, b: Event) -> str:
    return ("W" if a.is_write else "R") + ("W" if b.is_write else "R")


def _weakest(arch: Arch, a: Event, b: Event) -> Change:
    shape = _letters(a, b)
    if shape == "WR":
        return _strongest(arch, a, b)
    if arch in _C11:
        mode = Mode.REL if shape == "WW" else Mode.ACQ
        return Change(a, b, mode=mode)
    fence = {
        Arch.PPC: FenceKind.LWSYNC,
        Arch.AARCH64: FenceKind.DMB_ST if shape == "WW" else FenceKind.DMB_LD,
        Arch.RISCV: _RISCV[shape],
        Arch.X86: FenceKind.MFENCE,
    }[arch]
    return Change(a, b, fence=fence)


def _strongest(arch: Arch, a: Event, b: Event) -> Change:
    return Change(a, b, fence=_FULL[arch])


# --- proposals


def for_cycle(case: Case, cycle: tuple[Edge, ...]) -> tuple[Remedy, ...]:
    """The orderings that break this cycle. Every pair of the cycle that a thread does not keep must be kept."""
    arch, forbids = machine_of(case), forbidder(case)
    pairs = _pairs(case, cycle)
    missing = [p for p in pairs if not _kept(case, arch, *p)]
    gentle = [_weakest(arch, *p) for p in missing]
    strong = [_strongest(arch, *p) for p in pairs if not _fully_kept(case, arch, *p)]
    plans = [gentle, strong] if gentle and not any(_letters(*p) == "WR" for p in missing) else [strong]
    if forbids is None:
        return (Remedy(_say(case, plans[0])),) if plans[0] else ()
    for plan in plans:
        if plan and forbids(strengthen(case.witness.execution, plan)):
            needed = _smallest(case.witness.execution, plan, forbids)
            return (Remedy(_say(case, needed), f"then {case.witness.model} forbids this execution"),)
    return ()


def _smallest(execution: Execution, plan: list[Change], forbids: Forbids) -> list[Change]:
    """Without the changes that are not needed: the program may keep an order in a way that `_kept` does not see."""
    for change in plan:
        rest = [c for c in plan if c is not change]
        if rest and forbids(strengthen(execution, rest)):
            return _smallest(execution, rest, forbids)
    return plan


def for_race(case: Case, a: Event, b: Event) -> tuple[Remedy, ...]:
    """A release/acquire pair on what already passes from one thread to the other, else a lock."""
    for first, second in ((a, b), (b, a)):
        for read, write in case.witness.execution.reads_from.items():
            w, r = case.events[write], case.events[read]
            passes = w.thread == first.thread and r.thread == second.thread and w.index > first.index
            if not passes or r.index >= second.index or Mode.NA in (w.mode, r.mode):
                continue
            plan = [Change(first, w, mode=Mode.REL)] if not w.mode.releases else []
            plan += [Change(r, second, mode=Mode.ACQ)] if not r.mode.acquires else []

            def orders(execution: Execution, before: Event = first, after: Event = second) -> bool:
                return bool(Relations(execution).hb[before.id] >> after.id & 1)

            if plan and orders(strengthen(case.witness.execution, plan)):
                needed = _smallest(case.witness.execution, plan, orders)
                return (Remedy(_say(case, needed), "then the two accesses are ordered"),)
    return (Remedy(f"hold a lock around every access to {case.names.location(a.address)}, or make them all atomic"),)


def _pairs(case: Case, cycle: tuple[Edge, ...]) -> list[Pair]:
    """The stretches of the cycle inside one thread, as (first, last) accesses."""
    events = case.events
    inside = [events[e.source].thread == events[e.target].thread and e.name not in ("rf", "co", "fr") for e in cycle]
    if all(inside) or not cycle:
        return []
    start = inside.index(False)
    order = [*range(start, len(cycle)), *range(start)]
    pairs: list[Pair] = []
    first: Event | None = None
    for index in order:
        edge = cycle[index]
        if inside[index]:
            first = first or events[edge.source]
        elif first is not None:
            pairs.append((first, events[edge.source]))
            first = None
    if first is not None:
        pairs.append((first, events[cycle[start].source]))
    return [(a, b) for a, b in pairs if a.is_access and b.is_access]


def _between(case: Case, a: Event, b: Event) -> set[FenceKind]:
    line = case.witness.execution.thread_events(a.thread)
    return {e.fence for e in line if a.index < e.index < b.index and e.fence is not None}


def _fully_kept(case: Case, arch: Arch, a: Event, b: Event) -> bool:
    strong = {_FULL[arch], FenceKind.DSB_SY} if arch is Arch.AARCH64 else {_FULL[arch]}
    return bool(_between(case, a, b) & strong)


def _kept(case: Case, arch: Arch, a: Event, b: Event) -> bool:
    """Whether the program already asks for this order, as far as fences, modes and dependencies show it."""
    if _fully_kept(case, arch, a, b):
        return True
    shape, fences = _letters(a, b), _between(case, a, b)
    if arch in _C11:
        if shape == "WR":
            return False
        acquires = a.is_read and (a.mode.acquires or bool(fences & {FenceKind.ACQ, FenceKind.ACQ_REL}))
        return acquires or (b.is_write and (b.mode.releases or bool(fences & {FenceKind.REL, FenceKind.ACQ_REL})))
    if arch is Arch.X86 and case.witness.model != "pso":
        return shape != "WR"
    if shape[0] == "R" and _depends(case, a, b):
        return True
    if (a.is_read and a.mode.acquires) or (b.is_write and b.mode.releases):
        return True
    names = {f.value for f in fences}
    weaker = {
        "lwsync": ("RR", "RW", "WW"), "eieio": ("WW",), "dmb.ld": ("RR", "RW"), "dsb.ld": ("RR", "RW"),
        "dmb.st": ("WW",), "dsb.st": ("WW",), "fence.tso": ("RR", "RW", "WW"),
    }  # fmt: skip
    if any(shape in weaker.get(name, ()) for name in names):
        return True
    riscv = [name.split(".")[1:] for name in names if name.startswith("fence.") and name.count(".") == 2]
    return any(shape[0].lower() in before and shape[1].lower() in after for before, after in riscv)


def _depends(case: Case, a: Event, b: Event) -> bool:
    x, pair = case.witness.execution, (a.id, b.id)
    return pair in x.address_deps or pair in x.data_deps or (b.is_write and pair in x.control_deps)


# --- words


def _say(case: Case, plan: list[Change]) -> str:
    in_order = sorted(plan, key=lambda c: (c.target.thread, c.target.index))
    return " and ".join(_sentence(case, c) for c in in_order)


def _sentence(case: Case, change: Change) -> str:
    if change.mode is not None:
        e = change.target
        verb = "update" if e.rmw else "store to" if e.is_write else "load"
        return f"{verb} {case.names.location(e.address)} with {_ordered(change.mode)}{_at(case, e)}"
    assert change.fence is not None, "a change should be a mode or a fence"
    fence = _SPOKEN.get(change.fence) or _assembler(change.fence)
    first, second = case.names.place(change.first.at), case.names.place(change.second.at)
    lines = f" ({first} and {second.rpartition(':')[2]})" if first and second else ""
    if first == second:
        lines = f" ({first})" if first else ""
    between = f"{_noun(case, change.first)} and {_noun(case, change.second)}"
    return f"put {fence} between {between} in {case.names.subject(change.first.thread)}{lines}"


def _assembler(fence: FenceKind) -> str:
    """`dmb sy`, `fence rw,w`: as the assembler writes it."""
    name, _, operands = fence.value.partition(".")
    return f"{name} {operands.replace('.', ',')}".rstrip()


def _ordered(mode: Mode) -> str:
    return "release" if mode is Mode.REL else "acquire"


def _at(case: Case, e: Event) -> str:
    at = case.written_at(e.id)
    return f" ({case.names.place(at)})" if at is not None else ""


def _noun(case: Case, e: Event) -> str:
    return f"the {'store to' if e.is_write else 'load of'} {case.names.location(e.address)}"


# --- the same execution with more order


def strengthen(execution: Execution, plan: Iterable[Change]) -> Execution:
    """The execution as it would be with these changes: ids stay, fences are appended with new ones."""
    events = list(execution.events)
    for change in plan:
        if change.mode is not None:
            e = events[change.target.id]
            events[e.id] = replace(e, mode=_join(e.mode, change.mode))
            continue
        thread, at = change.first.thread, events[change.second.id].index
        events = [replace(e, index=e.index + 1) if e.thread == thread and e.index >= at else e for e in events]
        events.append(Event(len(events), thread, at, EventKind.FENCE, fence=change.fence))
    return replace(execution, events=tuple(events))


def _join(old: Mode, new: Mode) -> Mode:
    if {old, new} in ({Mode.ACQ, Mode.REL}, {Mode.ACQ, Mode.ACQ_REL}, {Mode.REL, Mode.ACQ_REL}):
        return Mode.ACQ_REL
    return old if old in (Mode.SC, Mode.ACQ_REL) else new
