"""Litmus tests are changed in their own words: columns of assembly, C, and the kernel's C."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost

MP_C = """C MP
{ x=0; y=0; }
P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  atomic_store_explicit(y, 1, memory_order_relaxed);
}
P1 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (1:r0=1 /\\ 1:r1=0)
"""
MP_KERNEL = """C MP-kernel
{}
P0 (int* x, int* y) {
  WRITE_ONCE(*x, 1);
  WRITE_ONCE(*y, 1);
}
P1 (int* x, int* y) {
  int r0 = READ_ONCE(*y);
  int r1 = READ_ONCE(*x);
}
exists (1:r0=1 /\\ 1:r1=0)
"""
SB_UPDATES = """C SB-xchg
{}
P0 (int* x, int* y) { int r1 = xchg_relaxed(x, 1); int r0 = READ_ONCE(*y); }
P1 (int* x, int* y) { int r1 = xchg_relaxed(y, 1); int r0 = READ_ONCE(*x); }
exists (0:r0=0 /\\ 1:r0=0)
"""
SB_ARM = """AArch64 SB
{ 0:X1=x; 0:X3=y; 1:X1=y; 1:X3=x; }
 P0          | P1          ;
 MOV W0,#1   | MOV W0,#1   ;
 STR W0,[X1] | STR W0,[X1] ;
 LDR W2,[X3] | LDR W2,[X3] ;
exists (0:X2=0 /\\ 1:X2=0)
"""
SB_POWER = """PPC SB
{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; }
 P0           | P1           ;
 li r1,1      | li r1,1      ;
 stw r1,0(r2) | stw r1,0(r2) ;
 lwz r3,0(r4) | lwz r3,0(r4) ;
exists (0:r3=0 /\\ 1:r3=0)
"""
MP_RISCV = """RISCV MP
{ 0:x6=x; 0:x8=y; 1:x6=y; 1:x8=x; }
 P0          | P1          ;
 ori x5,x0,1 | lw x5,0(x6) ;
 sw x5,0(x6) | lw x7,0(x8) ;
 sw x5,0(x8) |             ;
exists (1:x5=1 /\\ 1:x7=0)
"""
SB_X86 = """X86 SB
{}
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""
CASES = [
    (MP_C, "rc11", "", ["  atomic_store_explicit(y, 1, memory_order_release);",
                        "  int r0 = atomic_load_explicit(y, memory_order_acquire);"]),
    (MP_C, "power", "fences", ["  atomic_thread_fence(memory_order_release);",
                               "  atomic_thread_fence(memory_order_acquire);"]),
    (MP_KERNEL, "lkmm", "", ["  smp_store_release(y, 1);", "  int r0 = smp_load_acquire(y);"]),
    (MP_KERNEL, "lkmm", "fences", ["  smp_wmb();", "  smp_rmb();"]),
    (SB_UPDATES, "lkmm", "", ["P0 (int* x, int* y) { int r1 = xchg(x, 1); int r0 = READ_ONCE(*y); }",
                              "P1 (int* x, int* y) { int r1 = xchg(y, 1); int r0 = READ_ONCE(*x); }"]),
    (SB_ARM, "armv8", "", [" STLR W0,[X1] | STLR W0,[X1] ;", " LDAR W2,[X3] | LDAR W2,[X3] ;"]),
    (SB_ARM, "armv8", "fences", [" DMB SY      | DMB SY      ;"]),
    (SB_POWER, "power", "", [" sync         | sync         ;"]),
    (MP_RISCV, "riscv", "", ["             | fence r,rw  ;", " fence rw,w  |             ;"]),
    (SB_X86, "tso", "", [" MFENCE      | MFENCE      ;"]),
]  # fmt: skip


def written(folder: Path, text: str) -> Path:
    path = folder / "test.litmus"
    path.write_text(text)
    return path


@pytest.mark.parametrize(("text", "model", "only", "added"), CASES)
def test_a_test_is_repaired_in_its_own_words(
    text: str, model: str, only: str, added: list[str], tmp_path: Path
) -> None:
    found = fencepost.repair(written(tmp_path, text), model=model, only=only)
    assert found.answer.value == "PASS"
    lines = [line[1:] for line in found.patch.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert lines == added


def test_a_label_stays_in_front_of_its_instruction(tmp_path: Path) -> None:
    """A fence in the row above would be jumped over, so it is looked for elsewhere."""
    text = SB_POWER.replace(
        " lwz r3,0(r4) | lwz r3,0(r4) ;", " L0:          |              ;\n lwz r3,0(r4) | lwz r3,0(r4) ;"
    )
    found = fencepost.repair(written(tmp_path, text), model="power")
    assert found.answer.value == "PASS" and found.patch.count("sync") == 2


@pytest.mark.parametrize(("text", "model", "needed"), [
    (MP_KERNEL.replace("WRITE_ONCE(*y, 1)", "smp_mb();\n  smp_store_release(y, 1)").replace("READ_ONCE(*y)",
     "smp_load_acquire(y)"), "lkmm", ["nothing", "release", "acquire"]),
    (SB_ARM.replace(" LDR W2,[X3] |", " DMB SY      | DMB SY      ;\n LDAR W2,[X3] |"), "armv8",
     ["relaxed", "dmb.sy", "dmb.sy"]),
])  # fmt: skip
def test_a_test_is_relaxed(text: str, model: str, needed: list[str], tmp_path: Path) -> None:
    found = fencepost.relax(written(tmp_path, text.replace("exists", "~exists")), model=model)
    assert found.answer.value == "PASS"
    assert sorted(k.needed for k in found.kept) == sorted(needed)
    again = tmp_path / "again.litmus"
    again.write_text(dict(found.texts)[str(tmp_path / "test.litmus")])
    assert fencepost.check(again, model=model).answer.value == "PASS"
