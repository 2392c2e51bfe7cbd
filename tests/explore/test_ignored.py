"""An error that is ignored hides nothing but itself: where it ends executions, there is no PASS."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost
from fencepost.reasons import Code
from fencepost.verdict import Answer

CONSTANT = "static const int c = 3;\nint main(void) {\n  *(int *)&c = 4;\n  __builtin_trap();\n}\n"
ASSERTED = 'var x\nthread A { x := 1; assert(0, "first"); x := 2 }\nthread B { r := x; assert(r != 2, "second") }\n'
RACE = "na x\nthread A { x := 1 }\nthread B { r := x }\n"


def test_what_comes_after_an_ignored_error_was_not_looked_at(tmp_path: Path) -> None:
    file = tmp_path / "constant.c"
    file.write_text(CONSTANT)
    verdict = fencepost.check(file, ignore=("write-to-constant",))
    assert verdict.answer is Answer.UNKNOWN
    assert [r.code for r in verdict.reasons] == [Code.IGNORED]
    assert verdict.reasons[0].at is not None and verdict.reasons[0].at.line == 3


@pytest.mark.parametrize("model", ["rc11", "armv8", "imm"])
def test_an_ignored_assertion(model: str, tmp_path: Path) -> None:
    file = tmp_path / "asserted.fp"
    file.write_text(ASSERTED)
    assert fencepost.check(file, model=model, ignore=("assertion",)).answer is Answer.UNKNOWN


def test_an_ignored_race_ends_nothing(tmp_path: Path) -> None:
    file = tmp_path / "race.fp"
    file.write_text(RACE)
    assert fencepost.check(file, ignore=("race",)).answer is Answer.PASS
