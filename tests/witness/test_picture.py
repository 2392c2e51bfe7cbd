"""The picture: edges keep clear of boxes, and the order that the fix would add is drawn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from samples import SAMPLES

import fencepost
from fencepost.report import bugs
from fencepost.report.drawing import Drawing, draw
from fencepost.report.html import highlight, render
from fencepost.verdict import Witness
from fencepost.witness.story import tell

RELAY = """
var data, flag, more
thread writer { data.na := 1; flag := 1 }
thread middle { a := flag; if a == 1 { more := 1 } }
thread reader { b := more.acq; c := flag; if b == 1 && c == 1 { d := data.na } }
"""
MP = """
var data, flag
thread writer { data.na := 1; flag := 1 }
thread reader { a := flag; if a == 1 { d := data.na } }
"""


def found(text: str) -> Witness:
    witness = fencepost.check(text, model="rc11").witness
    assert witness is not None
    return witness


def points(path: str) -> list[tuple[float, float]]:
    """Points along a path of lines and curves, close to each other."""
    here, trail = (0.0, 0.0), list[tuple[float, float]]()
    for letter, numbers in re.findall(r"([MLCQ])([^MLCQ]*)", path):
        values = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", numbers)]
        ends = list(zip(values[::2], values[1::2], strict=True))
        control = [here, *ends] if letter != "M" else [ends[0]] * 2
        for n in range(1, 51):
            line = control
            while len(line) > 1:  # de Casteljau
                line = [tuple(p + (q - p) * n / 50 for p, q in zip(a, b, strict=True)) for a, b in zip(line, line[1:])]  # type: ignore[misc] # noqa: B905,RUF007
            trail.append(line[0])
        here = ends[-1]
    return trail


def hidden_parts(drawing: Drawing) -> list[str]:
    return [
        f"{a.kind} {a.source}->{a.target} behind {b.label}"
        for a in drawing.arrows for n, b in enumerate(drawing.boxes) if n not in (a.source, a.target)
        if any(b.x < x < b.x + b.width and b.y < y < b.y + b.height for x, y in points(a.path))
    ]  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
def test_no_edge_of_a_sample_runs_behind_a_box(name: str) -> None:
    assert hidden_parts(draw(tell(SAMPLES[name]()))) == []


def test_an_edge_to_the_next_but_one_column_goes_around() -> None:
    drawing = draw(tell(found(RELAY)))
    far = [a for a in drawing.arrows if abs(drawing.boxes[a.source].column - drawing.boxes[a.target].column) == 2]
    assert {a.kind for a in far} >= {"rf", "race", "missing"} and hidden_parts(drawing) == []
    assert all("Q" in a.path for a in far), "there is a column in between"


def test_the_missing_edge_is_the_one_that_the_fix_adds() -> None:
    drawing = draw(tell(found(MP)))
    missing = [a for a in drawing.arrows if a.kind == "missing"]
    ends = [(drawing.boxes[a.source].lines[0][1], drawing.boxes[a.target].lines[0][1]) for a in missing]
    assert ends == [("writes flag = 1", "reads flag = 1")]


def test_a_cycle_shows_what_is_not_kept_in_order() -> None:
    witness = found("var x, y\nthread a { x := 1; r := y }\nthread b { y := 1; s := x }\nforall (a:r == 1 || b:s == 1)")
    drawing = draw(tell(witness))
    assert len([a for a in drawing.arrows if a.kind == "missing"]) == 2, "one in each thread"


def test_the_page_explains_the_name_of_the_bug() -> None:
    page = render(fencepost.check(MP, model="rc11"))
    assert '<details id="known"><summary>unsafe publication</summary>' in page
    assert "nothing makes the data arrive first" in page


def test_the_names_travel_with_the_program() -> None:
    docs = Path(__file__).parents[2] / "docs" / "bugs.md"
    assert docs.read_text() == bugs.page(), "docs/bugs.md is a copy of what the package tells"
    assert bugs.meaning("ABA").startswith("A thread reads A") and bugs.meaning("nonsense") == ""


def test_stores_that_nothing_reads_are_left_out() -> None:
    text = MP.replace("data.na := 1;", "noise := 1; noise := 2; data.na := 1;").replace("var data", "var noise, data")
    story = tell(found(text))
    assert not any("noise" in m.text for m in story.moments)
    assert next(c.hidden for c in story.columns if c.name == "writer") == 2
    assert any("noise" in m.text for m in tell(found(text), whole=True).moments)


FILTER = Path(__file__).parent.parent / "repair" / "bugs" / "filter3.c"


def test_a_long_story_is_not_covered_by_edges() -> None:
    """No "missed" for a write that comes later, no edge from each initial value, nothing beyond the edge."""
    witness = fencepost.check(FILTER, fix=False).witness
    assert witness is not None
    story = tell(witness)
    drawing = draw(story)
    missed = {(a.source, a.target) for a in drawing.arrows if a.kind == "fr" and not a.cycle}
    assert all(b < a for a, b in missed)
    assert any("missed" in m.detail for m in story.moments)
    initial = [a for a in drawing.arrows if a.kind == "rf" and drawing.boxes[a.source].number == 0]
    assert all(a.cycle for a in initial)
    assert all(0 <= x <= drawing.width for a in drawing.arrows for x, _ in points(a.path))


def test_a_pointer_in_brackets_begins_no_comment() -> None:
    assert 'class="c"' not in highlight("put(*(int *)a, (*b)); ", ".c")
    assert 'class="c"' in highlight("(* a comment *)", ".litmus")


def test_a_long_name_keeps_its_end_and_its_value() -> None:
    text = MP.replace("data", "connection_statistics_of_the_primary_listener_last_error_code")
    labels = [line for b in draw(tell(found(text))).boxes for _, line in b.lines]
    cut = [line for line in labels if "…" in line]
    assert any(line.startswith("writes ") and line.endswith("last_error_code = 1") for line in cut), labels
