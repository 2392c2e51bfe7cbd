"""C11 programs on hardware: the standard compilation schemes as a pass.

    C11                POWER                   ARMv8            RISC-V                  x86-TSO     PSO
    load  rlx          ld                      ldr              ld                      mov         ld
    load  acq          ld; ctrl; isync         ldar (or ldapr)  ld; fence r,rw          mov         ld
    load  sc           sync; ld; ctrl; isync   ldar             fence rw,rw; ld; r,rw   mov         ld
    store rlx          st                      str              st                      mov         st
    store rel          lwsync; st              stlr             fence rw,w; st          mov         sfence; st
    store sc           sync; st                stlr             fence rw,w; st          mov; mfence sfence; st; mfence
    fence acq          lwsync                  dmb.ld           fence r,rw              -           -
    fence rel          lwsync                  dmb.sy           fence rw,w              -           sfence
    fence acq_rel      lwsync                  dmb.sy           fence.tso               -           sfence
    fence sc           sync                    dmb.sy           fence rw,rw             mfence      mfence
    read-modify-write  one instruction: fences with its modes   with .aq and .rl        locked      locked
                       as for load and store
    atomic block       a release fence in front and an acquire fence behind, as C's blocks synchronise
    compare-exchange   the same                                                         mfence;     mfence;
                                                                                        locked      locked

A read-modify-write stays one instruction: a reserve/conditional pair that always succeeds. On POWER an acquire read is
followed by a branch to the next instruction on what it read, and `isync`; a compare-exchange gets the `isync` only on
the paths (success, failure) whose order acquires.

A fence of another machine becomes the weakest fence of the target that orders at least the same pairs; an instruction
barrier becomes the target's instruction barrier. The same holds for the C11 models, where `sync` is a fence sc.

Run it after the passes that lower library synchronisation, whose accesses it maps too. Programs that are already
written for a machine are returned as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from fencepost.errors import UnsupportedError
from fencepost.program import instructions as ins
from fencepost.program.fences import ACQUIRE, ALL, INSTRUCTION_BARRIERS, NOT_WR, ORDERS, RELEASE, Orders
from fencepost.program.instructions import FenceKind, Instruction, Mode
from fencepost.program.operands import Position, Reg
from fencepost.program.passes.rewrite import Registers, expand, inside, map_functions
from fencepost.program.program import Arch, Program
from fencepost.records import dataclass, replace

_C11_FENCES = (FenceKind.ACQ, FenceKind.REL, FenceKind.ACQ_REL, FenceKind.SC)


@dataclass(frozen=True, slots=True)
class Target:
    """What the pass must know of a machine. `fences`: its fences, weakest first. `kept`: the pairs that it keeps in
    order by itself. `modes`: it has acquire and release accesses of its own. `branch`: acquire is a branch and an
    instruction barrier instead of a fence. `locked`: read-modify-writes order everything. `sc_after`: the full fence
    of sc accesses stands behind the store instead of in front of the load (and of the store, where `sc_both`)."""

    arch: Arch
    fences: tuple[FenceKind, ...]
    kept: Orders = frozenset()
    barrier: FenceKind | None = None
    modes: bool = False
    branch: bool = False
    locked: bool = False
    amo_modes: bool = False
    sc_after: bool = False
    sc_both: bool = False
    acquire_pc: bool = False

    def fence(self, orders: Orders) -> FenceKind | None:
        """The weakest fence that orders these pairs; None where the machine does that by itself."""
        wanted = orders - self.kept
        return next(f for f in self.fences if wanted <= ORDERS[f]) if wanted else None


POWER = Target(
    Arch.PPC, (FenceKind.EIEIO, FenceKind.LWSYNC, FenceKind.SYNC), barrier=FenceKind.ISYNC, branch=True, sc_both=True
)
ARMV8 = Target(
    Arch.AARCH64, (FenceKind.DMB_ST, FenceKind.DMB_LD, FenceKind.DMB_SY), barrier=FenceKind.ISB, modes=True,
    amo_modes=True,
)  # fmt: skip
ARMV8_RCPC = replace(ARMV8, acquire_pc=True)
_RISCV_BY_STRENGTH = sorted((f for f in ORDERS if f.value.startswith("fence.")), key=lambda f: len(ORDERS[f]))
RISCV = Target(Arch.RISCV, tuple(_RISCV_BY_STRENGTH), barrier=FenceKind.FENCE_I, amo_modes=True)
TSO = Target(Arch.X86, (FenceKind.MFENCE,), kept=NOT_WR, locked=True, sc_after=True)
PSO = Target(Arch.X86, (FenceKind.SFENCE, FenceKind.MFENCE), kept=ACQUIRE, locked=True, sc_after=True)

#: The target of each model that has one, by the model's name. ARMv7 has no acquire and release accesses: it takes
#: POWER's scheme, and its model reads sync and lwsync as dmb and isync as isb.
TARGETS = {"power": POWER, "armv7": POWER, "armv8": ARMV8, "armv8-2018": ARMV8, "riscv": RISCV, "tso": TSO, "pso": PSO}


def map_for_model(program: Program, model: str) -> Program:
    """The program as the model of this name wants it: mapped where it is a hardware model, else with C11 fences."""
    target = TARGETS.get(model)
    if model == "lkmm":
        return to_kernel(program)
    if target is not None:
        return map_to(program, target)
    program = fences_to_c11(program)
    return release_acquire(program) if model == "ra" else program


def to_kernel(program: Program) -> Program:
    """The program in the terms of the Linux kernel: relaxed is once, a full fence smp_mb. What the kernel has no word
    for is refused."""
    return replace(map_functions(program, lambda f: expand(f, _in_kernel)), arch=Arch.LKMM)


def _in_kernel(i: Instruction, _: Registers) -> Sequence[Instruction]:
    if isinstance(i, ins.Fence) and i.kind in (FenceKind.SC, FenceKind.ACQ, FenceKind.REL, FenceKind.ACQ_REL):
        if i.kind is not FenceKind.SC:
            raise UnsupportedError(f"{i.at}: the Linux kernel has no {i.kind.value} fence")
        return (replace(i, kind=FenceKind.MB),)
    reserves = isinstance(i, ins.Load) and i.exclusive  # half of an update
    if isinstance(i, ins.Load | ins.Store) and i.mode in (Mode.SC, Mode.ACQ_REL) and not reserves:
        raise UnsupportedError(f"{i.at}: the Linux kernel has no {i.mode.value} loads and stores")
    if isinstance(i, ins.Rmw | ins.Cas | ins.BlockingCas) and i.mode is Mode.ACQ_REL:
        return (replace(i, mode=Mode.SC),)  # acquire, release, or a full barrier: nothing in between
    return (i,)


def map_to(program: Program, target: Target) -> Program:
    """The program compiled for `target`; unchanged where it was written for a machine."""
    if program.arch not in (Arch.FP, Arch.C11):
        return program
    functions = tuple(expand(f, partial(_map, target)) for f in program.functions)
    return replace(program, arch=target.arch, functions=functions)


def fences_to_c11(program: Program) -> Program:
    """Hardware fences in a C11 program as C11 fences, so that C11 models see them."""
    if program.arch not in (Arch.FP, Arch.C11):
        return program
    return map_functions(program, lambda f: expand(f, _c11_fence) if any(map(_is_foreign_fence, f.code)) else f)


def _is_foreign_fence(i: Instruction) -> bool:
    return isinstance(i, ins.Fence) and i.kind not in _C11_FENCES


def release_acquire(program: Program) -> Program:
    """Every atomic access as release/acquire takes it, whatever its mode was."""
    return replace(program, functions=tuple(expand(f, _release_acquire) for f in program.functions))


def _release_acquire(i: Instruction, registers: Registers) -> Sequence[Instruction]:
    match i:
        case ins.Load() | ins.Await() if i.mode is not Mode.NA:
            return (replace(i, mode=Mode.ACQ),)
        case ins.Store() | ins.StoreConditional() if i.mode is not Mode.NA:
            return (replace(i, mode=Mode.REL),)
        case ins.Cas():
            return (replace(i, mode=Mode.ACQ_REL, failure=Mode.ACQ),)
        case ins.Rmw() | ins.BlockingCas():
            return (replace(i, mode=Mode.ACQ_REL),)
    return (i,)


def _c11_fence(i: Instruction, registers: Registers) -> Sequence[Instruction]:
    if not isinstance(i, ins.Fence) or not _is_foreign_fence(i):
        return (i,)
    if i.kind in INSTRUCTION_BARRIERS:
        return ()
    return (replace(i, kind=next(f for f in _C11_FENCES if ORDERS[i.kind] <= ORDERS[f])),)


def _map(target: Target, i: Instruction, registers: Registers) -> Sequence[Instruction]:
    match i:
        case ins.Load() | ins.Await():
            return _load(target, i, registers)
        case ins.Store() | ins.StoreConditional():
            return _store(target, i)
        case ins.Rmw() | ins.Cas() | ins.BlockingCas():
            return _read_modify_write(target, i, registers)
        case ins.Fence():
            return _fence(target, i)
        case ins.AtomicBegin():
            return (*_fences(target, RELEASE, i.at), i)
        case ins.AtomicEnd():
            return (i, *_fences(target, ACQUIRE, i.at))
    return (i,)


def _fence(target: Target, i: ins.Fence) -> Sequence[Instruction]:
    kind = target.barrier if i.kind in INSTRUCTION_BARRIERS else target.fence(ORDERS[i.kind])
    if i.kind in target.fences:
        kind = i.kind  # its own fence stays, also where the model needs none
    return (ins.Fence(kind, at=i.at),) if kind is not None else ()


def _fences(target: Target, orders: Orders, at: Position | None) -> list[Instruction]:
    kind = target.fence(orders)
    return [ins.Fence(kind, at=at)] if kind is not None else []


def _plain(mode: Mode) -> Mode:
    return Mode.NA if mode is Mode.NA else Mode.RLX


def _load(target: Target, i: ins.Load | ins.Await, registers: Registers) -> Sequence[Instruction]:
    if target.modes:
        weak = Mode.ACQ_PC if target.acquire_pc else Mode.ACQ
        modes = {Mode.SC: Mode.ACQ, Mode.ACQ: weak, Mode.ACQ_PC: Mode.ACQ_PC}
        return (replace(i, mode=modes.get(i.mode, _plain(i.mode))),)
    before = _fences(target, ALL, i.at) if i.mode is Mode.SC and not target.sc_after else []
    plain = replace(i, mode=_plain(i.mode))
    if not i.mode.acquires:
        return (plain,)
    if not target.branch:
        return (*before, plain, *_fences(target, ACQUIRE, i.at))
    if isinstance(plain, ins.Await):
        return (*before, plain, *_barrier(target, i.at))  # an await is a loop: its branch is already there
    branch = ins.Branch(plain.dst, inside(len(before) + 2), inside(len(before) + 2), at=i.at)
    return (*before, plain, branch, *_barrier(target, i.at))


def _barrier(target: Target, at: Position | None) -> list[Instruction]:
    assert target.barrier is not None, "a target that acquires by a branch should have an instruction barrier"
    return [ins.Fence(target.barrier, at=at)]


def _store(target: Target, i: ins.Store | ins.StoreConditional) -> Sequence[Instruction]:
    if target.modes:
        return (replace(i, mode=Mode.REL if i.mode.releases else _plain(i.mode)),)
    plain = replace(i, mode=_plain(i.mode))
    if not i.mode.releases:
        return (plain,)
    full = i.mode is Mode.SC
    before = _fences(target, ALL if full and target.sc_both else RELEASE, i.at)
    after = _fences(target, ALL, i.at) if full and target.sc_after else []
    return (*before, plain, *after)


def _read_modify_write(
    target: Target, i: ins.Rmw | ins.Cas | ins.BlockingCas, registers: Registers
) -> Sequence[Instruction]:
    if target.amo_modes:
        return (_with_own_modes(target, i),)
    plain: ins.Rmw | ins.Cas | ins.BlockingCas = replace(i, mode=Mode.RLX)
    if isinstance(plain, ins.Cas):
        plain = replace(plain, failure=Mode.RLX)
    if target.locked:  # the instruction drains the buffer also where it fails, but then its event is a plain read
        return (*_fences(target, ALL, i.at), plain) if isinstance(plain, ins.Cas) else (plain,)
    assert target.branch, "a machine without locked or ordered read-modify-writes should acquire by a branch"
    before = _fences(target, ALL if i.mode is Mode.SC else RELEASE, i.at) if i.mode.releases else []
    here = len(before)
    if isinstance(i, ins.Cas) and isinstance(plain, ins.Cas):
        return (*before, *_cas_acquire(target, i, plain, here, registers))
    if not i.mode.acquires:
        return (*before, plain)
    if isinstance(plain, ins.Rmw):
        read = plain.dst or registers.fresh("old")
        branch = ins.Branch(read, inside(here + 2), inside(here + 2), at=i.at)
        return (*before, replace(plain, dst=read), branch, *_barrier(target, i.at))
    return (*before, plain, *_barrier(target, i.at))  # a blocking CAS is a loop, as an await


def _cas_acquire(target: Target, i: ins.Cas, plain: ins.Cas, here: int, registers: Registers) -> Sequence[Instruction]:
    """The compare-exchange with the isync of its two outcomes."""
    if not i.mode.acquires and not i.failure.acquires:
        return (plain,)
    done: Reg = plain.success or registers.fresh("success")
    acquire, skip = inside(here + 2), inside(here + 3)
    branch = ins.Branch(
        done, acquire if i.mode.acquires else skip, acquire if i.failure.acquires else skip, at=i.at
    )  # fmt: skip
    return (replace(plain, success=done), branch, *_barrier(target, i.at))


def _with_own_modes(target: Target, i: ins.Rmw | ins.Cas | ins.BlockingCas) -> Instruction:
    """ARMv8 has no stronger read-modify-write than acquire and release; RISC-V's .aqrl for sc is."""
    if not target.modes:
        return i
    changed = replace(i, mode=Mode.ACQ_REL if i.mode is Mode.SC else i.mode)
    if isinstance(changed, ins.Cas):
        return replace(changed, failure=Mode.ACQ if changed.failure.acquires else Mode.RLX)
    return changed
