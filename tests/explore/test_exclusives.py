"""Exclusive pairs under models whose hand-tuned checkers do not know them: their plan is run instead."""

from __future__ import annotations

import pytest

from fencepost.explore import outcomes
from fencepost.frontends import read_text
from fencepost.frontends.litmus import read as read_litmus
from fencepost.models.registry import find
from fencepost.options import ExploreOptions
from fencepost.suite.engine import enumerated

PROGRAMS = {
    "counter": "var x\nthread T(i in 1..2) { r := LDX(x); ok := STX(x, r + 1) }\nobserve x, T1:ok, T2:ok",
    "elsewhere": "var x, y\nthread P { r := LDX(x); ok := STX(y, r + 1) }\nthread Q { x := 2 }\nobserve P:ok, P:r, y",
    "another": "var x, y\nthread P { r := LDX(x); s := LDX(y); ok := STX(x, 1) }\nthread Q { x := 2 }\nobserve P:ok, x",
    "twice": "var x\nthread P { r := LDX(x); a := STX(x, 1); b := STX(x, 3) }\nthread Q { x := 2 }\nobserve P:a, P:b",
    "between": "var x\nthread P { r := LDX(x); x := 5; ok := STX(x, r + 1) }\nthread Q { x := 2 }\nobserve P:ok, x",
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("model", ["sc", "tso", "pso", "ra", "rc11", "rc11-cpp20", "wrc11"])
def test_the_explorer_agrees_with_enumeration(name: str, model: str) -> None:
    program, options = read_text(PROGRAMS[name]), ExploreOptions(model=model)
    explored, listed = outcomes(program, model, options), enumerated(program, find(model), options)
    assert not explored.reason and explored.executions == listed.executions > 0
    assert explored.states == listed.states
    assert explored.why


@pytest.mark.parametrize(("name", "fails"), [("another", "P:ok"), ("twice", "P:b"), ("elsewhere", "P:ok")])
def test_what_is_not_reserved_is_not_stored(name: str, fails: str) -> None:
    """A load-reserve ends the reservation before it, and so does a store-conditional."""
    for model in ("sc", "rc11", "armv8"):
        states = outcomes(read_text(PROGRAMS[name]), model, ExploreOptions(model=model)).states
        assert states and {dict(s)[fails] for s in states} == {0}, model


ADDRESSED_BY_A_READ = """AArch64 LB+addr+addrpx
{ 0:X6=x; 0:X9=y; 1:X6=y; 1:X8=z; 1:X13=x; }
 P0                  | P1                ;
 LDR W5,[X6]         | LDR W5,[X6]       ;
 EOR W7,W5,W5        | EOR W7,W5,W5      ;
 MOV W8,#1           | MOV W10,#1        ;
 STR W8,[X9,W7,SXTW] | LDXR W4,[X8]      ;
                     | ADD X9,X8,W7,SXTW ;
                     | STXR W11,W10,[X9] ;
                     | MOV W12,#1        ;
                     | STR W12,[X13]     ;
exists (0:X5=1 /\\ 1:X5=1 /\\ 1:X11=1)
"""


def test_what_follows_a_store_conditional_that_fails_does_not_wait_for_its_address() -> None:
    found = outcomes(read_litmus(ADDRESSED_BY_A_READ, "t.litmus"), "armv8", ExploreOptions(model="armv8"))
    assert found.holds
    assert len(found.states) == 7
    assert "store-conditional" in found.why


BEHIND_A_STORE_CONDITIONAL = """PPC LB+data+isyncxp
{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r5=x; }
 P0           | P1              ;
 lwz r1,0(r2) | lwarx r1,r0,r2  ;
 xor r3,r1,r1 | stwcx. r1,r0,r2 ;
 addi r3,r3,1 | bne L           ;
 stw r3,0(r4) | L:              ;
              | li r4,1         ;
              | stw r4,0(r5)    ;
exists (0:r1=1 /\\ 1:r1=1)
"""


def test_a_branch_on_a_store_conditional_of_power_depends_on_what_is_stored() -> None:
    found = outcomes(read_litmus(BEHIND_A_STORE_CONDITIONAL, "t.litmus"), "power", ExploreOptions(model="power"))
    assert found.holds is False
    assert len(found.states) == 3
