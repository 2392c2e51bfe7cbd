"""herd's own log as the expectation: verdicts and states."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import api
from fencepost.errors import InputError
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
