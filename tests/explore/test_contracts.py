"""What should hold in the core is checked, and what does not hold there is our bug: an InternalError, and no abort."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fencepost import _core
from fencepost.errors import InternalError
from fencepost.verdict import ExitCode

ROOT = Path(__file__).parents[2]


def _plan() -> _core.ModelPlan:
    return _core.ModelPlan([], 0, [])


def test_a_broken_contract_is_an_internal_error_that_says_what_should_hold_and_where() -> None:
    with pytest.raises(InternalError) as caught:
        _core.candidate_frame(_plan(), 2, [[2]], [], [])
    text = str(caught.value)
    assert text.startswith("a set should hold events of the frame (native/models/candidates.hpp:")
    assert text.endswith("; please report this with the program that was checked")


def test_it_is_one_inside_a_call_of_a_kept_object_too() -> None:
    frame = _core.candidate_frame(_plan(), 1, [], [], [[0]])
    assert frame is not None
    with pytest.raises(InternalError, match="every location should have its part"):
        frame.judge([])


def test_the_command_line_names_the_input_to_report(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file for the report has the command, and so the program."""
    from fencepost import cli

    path = tmp_path / "broken.fp"
    path.write_text("var x\nthread A { x := 1 }\n", encoding="utf-8")

    def broken(*_: object) -> object:
        return _core.candidate_frame(_plan(), 2, [[2]], [], [])

    monkeypatch.setattr("fencepost.explore.native.native_options", broken)
    command = ["check", "--no-cache", "--json", str(path)]
    monkeypatch.setattr("sys.argv", ["fencepost", *command])
    assert cli.run(command) == ExitCode.INTERNAL
    told = json.loads(capsys.readouterr().out)["error"]
    assert told["internal"] is True
    assert str(path) in Path(told["details"]).read_text(encoding="utf-8")


@pytest.mark.source
def test_the_core_says_often_enough_what_should_hold() -> None:
    """Twenty contracts for every thousand lines, each worded as what should be."""
    texts = {p: p.read_text(encoding="utf-8") for p in (ROOT / "native").rglob("*.[ch]pp") if p.parent.name != "tests"}
    lines = sum(text.count("\n") for text in texts.values())
    said = [s for text in texts.values() for s in re.findall(r'FP_(?:ASSERT|REQUIRE)\((?:[^;]*?)"([^"]+)"\);', text)]
    assert 1000 * len(said) / lines >= 20
    assert [s for s in said if "should" not in s] == []
