"""Accesses of mixed size under the models of machines: pieces of one access, and what keeps them together."""

from __future__ import annotations

import pytest

from fencepost.frontends.litmus import read
from fencepost.models.registry import find
from fencepost.options import ExploreOptions
from fencepost.suite.engine import ENUMERATE, EXPLORE, outcomes_by
from fencepost.verdict import Outcomes

X86 = """X86_64 halves
{ uint32_t x; }
 P0                | P1             ;
 movl $0x10001,(x) | movw (x),%ax   ;
                   | movw 2(x),%cx  ;
exists (1:ax={low} /\\ 1:cx={high})
"""
PPC = """PPC halves
{{ uint32_t x; 0:r1=x; 1:r1=x; }}
 P0           | P1           ;
 lis r2,1     | lhz r2,{first}(r1) ;
 ori r2,r2,1  | {fence} ;
 stw r2,0(r1) | lhz r3,{second}(r1) ;
exists (1:r2=1 /\\ 1:r3=0)
"""
RISCV = """RISCV halves
{{ uint32_t x; 0:x5=x; 0:x6=0x10001; 1:x5=x; }}
 P0           | P1           ;
 sw x6,0(x5)  | lhu x6,0(x5) ;
              | {fence}      ;
              | lhu x7,2(x5) ;
exists (1:x6=1 /\\ 1:x7=0)
"""


def both(text: str, model: str) -> Outcomes:
    """By the core and by the plain evaluator, which should say the same."""
    program, options = read(text, "halves.litmus"), ExploreOptions(model=model)
    fast, slow = (outcomes_by(engine, program, find(model), options) for engine in (EXPLORE, ENUMERATE))
    assert (fast.states, fast.executions) == (slow.states, slow.executions)
    return fast


@pytest.mark.parametrize(("low", "high", "allowed"), [(1, 0, False), (0, 1, True), (1, 1, True), (0, 0, True)])
def test_a_store_of_x86_is_seen_as_a_whole(low: int, high: int, allowed: bool) -> None:
    text = X86.replace("{low}", str(low)).replace("{high}", str(high))
    assert both(text, "tso").holds is allowed
    assert both(text, "sc").holds is allowed


@pytest.mark.parametrize(("first", "second"), [(0, 2), (2, 0)])
@pytest.mark.parametrize("fence", ["sync", "nop"])
def test_the_pieces_of_power_are_on_their_own(first: int, second: int, fence: str) -> None:
    """As herd -variant mixed -model ppc.cat has it."""
    text = PPC.format(first=first, second=second, fence=fence)
    assert both(text, "power").holds


@pytest.mark.parametrize("fence", ["fence r,r", "nop"])
def test_those_of_riscv_are_too(fence: str) -> None:
    assert both(RISCV.format(fence=fence), "riscv").holds


#: Three threads: a whole word is read while it is written whole and its first half is written, too.
WHOLE = {
    "power": """PPC whole
{{ uint32_t x; 0:r1=x; 1:r1=x; 2:r1=x; 0:r2=0x10001; 1:r2={second}; 2:r2; }}
 P0           | P1             | P2           ;
 stw r2,0(r1) | {store} r2,0(r1) | lwz r2,0(r1) ;
exists ({asked})
""",
    "riscv": """RISCV whole
{{ uint32_t x; 0:x5=x; 1:x5=x; 2:x5=x; 0:x6=0x10001; 1:x6={second}; 2:x6; }}
 P0           | P1             | P2           ;
 sw x6,0(x5)  | {store} x6,0(x5) | lw x6,0(x5)  ;
exists ({asked})
""",
    "armv7": """ARM whole
{{ uint32_t x; 0:R1=x; 1:R1=x; 2:R1=x; 0:R2=0x10001; 1:R2={second}; 2:R2; }}
 P0          | P1           | P2          ;
 STR R2,[R1] | {store} R2,[R1] | LDR R2,[R1] ;
exists ({asked})
""",
}
READ = {"power": "2:r2", "riscv": "2:x6", "armv7": "2:R2"}
HALF = {"power": ("stw", "sth"), "riscv": ("sw", "sh"), "armv7": ("STR", "STRH")}


def _whole(model: str, *, half: bool, asked: str) -> Outcomes:
    return both(WHOLE[model].format(store=HALF[model][half], second=2 if half else 0x20002, asked=asked), model)


@pytest.mark.parametrize("model", WHOLE)
def test_a_read_takes_a_write_of_its_size_as_a_whole(model: str) -> None:
    """As herd -variant mixed: of the word that is written whole, what the half did not overwrite is read."""
    upper = model == "power"  # big-endian: the half at the start is the upper one
    seen = 0x20001 if upper else 0x10002
    assert _whole(model, half=True, asked=f"{READ[model]}={seen}").holds
    initial = 0x00001 if upper else 0x10000  # a half of the word and a half of what was there before
    assert not _whole(model, half=True, asked=f"{READ[model]}={initial}").holds
    assert not _whole(model, half=True, asked=f"{READ[model]}={0x10000 if upper else 1}").holds


@pytest.mark.parametrize("model", WHOLE)
def test_the_final_state_holds_whole_writes(model: str) -> None:
    text = WHOLE[model].format(store=HALF[model][0], second=0x20002, asked="x=0x10002 \\/ x=0x20001")
    load = {"power": "lwz r2,", "riscv": "lw x6,", "armv7": "LDR R2,"}[model]
    short = {"power": "lhz r2,", "riscv": "lh x6,", "armv7": "LDRH R2,"}[model]
    assert not both(text.replace(load, short), model).holds


def test_the_lower_half_is_the_second_on_power() -> None:
    text = """PPC ends
{ uint32_t x; 0:r1=x; }
 P0           ;
 li r2,1      ;
 stw r2,0(r1) ;
 lhz r3,0(r1) ;
 lhz r4,2(r1) ;
forall (0:r3=0 /\\ 0:r4=1)
"""
    assert both(text, "power").holds
