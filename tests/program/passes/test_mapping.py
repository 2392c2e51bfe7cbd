"""The standard mappings, row by row, and what the pass does to jumps."""

from __future__ import annotations

import pytest

from fencepost.program import instructions as ins
from fencepost.program.instructions import FenceKind, Instruction, Mode, RmwOp
from fencepost.program.interpret import Kind, Machine
from fencepost.program.operands import Const, GlobalAddress, Reg
from fencepost.program.passes.mapping import (
    ARMV8,
    ARMV8_RCPC,
    ORDERS,
    POWER,
    PSO,
    RISCV,
    TARGETS,
    TSO,
    Target,
    fences_to_c11,
    map_for_model,
    map_to,
)
from fencepost.program.program import Arch, Function, Object, Program, Thread
from fencepost.program.validate import validate

X = GlobalAddress("x")
REGISTERS = ("r", "ok")


def program(*code: Instruction, arch: Arch = Arch.FP) -> Program:
    function = Function("f", REGISTERS, 0, (*code, ins.Return()))
    return validate(Program("t", arch, (Object("x", 8), Object("y", 8)), (function,), (Thread("P0", "f"),)))


def show(i: Instruction) -> str:
    match i:
        case ins.Fence():
            return i.kind.value
        case ins.Branch():
            return f"branch {i.then} {i.otherwise}"
        case ins.Load() | ins.Store() | ins.Rmw() | ins.Await() | ins.BlockingCas():
            return f"{i.mnemonic}.{i.mode.value}"
        case ins.Cas():
            return f"cas.{i.mode.value}.{i.failure.value}"
    return i.mnemonic


def mapped(i: Instruction, target: Target) -> str:
    result = validate(map_to(program(i), target))
    assert result.arch is target.arch
    return "; ".join(show(j) for j in result.functions[0].code[:-1])


def load(mode: Mode) -> Instruction:
    return ins.Load(Reg(0), X, mode=mode)


def store(mode: Mode) -> Instruction:
    return ins.Store(X, Const(1), mode=mode)


def add(mode: Mode) -> Instruction:
    return ins.Rmw(None, X, Const(1), RmwOp.ADD, mode=mode)


def cas(mode: Mode, failure: Mode) -> Instruction:
    return ins.Cas(Reg(0), Reg(1), X, Const(0), Const(1), mode=mode, failure=failure)


def fence(kind: FenceKind) -> Instruction:
    return ins.Fence(kind)


TABLE = [
    (load(Mode.NA), "load.na", "load.na", "load.na", "load.na"),
    (load(Mode.RLX), "load.rlx", "load.rlx", "load.rlx", "load.rlx"),
    (load(Mode.ACQ), "load.rlx; branch 2 2; isync", "load.acq", "load.rlx; fence.r.rw", "load.rlx"),
    (load(Mode.SC), "sync; load.rlx; branch 3 3; isync", "load.acq", "fence.rw.rw; load.rlx; fence.r.rw", "load.rlx"),
    (store(Mode.RLX), "store.rlx", "store.rlx", "store.rlx", "store.rlx"),
    (store(Mode.REL), "lwsync; store.rlx", "store.rel", "fence.rw.w; store.rlx", "store.rlx"),
    (store(Mode.SC), "sync; store.rlx", "store.rel", "fence.rw.w; store.rlx", "store.rlx; mfence"),
    (fence(FenceKind.ACQ), "lwsync", "dmb.ld", "fence.r.rw", ""),
    (fence(FenceKind.REL), "lwsync", "dmb.sy", "fence.rw.w", ""),
    (fence(FenceKind.ACQ_REL), "lwsync", "dmb.sy", "fence.tso", ""),
    (fence(FenceKind.SC), "sync", "dmb.sy", "fence.rw.rw", "mfence"),
    (fence(FenceKind.SYNC), "sync", "dmb.sy", "fence.rw.rw", "mfence"),
    (fence(FenceKind.LWSYNC), "lwsync", "dmb.sy", "fence.tso", ""),
    (fence(FenceKind.EIEIO), "eieio", "dmb.st", "fence.w.w", ""),
    (fence(FenceKind.ISYNC), "isync", "isb", "fence.i", ""),
    (fence(FenceKind.DMB_LD), "lwsync", "dmb.ld", "fence.r.rw", ""),
    (fence(FenceKind.FENCE_W_R), "sync", "dmb.sy", "fence.w.r", "mfence"),
    (add(Mode.RLX), "rmw.rlx", "rmw.rlx", "rmw.rlx", "rmw.rlx"),
    (add(Mode.ACQ), "rmw.rlx; branch 2 2; isync", "rmw.acq", "rmw.acq", "rmw.rlx"),
    (add(Mode.REL), "lwsync; rmw.rlx", "rmw.rel", "rmw.rel", "rmw.rlx"),
    (add(Mode.ACQ_REL), "lwsync; rmw.rlx; branch 3 3; isync", "rmw.acq_rel", "rmw.acq_rel", "rmw.rlx"),
    (add(Mode.SC), "sync; rmw.rlx; branch 3 3; isync", "rmw.acq_rel", "rmw.sc", "rmw.rlx"),
    (
        cas(Mode.ACQ_REL, Mode.RLX), "lwsync; cas.rlx.rlx; branch 3 4; isync", "cas.acq_rel.rlx", "cas.acq_rel.rlx",
        "mfence; cas.rlx.rlx",
    ),
    (cas(Mode.ACQ, Mode.ACQ), "cas.rlx.rlx; branch 2 2; isync", "cas.acq.acq", "cas.acq.acq", "mfence; cas.rlx.rlx"),
    (cas(Mode.REL, Mode.ACQ), "lwsync; cas.rlx.rlx; branch 4 3; isync", "cas.rel.acq", "cas.rel.acq",
     "mfence; cas.rlx.rlx"),
    (ins.Await(Reg(0), X, Const(1), mode=Mode.ACQ), "await.rlx; isync", "await.acq", "await.rlx; fence.r.rw",
     "await.rlx"),
    (ins.BlockingCas(X, Const(0), Const(1), mode=Mode.ACQ), "blocking_cas.rlx; isync", "blocking_cas.acq",
     "blocking_cas.acq", "blocking_cas.rlx"),
]  # fmt: skip


@pytest.mark.parametrize(("i", "power", "armv8", "riscv", "tso"), TABLE, ids=[show(row[0]) for row in TABLE])
def test_the_table(i: Instruction, power: str, armv8: str, riscv: str, tso: str) -> None:
    assert mapped(i, POWER) == power
    assert mapped(i, ARMV8) == armv8
    assert mapped(i, RISCV) == riscv
    assert mapped(i, TSO) == tso


def test_acquire_may_be_ldapr_but_sc_may_not() -> None:
    assert mapped(load(Mode.ACQ), ARMV8_RCPC) == "load.acq_pc"
    assert mapped(load(Mode.SC), ARMV8_RCPC) == "load.acq"


def test_pso_orders_what_a_release_orders() -> None:
    assert mapped(store(Mode.REL), PSO) == "sfence; store.rlx"
    assert mapped(store(Mode.SC), PSO) == "sfence; store.rlx; mfence"
    assert mapped(fence(FenceKind.ACQ_REL), PSO) == "sfence"
    assert mapped(fence(FenceKind.ACQ), PSO) == ""


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
@pytest.mark.parametrize("kind", ORDERS)
def test_a_mapped_fence_orders_at_least_as_much(kind: FenceKind, target: Target) -> None:
    result = map_to(program(fence(kind)), target).functions[0].code[0]
    kept = ORDERS[result.kind] if isinstance(result, ins.Fence) else frozenset()
    assert ORDERS[kind] <= kept | target.kept


def test_hardware_fences_become_c11_fences() -> None:
    code = [fence(k) for k in (FenceKind.SYNC, FenceKind.LWSYNC, FenceKind.ISYNC, FenceKind.EIEIO, FenceKind.DMB_LD)]
    result = fences_to_c11(program(*code)).functions[0].code[:-1]
    assert [show(i) for i in result] == ["sc", "acq_rel", "rel", "acq"]
    assert map_for_model(program(*code), "rc11").functions[0].code[:-1] == result


def test_programs_for_a_machine_stay_as_they_are() -> None:
    for arch in (Arch.PPC, Arch.X86, Arch.AARCH64, Arch.RISCV):
        p = program(load(Mode.ACQ), arch=arch)
        assert map_to(p, POWER) is p
        assert fences_to_c11(p) is p


def test_jumps_reach_the_first_instruction_of_an_expansion() -> None:
    code = (store(Mode.REL), load(Mode.SC), ins.Branch(Reg(0), 0, 3), ins.Jump(1))
    result = map_to(program(*code), POWER).functions[0].code
    assert [show(i) for i in result[:7]] == [
        "lwsync", "store.rlx", "sync", "load.rlx", "branch 5 5", "isync", "branch 0 7",
    ]  # fmt: skip
    assert isinstance(result[7], ins.Jump) and result[7].target == 2


def test_an_acquire_gives_a_control_dependency_to_what_follows() -> None:
    for i in (load(Mode.ACQ), add(Mode.ACQ), cas(Mode.ACQ, Mode.RLX), ins.BlockingCas(X, Const(0), Const(1),
              mode=Mode.ACQ)):  # fmt: skip
        machine = Machine(map_to(program(i, ins.Load(Reg(0), GlobalAddress("y"))), POWER))
        state = machine.start(0)
        number = 0
        while (action := machine.run(state)).kind is not Kind.FENCE:
            machine.reply(state, 0, number)
            number += 1
        assert action.fence is FenceKind.ISYNC
        assert action.control_deps == frozenset({0}), i.mnemonic


def test_a_failed_compare_exchange_reads_with_its_own_mode() -> None:
    machine = Machine(program(cas(Mode.ACQ_REL, Mode.RLX)))
    state = machine.start(0)
    machine.run(state)
    assert machine.read_mode(state, 0) is Mode.ACQ_REL
    assert machine.read_mode(state, 7) is Mode.RLX


def test_new_registers_do_not_clash() -> None:
    function = Function("f", ("old",), 0, (add(Mode.ACQ), ins.Return()))
    p = Program("t", Arch.C11, (Object("x", 8),), (function,), (Thread("P0", "f"),))
    assert validate(map_to(p, POWER)).functions[0].registers == ("old", "old'")
