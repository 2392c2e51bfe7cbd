"""RSMC after Fig. 7: the paper's examples, its theorems on generated programs, and the same traces as TruSt."""

from __future__ import annotations

from dataclasses import replace

import pytest
from paper_programs import X, Y, Z, ainc, binc, fence, program, read, readers, write

from fencepost.errors import UnsupportedError
from fencepost.generate.random_programs import POWER, random_program
from fencepost.program import instructions as ins
from fencepost.program.instructions import FenceKind, Op
from fencepost.program.operands import Const, Reg
from fencepost.program.passes.mapping import map_for_model
from fencepost.program.program import Arch, Program
from fencepost.reference import rsmc, trust_cb

FIG_2 = program(
    [read(0, X), ins.Compute(Reg(0), (Reg(0), Const(1)), Op.ADD), write(Y, Reg(0))], [read(0, Y), write(X, 1)],
    arch=Arch.PPC,
)  # fmt: skip
FIG_5 = program(
    [read(0, Y), write(X, Reg(0)), write(X, 2)], [write(X, 3), fence(FenceKind.SYNC), write(Y, 1)], arch=Arch.PPC
)
FIG_9 = program([read(0, X)], [write(X, 1)], [write(X, 2)], arch=Arch.PPC)


def fig_11(writes: int, kind: FenceKind | None) -> Program:
    """SB with `writes` writes to z by whoever misses the other's write."""

    def side(mine: ins.GlobalAddress, other: ins.GlobalAddress) -> list[ins.Instruction]:
        code = [write(mine, 1), *([fence(kind)] if kind else []), read(0, other)]
        return [*code, ins.Branch(Reg(0), len(code) + 1 + writes, len(code) + 1), *[write(Z, 1)] * writes]

    return program(side(X, Y), side(Y, X), arch=Arch.PPC)


def test_load_buffering_has_four_traces() -> None:
    found = rsmc.explore(FIG_2)
    assert (len(found.complete), found.duplicates) == (4, 0)


def test_weak_commit_before_deadlocks_and_the_strong_one_does_not() -> None:
    """Fig. 5: L3[0]. L5[0]. L0[L5]. L2[0], and then L1 can go nowhere."""
    stuck = [(dict(tau), e) for tau, e in rsmc.deadlocks(FIG_5, rsmc.cb0)]
    l0, l1, l2, l5 = (0, 0), (0, 1), (0, 2), (1, 2)
    assert any(e == l1 and tau.get(l0) == l5 and tau.get(l2) == 0 for tau, e in stuck)
    assert rsmc.deadlocks(FIG_5, rsmc.cb_power) == []


def test_the_races_of_one_load_give_no_trace_twice() -> None:
    found = rsmc.explore(FIG_9)
    assert (len(found.complete), found.duplicates) == (6, 0)


@pytest.mark.parametrize(
    ("writes", "kind", "expected"),
    [(2, FenceKind.SYNC, 3), (2, None, 9), (2, FenceKind.LWSYNC, 9), (3, None, 23)],
)
def test_small_variants_of_fig_11(writes: int, kind: FenceKind | None, expected: int) -> None:
    """n writes give C(2n, n) + 3 without sync; ten give 184759."""
    found = rsmc.explore(fig_11(writes, kind))
    assert (len(found.complete), found.duplicates) == (expected, 0)


def test_read_modify_writes_as_pairs() -> None:
    for p, expected in ((ainc(3), 6), (binc(2), 4), (readers(3), 8)):
        found = rsmc.explore(map_for_model(p, "power"))
        assert (len({x.canonical() for x in found.complete}), found.duplicates) == (expected, 0)


def test_the_same_traces_as_trust() -> None:
    for seed in range(60):
        p = random_program(seed, POWER, size=5)
        found = rsmc.explore(p)
        assert {x.canonical() for x in found.complete} == trust_cb.explore(p).seen.keys(), f"seed {seed}"
        assert len(found.complete) == len({x.canonical() for x in found.complete}), f"seed {seed}"


def test_no_deadlock_on_generated_programs() -> None:
    """Theorem 3."""
    for seed in range(25):
        assert rsmc.deadlocks(random_program(seed, replace(POWER, threads=(2, 2)), size=4), rsmc.cb_power) == []


def test_what_it_does_not_treat_is_named() -> None:
    with pytest.raises(UnsupportedError):
        rsmc.explore(program([ins.Cas(Reg(0), None, X, Const(0), Const(1))], arch=Arch.PPC))
