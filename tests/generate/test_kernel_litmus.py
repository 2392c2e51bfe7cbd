"""Tests in the C of the Linux kernel."""

from __future__ import annotations

import pytest

from fencepost.explore.driver import outcomes
from fencepost.generate.litmus_tests import family, generate
from fencepost.models.registry import find
from fencepost.program.program import Arch


def test_primitives_sections_and_dependencies_are_written_as_the_kernel_does() -> None:
    text = generate("lkmm", "LockdWWOnceRel Rfe DpAddrdR Fre").text
    assert (
        text
        == """C MP+lockoncerel+addr
"LockdWWOnceRel RfeRelP DpAddrdR FrePOnce"
Cycle=LockdWWOnceRel RfeRelP DpAddrdR FrePOnce
{
}
P0 (int* x, spinlock_t* s, int* y) {
  spin_lock(s);
  WRITE_ONCE(*x, 1);
  smp_store_release(y, 1);
  spin_unlock(s);
}

P1 (int* y, int* x) {
  int r0;
  int r1;
  r0 = READ_ONCE(*y);
  r1 = READ_ONCE(*(x + (r0 ^ r0)));
}

exists
(1:r0=1 /\\ 1:r1=0)
"""
    )


@pytest.mark.parametrize(
    ("cycle", "allowed"),
    [
        ("MbdWR Fre MbdWR Fre", False),
        ("MbdWR Fre PodWR Fre", True),
        ("SyncRcudWR Fre RcudWR Fre", False),
        ("SyncRcudWR Fre RcudWR Fre RcudWR Fre", True),
        ("SyncRcudWR Fre SyncRcudWR Fre RcudWR Fre RcudWR Fre", False),
        ("WmbdWW Rfe RmbdRR Fre", False),
        ("WmbdWW Rfe DpAddrdR Fre", False),
        ("WmbdWW Rfe PodRR Fre", True),
        ("LockdWR Fre LockdWR Fre", False),
        ("DpDatadW Rfe DpCtrldW Rfe", False),
        ("MbdWW Rfe Rmw PodWR Fre", True),
        ("MbdWW RfePAcq RmwAcqRel PodWRRelP Fre", False),
    ],
)
def test_what_the_kernels_model_says(cycle: str, allowed: bool) -> None:
    program = generate("lkmm", cycle).program()
    assert program.arch is Arch.LKMM
    assert outcomes(program, find("lkmm")).holds is allowed


def test_every_test_of_a_family_is_read() -> None:
    tests = list(family("lkmm", 4))
    assert len(tests) == len({t.name for t in tests}) > 100
    assert all(t.program().arch is Arch.LKMM for t in tests)
