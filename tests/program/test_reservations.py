"""Rounds of a loop in which a store-conditional fails are left out: that changes no outcome. Judged by the same program
with its loops run a few times."""

from __future__ import annotations

import random

import pytest

import fencepost
from fencepost.frontends.litmus import read as read_litmus
from fencepost.program.instructions import Assume, StoreConditional
from fencepost.program.passes.reservations import skip_failed_rounds
from fencepost.program.program import Program

_LOADS = ("LDXR W1,[X2]", "LDAXR W1,[X2]")
_STORES = ("STXR W4,W3,[X2]", "STLXR W4,W3,[X2]")
_BETWEEN = ("ADD W3,W1,#1", "MOV W3,#7", "ADD W3,W1,W1", "EOR W3,W1,#1")
_EXTRA = ("", "DMB SY", "LDR W6,[X5]", "CBZ W1,end")
_OTHER = ("MOV W6,#2\nSTR W6,[X2]", "LDR W7,[X5]\nSTR W7,[X2]", "STLR WZR,[X2]", "LDAR W8,[X5]\nLDR W9,[X2]")


def _thread(rng: random.Random, loops: bool) -> list[str]:
    if not loops:
        return rng.choice(_OTHER).split("\n")
    extra = rng.choice(_EXTRA)
    code = ["again:", rng.choice(_LOADS), rng.choice(_BETWEEN), *filter(None, [extra]), rng.choice(_STORES)]
    return [*code, "CBNZ W4,again", "ADD W1,W1,#4", "STR W1,[X5]", "end:"]


def _test(seed: int) -> Program:
    rng = random.Random(seed)
    threads = [_thread(rng, True), _thread(rng, rng.random() < 0.5)]
    rows = max(map(len, threads))
    lines = [" | ".join(t[n] if n < len(t) else "" for t in threads) + " ;" for n in range(rows)]
    text = f"""AArch64 T{seed}
{{ 0:X2=x; 0:X5=y; 1:X2=x; 1:X5=y; }}
 P0 | P1 ;
{chr(10).join(lines)}
locations [x; y; 1:X7; 1:X9;]
exists (x=9)
"""
    return read_litmus(text, "t.litmus")


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("model", ["armv8", "sc"])
def test_failed_rounds_change_no_outcome(seed: int, model: str) -> None:
    program = _test(seed)
    quick = fencepost.outcomes(program, model=model)
    slow = fencepost.outcomes(program, model=model, spin_detection=False, unroll=2)
    assert not quick.reason
    assert quick.states.keys() == slow.states.keys()


def _tries(text: str) -> list[tuple[bool, bool]]:
    """For each store-conditional: whether it may fail for no reason, and whether an assumption follows."""
    code = skip_failed_rounds(read_litmus(text, "t.litmus")).functions[0].code
    return [
        (i.may_fail, isinstance(code[n + 1], Assume)) for n, i in enumerate(code) if isinstance(i, StoreConditional)
    ]


_ONE = """AArch64 T
{{ 0:X2=x; 0:X5=y; uint32_t y; }}
 P0 ;
{code}
exists (0:X7=0)
"""


@pytest.mark.parametrize(
    ("code", "skipped"),
    [
        ("L: ;LDXR W1,[X2] ;ADD W3,W1,#1 ;STXR W4,W3,[X2] ;CBNZ W4,L ;", True),
        ("L: ;LDXR W1,[X2] ;ADD W3,W1,#1 ;STXR W4,W3,[X2] ;ADD W7,W7,#1 ;CBNZ W4,L ;", False),  # it counts its rounds
        ("L: ;LDXR W1,[X2] ;STR W1,[X5] ;STXR W4,W1,[X2] ;CBNZ W4,L ;", False),  # it writes
        ("LDXR W1,[X2] ;L: ;STXR W4,W1,[X2] ;CBNZ W4,L ;", False),  # no reservation of its own
        ("LDXR W1,[X2] ;STXR W4,W1,[X2] ;", False),  # no loop
        ("L: ;LDXR W1,[X2] ;STXR W4,W1,[X2] ;CBNZ W4,M ;B L ;M: ;", False),  # it leaves where it failed
    ],
)
def test_only_loops_that_try_again(code: str, skipped: bool) -> None:
    assert _tries(_ONE.format(code=code.replace(";", ";\n"))) == [(True, skipped)]  # it always may fail
