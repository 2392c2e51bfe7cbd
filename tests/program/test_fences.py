"""What a fence orders is the same to Python and to the core."""

from __future__ import annotations

import pytest

from fencepost import _core
from fencepost.program.fences import FULL_FENCES, ORDERS
from fencepost.program.instructions import FenceKind


@pytest.mark.parametrize("number, kind", list(enumerate(FenceKind)), ids=[k.name for k in FenceKind])
def test_the_core_has_the_same_table(number: int, kind: FenceKind) -> None:
    assert frozenset(_core.fence_pairs(number)) == ORDERS.get(kind, frozenset())


def test_the_full_fences() -> None:
    assert {k.name for k in FULL_FENCES} == {"SC", "SYNC", "MFENCE", "DMB_SY", "DSB_SY", "FENCE_RW_RW"}
