"""RISC-V: an lr that only releases and an sc that only acquires promise nothing, as the manual says."""

from __future__ import annotations

import pytest

from fencepost.errors import InputError
from fencepost.explore.driver import outcomes
from fencepost.frontends.litmus import read
from fencepost.models.registry import find
from fencepost.options import ExploreOptions

#: Is the store before an lr performed after it?
RESERVED = """RISCV reserved
{{ 0:x28=x; 0:x29=y; 1:x28=x; 1:x29=y; }}
 P0                 | P1                   ;
 ori x5,x0,1        | ori x5,x0,1          ;
 sw x5,0(x29)       | lr.w x6,0(x28)       ;
 lr.w{0} x6,0(x28)  | sc.w x7,x5,0(x28)    ;
                    | fence rw,rw          ;
                    | lw x8,0(x29)         ;
exists (0:x6=0 /\\ 1:x6=0 /\\ 1:x7=0 /\\ 1:x8=0)
"""
#: Is the load after an sc performed before it?
CONDITIONAL = """RISCV conditional
{{ 0:x28=x; 0:x29=y; 1:x28=x; 1:x29=y; }}
 P0                   | P1             ;
 ori x5,x0,1          | ori x5,x0,1    ;
 lr.w x6,0(x28)       | sw x5,0(x29)   ;
 sc.w{0} x7,x5,0(x28) | fence rw,rw    ;
 lw x8,0(x29)         | lw x6,0(x28)   ;
exists (0:x7=0 /\\ 0:x8=0 /\\ 1:x6=0)
"""


@pytest.mark.parametrize("test", [RESERVED, CONDITIONAL])
@pytest.mark.parametrize(("annotation", "open_"), [("", True), (".rl", True), (".aq", True), (".aq.rl", False)])
def test_what_half_an_annotation_promises(test: str, annotation: str, open_: bool) -> None:
    found = outcomes(read(test.format(annotation), "test.litmus"), find("riscv"), ExploreOptions(model="riscv"))
    assert found.holds is open_


@pytest.mark.parametrize("instruction", ["lw.rl x6,0(x28)", "sw.aq x6,0(x28)"])
def test_an_annotation_that_no_machine_has_is_refused(instruction: str) -> None:
    with pytest.raises(InputError, match="unsupported instruction"):
        read(f"RISCV t\n{{ 0:x28=x; }}\n P0 ;\n {instruction} ;\nexists (x=0)\n", "test.litmus")
