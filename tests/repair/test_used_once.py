"""A lock that each thread takes once: `repair` and the fix of `check` warn of what that does not show."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost
from fencepost.repair.once import CAUTION

LOCK = """var taken, count
thread A {{ {a} }}
thread B {{ {b} }}
forall (count == {total})
"""
TURN = "while XCHG(taken, 1) == 1 { skip }; r := count; count := r + 1; taken := 0"
PETERSON = """var f0, f1, turn, count
thread A { f0 := 1; turn := 1; while f1 == 1 && turn == 1 { skip }; r := count; count := r + 1; f0 := 0 }
thread B { f1 := 1; turn := 0; while f0 == 1 && turn == 0 { skip }; r := count; count := r + 1; f1 := 0 }
forall (count == 2)
"""
MESSAGE = """var data, flag, seen
thread A { data := 1; flag := 1 }
thread B { while flag == 0 { skip }; r := data; seen := 1; assert(r == 1) }
"""


def both(text: str, model: str, folder: Path) -> tuple[bool, bool]:
    """Whether the fix of a check says it, and whether `repair` does."""
    path = folder / "program.fp"
    path.write_text(text, encoding="utf-8")
    witness = fencepost.check(path, model=model).witness
    assert witness is not None and witness.cure is not None
    cured, repaired = witness.cure(), fencepost.repair(path, model=model)
    assert cured is not None and repaired.answer.value == "PASS" and repaired.changes
    return CAUTION in cured.cautions, CAUTION in repaired.notes


def test_a_lock_that_is_taken_once(tmp_path: Path) -> None:
    assert both(PETERSON, "tso", tmp_path) == (True, True)


def test_the_fix_that_a_person_reads_has_it(tmp_path: Path) -> None:
    (tmp_path / "p.fp").write_text(PETERSON, encoding="utf-8")
    said = fencepost.check(tmp_path / "p.fp", model="tso").fix
    assert "test it with two uses in each thread" in said


@pytest.mark.parametrize("model", ["rc11", "armv8"])
def test_at_one_place(model: str, tmp_path: Path) -> None:
    once = LOCK.format(a=TURN, b=TURN, total=2)
    assert both(once, model, tmp_path) == (True, True)
    again = f"i := 0; while i < 2 {{ {TURN}; i := i + 1 }}"
    assert both(LOCK.format(a=again, b=TURN, total=3), model, tmp_path) == (False, False)


def test_who_waits_for_a_message_takes_no_lock(tmp_path: Path) -> None:
    assert both(MESSAGE, "rc11", tmp_path) == (False, False)
