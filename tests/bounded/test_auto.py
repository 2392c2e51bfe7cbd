"""As many contexts as there is time for."""

from __future__ import annotations

import pytest

import fencepost
from fencepost import api
from fencepost.errors import UsageError
from fencepost.frontends import read_text
from fencepost.verdict import Answer

SB = """var x, y, r, s
thread P { x := 1; a := y; r := a }
thread Q { y := 1; b := x; s := b; c := r; assert(b == 1 || c == 1 || c == 0) }
"""
MP = """var x, y
thread P { x := 1; y := 1 }
thread Q { a := y; if a == 1 { b := x; assert(b == 1) } }
"""


def test_it_stops_at_the_first_violation() -> None:
    verdict = fencepost.bounded(read_text(MP, "mp.fp"), contexts="auto", time_limit=60.0)
    fixed = fencepost.bounded(read_text(MP, "mp.fp"), contexts="1..4")
    assert verdict.answer is Answer.FAIL and verdict.extra["contexts"] == fixed.extra["contexts"]


def test_it_says_how_far_it_came() -> None:
    verdict = fencepost.bounded(read_text(SB, "sb.fp"), contexts="auto", time_limit=6.0)
    assert verdict.answer is Answer.BOUNDED
    reached = verdict.extra["contexts"]
    assert isinstance(reached, int) and reached >= 1
    assert f"{reached + 1} contexts were not decided in 6.0 s" in verdict.warnings


def test_a_translation_wants_a_number() -> None:
    with pytest.raises(UsageError, match="give the number"):
        api.bounded_translation(read_text(MP, "mp.fp"), contexts="auto")
    with pytest.raises(UsageError, match="or auto"):
        fencepost.bounded(read_text(MP, "mp.fp"), contexts="all")
