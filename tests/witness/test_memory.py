"""What each thread may still read, and what the page says of steps that the story leaves out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fencepost
from fencepost.report.html import render
from fencepost.witness.story import Story, tell

MP = """var data, flag
thread W { data := 1; flag%s := 1 }
thread R { f := flag%s; if f == 1 { d := data; assert(d == 2) } }
"""
BUGS = Path(__file__).parent.parent / "repair" / "bugs"


def story(tmp_path: Path, release: str, acquire: str, model: str = "rc11") -> Story:
    path = tmp_path / "mp.fp"
    path.write_text(MP % (release, acquire))
    witness = fencepost.check(path, model=model, fix=False).witness
    assert witness is not None
    return tell(witness)


@pytest.mark.parametrize(("orders", "data"), [(("", ""), ("0", "1")), ((".rel", ".acq"), ("1",))])
def test_an_acquired_flag_hides_the_old_data(orders: tuple[str, str], data: tuple[str, ...], tmp_path: Path) -> None:
    told = story(tmp_path, *orders)
    read = next(m.number for m in told.moments if m.text == "reads flag = 1")
    rows = {s.place: s.values for s in told.memory[read - 1]}
    reader = [c.name for c in told.columns].index("R")
    assert rows["data"][reader] == data and rows["flag"][reader] == ("1",)


def test_nothing_is_said_where_happens_before_is_not_what_hides(tmp_path: Path) -> None:
    assert story(tmp_path, "", "", "sc").memory == ()
    assert story(tmp_path, "", "", "rc11").memory


def test_what_is_left_out_is_listed() -> None:
    page = render(fencepost.check(BUGS / "lost_signal.c", fix=False))
    assert "steps not shown</summary>" in page and "<li>starts thread waiter" in page
    assert re.search(r"<details><summary><b>main</b>\d+ steps</summary>", page), "grouped by thread and by call"
