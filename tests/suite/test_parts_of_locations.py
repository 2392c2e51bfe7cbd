"""A location that is written or read in part: in the end it is put together from the pieces, in every verb."""

from __future__ import annotations

import pytest

from fencepost.enumerate.enumeration import enumerate_program
from fencepost.explore import outcomes
from fencepost.frontends.litmus import read
from fencepost.models.registry import find
from fencepost.options import ExploreOptions
from fencepost.prepare.ready import ready
from fencepost.report.herd import herd_text
from fencepost.suite.engine import outcomes_under

_FORMS = {
    ("armv8", "AArch64", "uint64_t x; 0:X2=x; 0:X0=1;", "STR W0,[X2,#4]"): 1 << 32,
    ("armv8", "AArch64", "uint64_t x=-1; 0:X2=x; 0:X0=0;", "STRB W0,[X2,#1]"): (1 << 64) - 0xFF01,
    ("armv8", "AArch64", "uint64_t x=-1; 0:X2=x; 0:X0=0;", "STRH W0,[X2,#6]"): (1 << 48) - 1,
    ("riscv", "RISCV", "uint64_t x; 0:x6=x; 0:x5=1;", "sw x5,4(x6)"): 1 << 32,
    ("riscv", "RISCV", "uint64_t x=5; 0:x6=x; 0:x5=1;", "sb x5,2(x6)"): 0x10005,
    ("power", "PPC", "uint64_t x; 0:r2=x; 0:r1=1;", "stw r1,4(r2)"): 1,
    ("power", "PPC", "uint64_t x; 0:r2=x; 0:r1=1;", "stw r1,0(r2)"): 1 << 32,
    ("power", "PPC", "uint64_t x=5; 0:r2=x; 0:r1=1;", "stb r1,6(r2)"): 0x105,
    ("power", "PPC", "int x[2]={7,9}; 0:r2=x; 0:r1=1;", "stw r1,0(r2)"): 1,
    ("tso", "X86_64", "uint64_t x;", "movl $1,x"): 1,
    ("tso", "X86_64", "uint64_t x=0x200000003;", "movl $1,x"): 0x200000001,
}


@pytest.mark.parametrize("form", _FORMS, ids=lambda f: f"{f[0]} {f[3]}")
def test_an_observed_location_is_put_together(form: tuple[str, str, str, str]) -> None:
    model, arch, state, code = form
    observed = "x[0]" if "[2]" in state else "x"
    text = f"{arch} part\n{{ {state} }}\n P0 ;\n {code} ;\nlocations [{observed};]\nexists (true)\n"
    program = read(text, "part.litmus")
    wanted = {((observed, _FORMS[form]),)}
    assert set(outcomes(program, find(model), ExploreOptions(model=model)).states) == wanted
    assert set(outcomes_under(program, find(model), ExploreOptions(model=model)).states) == wanted
    assert set(enumerate_program(ready(program, find(model)), find(model)).outcomes) == wanted


def test_big_endian_reads_see_the_high_part_first() -> None:
    text = (
        "PPC parts\n{ uint64_t x=0x100000002; 0:r2=x; }\n P0 ;\n lwz r3,0(r2) ;\n lwz r4,4(r2) ;\n"
        "exists (0:r3=1 /\\ 0:r4=2)\n"
    )
    found = outcomes(read(text, "parts.litmus"), find("power"), ExploreOptions(model="power"))
    assert found.states == {(("0:r3", 1), ("0:r4", 2)): 1}


def test_memory_that_holds_its_own_address() -> None:
    text = (
        "AArch64 self\n{ x=x; 0:X1=x; }\n P0 ;\n LDR X1,[X1] ;\n LDR X2,[X1] ;\n SWP X1,X1,[X1] ;\n ADD X1,X1,X1 ;\n"
        "exists (0:X2=x)\n"
    )
    program = read(text, "self.litmus")
    assert outcomes(program, find("armv8"), ExploreOptions(model="armv8")).holds


def test_a_number_is_no_address() -> None:
    """65536 is where the first location lies; in a place that can hold no address it is a number."""
    text = (
        "AArch64 number\n{ uint64_t x; p=x; 0:X0=x; 0:X1=0x10000; 0:X3=p; }\n P0 ;\n STR X1,[X0] ;\n LDR X2,[X3] ;\n"
        "locations [x; 0:X2;]\nexists (x=1)\n"
    )
    program = read(text, "number.litmus")
    found = outcomes(program, find("armv8"), ExploreOptions(model="armv8"))
    assert found.states == {(("x", 0x10000), ("0:X2", 0x10000)): 1}, "the first location should lie there"
    assert "0:X2=x; [x]=65536;" in herd_text(program, found).splitlines()


_QUIET = [
    ("power", "PPC", "li r1,1"), ("armv8", "AArch64", "MOV W1,#1"), ("armv7", "ARM", "MOV R1,#1"),
    ("riscv", "RISCV", "li x1,1"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "arch", "code"), _QUIET)
def test_threads_without_any_access(model: str, arch: str, code: str) -> None:
    program = read(f"{arch} quiet\n{{ }}\n P0 | P1 ;\n {code} | {code} ;\nexists (x=0)\n", "quiet.litmus")
    assert outcomes(program, find(model), ExploreOptions(model=model)).executions == 1
