"""An access of a machine that is not aligned to its size is made of pieces, also where only a register says so."""

from __future__ import annotations

import fencepost
from fencepost.frontends.litmus import read

MP = """AArch64 MP+unaligned
{
uint8_t x[128];
0:X5=x; 1:X5=x;
uint8_t 0:X1 = 0x11;
uint8_t 0:X2 = 0x22;
uint32_t 1:X6 = 3;
}
P0              | P1                   ;
STRB W1,[X5,#3] | LDRB W1,[X5,#4]      ;
DMB SY          | LDRH W2,[X5,W6,SXTW] ;
STRB W2,[X5,#4] |                      ;
exists (1:X1=0x22 /\\ 1:X2=0x2200)
"""


def test_it_is_no_error_of_the_test() -> None:
    found = fencepost.outcomes(read(MP, "mp.litmus"), model="armv8")
    assert found.holds is False and not found.errors and found.reason == ""
    assert found.engine == "explore" and found.executions == 4
