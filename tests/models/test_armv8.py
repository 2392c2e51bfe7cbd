"""ARMv8 as it is today, where it differs from the model of 2018: one litmus test for each difference."""

from __future__ import annotations

import pytest

from fencepost.enumerate.verdicts import outcomes_by_enumeration
from fencepost.explore.driver import outcomes
from fencepost.frontends.litmus import read
from fencepost.models.registry import find
from fencepost.options import ExploreOptions

_WRITER = ("MOV W0,#1", "STR W0,[X1]", "DMB SY", "STR W0,[X3]")
#: The second thread of message passing; whether X9 may miss the data today, and whether in 2018.
READERS = {
    "a condition picks the address": (
        ("LDR W4,[X3]", "CMP W4,#1", "CSEL X5,X1,X7,EQ", "LDR W9,[X5]"), True, False),
    "a value that was not chosen": (
        ("MOV X5,X1", "LDR W4,[X3]", "EOR X6,X4,X4", "ADD X6,X6,X7", "CMP W0,W0", "CSEL X5,X1,X6,EQ", "LDR W9,[X5]"),
        True, True),
    "the value that was chosen": (
        ("LDR W4,[X3]", "EOR X6,X4,X4", "ADD X6,X6,X1", "CMP W0,W0", "CSEL X5,X6,X7,EQ", "LDR W9,[X5]"), False, False),
    "a swap without a result": (("SWP WZR,WZR,[X3]", "DMB LD", "LDR W9,[X1]"), True, False),
    "a swap with a result": (("SWP WZR,W4,[X3]", "DMB LD", "LDR W9,[X1]"), False, False),
    "an addition without a result": (("STADD W8,[X3]", "DMB LD", "LDR W9,[X1]"), True, False),
}  # fmt: skip


def _test(reader: tuple[str, ...]) -> str:
    lines = max(len(_WRITER), len(reader))
    columns = [[*code, *[""] * (lines - len(code))] for code in (_WRITER, reader)]
    rows = "".join(f" {a:<40} | {b:<40} ;\n" for a, b in zip(*columns, strict=True))
    seen = "1:X4=1" if any("W4" in line for line in reader) else "y=0" if "SWP" in reader[0] else "y=2"
    return (
        "AArch64 MP\n{ 0:X1=x; 0:X3=y; 1:X1=x; 1:X3=y; 1:X7=z; 1:X8=1; }\n"
        f" P0 | P1 ;\n{rows}exists ({seen} /\\ 1:X9=0)\n"
    )  # fmt: skip


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("model", ["armv8", "armv8-2018"])
def test_what_a_reader_may_miss(name: str, model: str) -> None:
    reader, today, before = READERS[name]
    program, options = read(_test(reader), "MP.litmus"), ExploreOptions(model=model)
    for found in (f(program, find(model), options) for f in (outcomes_by_enumeration, outcomes)):
        assert found.holds is (today if model == "armv8" else before), found.engine


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("UBFM W1,W0,#4,#7", 0xE),
        ("UBFM W1,W0,#28,#3", 0xD0),
        ("SBFM W1,W0,#4,#7", 0xFFFFFFFE),
        ("UBFX W1,W0,#4,#4", 0xE),
    ],
)
def test_bit_fields(line: str, value: int) -> None:
    program = read(f"AArch64 F\n{{ 0:X0=0xed; }}\n P0 ;\n {line} ;\nexists (0:X1={value})\n", "F.litmus")
    assert outcomes_by_enumeration(program, find("armv8"), ExploreOptions(model="armv8")).holds


@pytest.mark.parametrize(("store", "allowed"), [("STILP W0,W0,[X1]", False), ("STP W0,W0,[X1]", True)])
def test_an_ordered_pair_is_ordered(store: str, allowed: bool) -> None:
    code = f" MOV W0,#1 | LDR W2,[X1,#4] ;\n {store} | DMB LD ;\n | LDR W3,[X1] ;\n"
    text = f"AArch64 MP\n{{ int x[2]; 0:X1=x; 1:X1=x; }}\n P0 | P1 ;\n{code}exists (1:X2=1 /\\ 1:X3=0)\n"
    assert (
        outcomes_by_enumeration(read(text, "MP.litmus"), find("armv8"), ExploreOptions(model="armv8")).holds is allowed
    )
