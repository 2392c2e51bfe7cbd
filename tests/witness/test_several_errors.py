"""Every error of a check that keeps going has an execution of its own, in every report."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import jsonschema
import pytest

import fencepost
from fencepost.cli import run
from fencepost.enumerate.verdicts import check_by_enumeration
from fencepost.errors import UnsupportedError
from fencepost.explore import native
from fencepost.explore.driver import explore
from fencepost.explore.native import Report
from fencepost.models.registry import find
from fencepost.options import CheckOptions
from fencepost.program.instructions import ErrorKind
from fencepost.report.json import schema

TWO = """\
var flag
na data
thread writer {
  data := 42
  flag := 1
}
thread reader {
  f := flag
  if f == 1 {
    d := data
  }
  assert(f == 0, "never told")
}
"""


@pytest.fixture
def two(tmp_path: Path) -> Path:
    file = tmp_path / "two.fp"
    file.write_text(TWO)
    return file


def _places(verdict: fencepost.Verdict) -> list[tuple[ErrorKind, int]]:
    return [(w.error.kind, w.error.at.line) for w in verdict.witnesses if w.error.at is not None]


def test_each_error_has_its_witness(two: Path) -> None:
    verdict = fencepost.check(two, keep_going=True)
    assert _places(verdict) == [(ErrorKind.RACE, 10), (ErrorKind.ASSERTION, 12)]
    assert tuple(w.error for w in verdict.witnesses) == verdict.errors
    assert verdict.witnesses == (verdict.witness, *verdict.others)
    assert _places(fencepost.check(two)) == [(ErrorKind.RACE, 10)]


def test_enumeration_keeps_them_too(two: Path) -> None:
    two.write_text(TWO.replace('"never told")', '"never told")\n  assert(f == 1, "told")'))
    verdict = check_by_enumeration(fencepost.read(two), find("sc"), CheckOptions(model="sc", keep_going=True))
    assert tuple(w.error for w in verdict.witnesses) == verdict.errors
    assert sorted(e.message for e in verdict.errors) == ["never told", "told"]


def test_json_tells_each_and_each_replays(two: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(two), "--keep-going", "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    jsonschema.validate(data, schema())
    assert [o["witness"]["error"] for o in data["others"]] == data["errors"][1:]
    assert [o["explanation"]["title"] for o in data["others"]] == ["assertion violated"]
    again, _ = fencepost.replay(data["others"][0]["witness"])
    assert [e.message for e in again.errors] == ["never told"]


def test_the_page_has_a_list_and_a_section_for_each(two: Path) -> None:
    page = fencepost.check(two, keep_going=True).to_html()
    assert '<h1><span class="badge fail">FAIL</span> 2 errors under rc11</h1>' in page
    rows = re.findall(r'<tr><td><a href="#v(\d)">(.*?)</a></td><td>(.*?)</td></tr>', page)
    assert rows == [("0", "data race on data", "two.fp:10"), ("1", "assertion violated: never told", "two.fp:12")]
    inner = [
        unescape(text)
        for text in re.findall(r'<details id="v\d"[^>]*>.*?srcdoc="(.*?)"></iframe></details>', page, re.S)
    ]
    assert [re.findall(r"<title>(FAIL.*?)</title>", text) for text in inner] == [
        ["FAIL: data race on data"], ["FAIL: assertion violated: never told"],
    ]  # fmt: skip
    assert "<iframe" not in fencepost.check(two).to_html()


def test_text_names_the_others_and_sarif_shows_their_paths(
    two: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", str(two), "--keep-going", "--sarif", str(tmp_path / "log")]) == 1
    assert "also     assertion violated: never told  two.fp:12\n" in capsys.readouterr().out
    results = json.loads((tmp_path / "log").read_text())["runs"][0]["results"]
    assert [len(r["codeFlows"]) for r in results] == [1, 1]


LONG_AND_SHORT = """\
var x, y
thread a {
  x := 1
}
thread b {
  r := x
  if r == 1 {
    y := 1
    y := 2
  }
  assert(r == 2, "always")
}
"""


def test_of_the_executions_of_one_error_the_smallest_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "p.fp"
    file.write_text(LONG_AND_SHORT)
    sizes = []
    for keep_going in (False, True):
        witness = fencepost.check(file, keep_going=keep_going, fix=False).witness
        assert witness is not None
        sizes.append(sum(e.thread >= 0 and e.is_access for e in witness.execution.events))
    assert sizes == [2, 2]


#: Each is an error of its own; the last needs one step.
MANY = """\
var x, y, z
thread A {
  x := 1
  y := 1
  z := 1
}
thread B {
  r := z
  s := y
  t := x
  assert(r + s + t != 2, "late")
  assert(r != 1 || s != 0, "later")
  assert(t == 0, "soon")
}
thread C {
  assert(x == y, "between")
  assert(z == 0, "seen")
}
"""


def _told(verdict: fencepost.Verdict) -> tuple[object, ...]:
    errors = {(e.kind, e.at, e.message) for e in verdict.errors}
    return verdict.answer, verdict.executions, verdict.blocked, errors, len(verdict.witnesses)


@pytest.mark.parametrize("model", ["sc", "tso", "rc11", "power", "armv8"])
def test_the_search_for_simpler_stories_decides_nothing(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may find another execution for each error, not another error; and where it fails it is left out."""
    (tmp_path / "many.fp").write_text(MANY)
    told = fencepost.check(tmp_path / "many.fp", model=model, keep_going=True, fix=False)
    first = explore(fencepost.read(tmp_path / "many.fp"), model, CheckOptions(model=model, keep_going=True))
    assert _told(told) == _told(first) and len(told.errors) >= 4
    assert all(w.error in told.errors for w in told.witnesses)

    def fails(*_: object) -> Report:
        raise UnsupportedError("nothing simpler")

    monkeypatch.setattr(native, "erroneous", fails)
    again = fencepost.check(tmp_path / "many.fp", model=model, keep_going=True, fix=False)
    assert _told(again) == _told(first)
    short = fencepost.check(tmp_path / "many.fp", model=model, fix=False)
    assert short.answer is first.answer and short.errors[0].message in {e.message for e in first.errors}
