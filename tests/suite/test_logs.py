"""herd's own log as the expectation: verdicts and states."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import api
from fencepost.errors import InputError
from fencepost.suite.logs import normal
from fencepost.suite.suite import Suite

SB = """X86 SB
{ }
 P0 | P1 ;
 MOV [x],$1 | MOV [y],$1 ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""
LOG = """Warning: something that herd says
Test SB Allowed
States 4
0:EAX=0; 1:EAX=0;
0:EAX=0; 1:EAX=1;
0:EAX=1; 1:EAX=0;
0:EAX=0x1; 1:EAX=1;
Ok
Witnesses
Positive: 1 Negative: 3
Condition exists (0:EAX=0 /\\ 1:EAX=0)
Observation SB Sometimes 1 3
Time SB 0.00
Hash=0
"""


def _run(folder: Path, log: str) -> Suite:
    (folder / "test.litmus").write_text(SB, encoding="utf-8")
    (folder / "herd.log").write_text(log, encoding="utf-8")
    return api.litmus([str(folder)], expected=str(folder / "herd.log"))


def test_a_log_that_agrees(tmp_path: Path) -> None:
    suite = _run(tmp_path, LOG)
    assert (suite.summary.agree, suite.summary.wrong) == (1, 0)


def test_a_state_that_herd_does_not_have(tmp_path: Path) -> None:
    suite = _run(tmp_path, LOG.replace("States 4", "States 3").replace("0:EAX=1; 1:EAX=0;\n", ""))
    assert suite.summary.wrong == 1 and suite.results[0].differs == "1 more, such as 0:EAX=1; 1:EAX=0"


def test_a_state_that_we_do_not_have(tmp_path: Path) -> None:
    suite = _run(tmp_path, LOG.replace("States 4", "States 5").replace("Ok", "0:EAX=2; 1:EAX=0;\nOk"))
    assert suite.results[0].differs == "1 fewer, such as 0:EAX=2; 1:EAX=0"


def test_a_log_without_states_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no states follow"):
        _run(tmp_path, "Test SB Allowed\nHash=0\n")


FILTERED = SB.replace("exists (0:EAX=0 /\\ 1:EAX=0)", "LOCATIONS filter (0:EAX=0) exists (1:EAX=0)")


@pytest.mark.parametrize(
    ("locations", "states"),
    [("", ["1:EAX=0;", "1:EAX=1;"]), ("locations [0:EAX;]", ["0:EAX=0; 1:EAX=0;", "0:EAX=0; 1:EAX=1;"])],
)
def test_what_a_filter_removes_and_what_only_it_looks_at_is_not_shown(
    tmp_path: Path, locations: str, states: list[str]
) -> None:
    """As in herd, whose log mcompare7 compares with ours."""
    (tmp_path / "test.litmus").write_text(FILTERED.replace("LOCATIONS", locations), encoding="utf-8")
    lines = api.litmus([str(tmp_path)]).results[0].text.splitlines()
    assert lines[1 : lines.index("Ok")] == [f"States {len(states)}", *states]
    assert "Positive: 1 Negative: 1" in lines and "Condition exists (1:EAX=0)" in lines


def test_numbers_in_arrays_are_read_in_any_base() -> None:
    assert (
        normal("[t]={0xff,0x10,-1}; 0:X1=0x2;") == normal("0:X1=2; t={255,16,-1};") != normal("0:X1=2; t={255,17,-1};")
    )


ARM = """ARM SB
{ 0:R1=x; 0:R3=y; 1:R1=x; 1:R3=y; }
 P0 | P1 ;
 MOV R0,#1 | MOV R0,#1 ;
 STL R0,[R1] | STL R0,[R3] ;
 LDA R2,[R3] | LDA R2,[R1] ;
exists (0:R2=0 /\\ 1:R2=0)
"""


@pytest.mark.parametrize(
    ("text", "model", "allowed"),
    [(ARM, "armv8", False), (ARM.replace("STL", "STR").replace("LDA", "LDR"), "armv7", True)],
)
def test_arm_with_acquires_and_releases_is_armv8(tmp_path: Path, text: str, model: str, allowed: bool) -> None:
    (tmp_path / "test.litmus").write_text(text, encoding="utf-8")
    result = api.litmus([str(tmp_path)]).results[0]
    assert (result.model, result.holds) == (model, allowed)
