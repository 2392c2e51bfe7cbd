"""Accesses of mixed size, split into pieces that belong together."""

from __future__ import annotations

import pytest

from fencepost.errors import UnsupportedError
from fencepost.frontends.litmus import read
from fencepost.models.registry import find
from fencepost.options import ExploreOptions
from fencepost.program.instructions import AtomicBegin, Load, Rmw, Store
from fencepost.program.passes.points_to import mixes_sizes
from fencepost.program.passes.split import split_mixed_sizes
from fencepost.suite.engine import enumerated


def litmus(code: str, question: str) -> str:
    state = "uint64_t x; uint64_t y; 0:X1=x; 0:X3=y; 1:X1=x; 1:X3=y; 0:X9=0x100000002; 1:X9=0x300000004;"
    return f"AArch64 t\n{{ {state} }}\n{code}\n{question}"


def states(text: str) -> set[tuple[int, ...]]:
    found = enumerated(read(text, "t"), find("armv8"), ExploreOptions(model="armv8"))
    assert not found.reason
    return {tuple(value for _, value in state) for state in found.states}


STORE_LOAD = litmus(" P0 | P1 ;\n STR X9,[X1] | LDR W0,[X1] ;\n | LDR W2,[X1,#4] ;", "locations [x; 1:X0; 1:X2;]")
WHOLE_READ = litmus(" P0 | P1 ;\n STR X9,[X1] | LDR X0,[X1] ;\n | LDR W2,[X1,#4] ;", "locations [x; 1:X0; 1:X2;]")


def test_where_accesses_are_cut() -> None:
    program = read(STORE_LOAD, "t")
    split = split_mixed_sizes(program)
    assert mixes_sizes(program) and split is not None and not mixes_sizes(split.program)
    stores = [i for i in split.program.functions[0].code if isinstance(i, Store)]
    assert [(s.size) for s in stores] == [4, 4]
    assert [o.name for o in split.program.observations] == ["x@0", "x@4", "1:X0", "1:X2"]


def test_bytes_and_halves() -> None:
    text = litmus(" P0 | P1 ;\n STR X9,[X1] | LDRB W0,[X1,#1] ;", "locations [x; 1:X0;]")
    split = split_mixed_sizes(read(text, "t"))
    assert split is not None
    assert [i.size for i in split.program.functions[0].code if isinstance(i, Store)] == [1, 1, 2, 4]
    assert states(text) == {(0x100000002, 0)}


def test_one_size_is_left_alone() -> None:
    text = litmus(" P0 | P1 ;\n STR X9,[X1] | LDR X0,[X1] ;", "locations [x; 1:X0;]")
    assert split_mixed_sizes(read(text, "t")) is None


def test_values_are_put_together() -> None:
    assert (0x100000002, 2, 1) in states(STORE_LOAD)
    assert states(WHOLE_READ) == {(0x100000002, 0, 0), (0x100000002, 0, 1), (0x100000002, 0x100000002, 1)}


def test_an_aligned_store_is_not_torn() -> None:
    """Two whole stores: the final value is one of them, never half of each."""
    text = litmus(" P0 | P1 ;\n STR X9,[X1] | STR X9,[X1] ;\n | LDR W0,[X1,#4] ;", "locations [x;]")
    assert states(text) == {(0x100000002,), (0x300000004,)}


def test_a_read_may_take_a_half_from_its_own_store() -> None:
    """Forwarding: the own half is newer than memory, the other half is not."""
    text = litmus(" P0 | P1 ;\n STR X9,[X1] | STR W9,[X1] ;\n | LDR X0,[X1] ;", "locations [x; 1:X0;]")
    assert {(0x100000004, 0x4), (0x100000004, 0x100000004), (0x100000002, 0x4)} <= states(text)


def test_exchanges_are_split_and_maxima_refused() -> None:
    text = litmus(" P0 | P1 ;\n SWP X9,X5,[X1] | LDR W0,[X1] ;", "locations [x; 0:X5; 1:X0;]")
    split = split_mixed_sizes(read(text, "t"))
    assert split is not None
    code = split.program.functions[0].code
    assert sum(isinstance(i, Rmw) for i in code) == 2 and sum(isinstance(i, AtomicBegin) for i in code) == 1
    assert states(text) == {(0x100000002, 0, 0), (0x100000002, 0, 2)}
    text = litmus(" P0 | P1 ;\n LDUMAX X9,X5,[X1] | LDR W0,[X1] ;", "locations [x;]")
    with pytest.raises(UnsupportedError, match="mixed size"):
        split_mixed_sizes(read(text, "t"))


@pytest.mark.parametrize(("start", "added"), [(0xFFFFFFFF, 1), (0x2_00000001, -1), (5, 0x1_FFFFFFFC)])
def test_sums_carry_from_piece_to_piece(start: int, added: int) -> None:
    text = litmus(" P0 | P1 ;\n LDADD X9,X5,[X1] | LDR W0,[X1,#4] ;", "locations [x; 1:X0;]")
    text = text.replace("uint64_t x;", f"uint64_t x={start};").replace("0:X9=0x100000002", f"0:X9={added}")
    total = start + added
    assert states(text) == {(total, start >> 32), (total, total >> 32)}


EXCLUSIVE = " LDXR X5,[X1] | {} ;\n STXR W6,X9,[X1] | ;"


def test_an_exclusive_pair_writes_all_its_pieces_or_none() -> None:
    text = litmus(" P0 | P1 ;\n" + EXCLUSIVE.format("LDR W0,[X1,#4]"), "locations [x; 0:X5; 0:X6; 1:X0;]")
    assert states(text) == {(0, 0, 1, 0), (0x100000002, 0, 0, 0), (0x100000002, 0, 0, 1)}


def test_nobody_comes_between_the_halves_of_an_exclusive_pair() -> None:
    """Neither to the first word nor to the second: where both write, one is before the whole pair or after it."""
    text = litmus(" P0 | P1 ;\n" + EXCLUSIVE.format("STR W9,[X1,#4]"), "locations [x; 0:X5; 0:X6;]")
    before, after, alone = (0x100000002, 0x400000000, 0), (0x400000002, 0, 0), (0x400000000, 0, 1)
    assert states(text) == {before, after, alone, (0x400000000, 0x400000000, 1)}


def test_a_reservation_is_for_the_words_that_were_read() -> None:
    text = litmus(" P0 | P1 ;\n LDXR W5,[X1] | LDR X0,[X1] ;\n STXR W6,W9,[X1,#4] | ;", "locations [x; 0:X6;]")
    assert states(text) == {(0, 1)}


def test_a_store_conditional_goes_where_its_register_points_now() -> None:
    """To the second half of what was reserved, each of its pieces."""
    text = litmus(
        " P0 | P1 ;\n LDXR X5,[X1] | LDRH W0,[X1,#2] ;\n CBNZ X5,L | LDRH W2,[X1,#6] ;\n"
        " ADD X1,X1,#4 | ;\n L: | ;\n STXR W6,W9,[X1] | ;",
        "locations [x; 0:X6;]",
    )
    assert states(text.replace("0:X9=0x100000002", "0:X9=0x30002")) == {(0x30002_00000000, 0), (0, 1)}


def test_an_access_to_one_of_two_locations_is_cut_like_both() -> None:
    """x holds the address of y or z: the access through it is cut where either is."""
    text = (
        "AArch64 t\n{ x=z; 0:X1=x; 0:X3=y; 0:X4=z; 0:X9=0x100000002; 1:X3=y; }\n"
        " P0 | P1 ;\n STR X3,[X1] | LDR W0,[X3] ;\n LDR X2,[X1] | ;\n STR X9,[X2] | ;\nlocations [y; z; 1:X0;]"
    )
    split = split_mixed_sizes(read(text, "t"))
    assert split is not None
    sizes = [i.size for i in split.program.functions[0].code if isinstance(i, Load | Store)]
    assert sizes == [8, 8, 4, 4]


QUEUE_LOCK = """
var tail, next[3], locked[3]
na d
thread T(i in 1..2) {
  before := XCHG(tail.acq_rel, i)
  if before != 0 {
    next[before].rel := i
    wait(locked[i].acq == 0)
  }
  d := d + 1
  _, ok := CAS(tail.acq_rel, i, 0)
  if !ok {
    n := wait(next[i].acq != 0)
    locked[n].rel := 0
  }
}
"""


def test_temporaries_of_addresses_and_of_values_are_told_apart() -> None:
    """The front end computes `d + 1` in the register in which the address of `next[i]` was."""
    from fencepost.frontends import read_text
    from fencepost.program.passes.temporaries import told_apart

    program = read_text(QUEUE_LOCK)
    assert not mixes_sizes(program)
    apart = told_apart(program)
    assert len(apart.functions[0].registers) > len(program.functions[0].registers)
    for model in ("sc", "armv8"):
        options = ExploreOptions(model=model)
        first, second = (enumerated(p, find(model), options) for p in (program, apart))
        assert (first.executions, first.states) == (second.executions, second.states) and first.executions == 20
