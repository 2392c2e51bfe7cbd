"""The programs of Figure 7 and of §2 to §4, written in .fp, with the verdicts of the paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from toy import LITMUS

from fencepost import api
from fencepost.options import RobustOptions
from fencepost.robustness import check_robustness
from fencepost.verdict import Answer
from fencepost.witness.confirm import confirm

PROGRAMS = Path(__file__).parent.parent.parent / "benchmarks" / "robustness"

#: name -> robust against RA, robust against TSO. The paper's Trencher cannot treat blocking instructions and calls
#: barrier, lamport2-3-ra, rcu and rcu-offline not robust for that reason alone; robust against RA implies both.
FIGURE_7 = {
    "barrier": (True, True), "dekker-sc": (False, False), "dekker-tso": (True, True), "peterson-sc": (False, False),
    "peterson-tso": (False, True), "peterson-ra": (True, True), "peterson-ra-dmitriy": (True, True),
    "peterson-ra-bratosz": (False, False), "lamport2-sc": (False, False), "lamport2-tso": (False, True),
    "lamport2-ra": (True, True), "lamport2-3-ra": (True, True), "spinlock": (True, True), "spinlock4": (True, True),
    "ticketlock": (True, True), "ticketlock4": (True, True), "seqlock": (True, True), "nbw-w-lr-rl": (True, True),
    "rcu": (True, True), "rcu-offline": (True, True), "cilk-the-wsq-sc": (False, False),
    "cilk-the-wsq-tso": (True, True), "chase-lev-sc": (False, False), "chase-lev-tso": (False, True),
    "chase-lev-ra": (True, True),
}  # fmt: skip
LITMUS_FILES = {"barrier-busy": (False, False), "sb": (False, False), "mp": (True, True), "iriw": (False, True),
                "2+2w": (False, True), "2rmw": (True, True), "sb+rmws": (True, True)}  # fmt: skip


def test_every_program_of_the_figure_is_there() -> None:
    assert len(FIGURE_7) == 25
    assert {p.stem for p in PROGRAMS.glob("*.fp")} == set(FIGURE_7) | set(LITMUS_FILES)


@pytest.mark.parametrize("against", ["ra", "tso"])
@pytest.mark.parametrize("name", sorted(FIGURE_7 | LITMUS_FILES))
def test_verdicts_of_the_paper(name: str, against: str) -> None:
    expected = (FIGURE_7 | LITMUS_FILES)[name][against == "tso"]
    verdict = api.robust(PROGRAMS / f"{name}.fp", against=against)  # api confirms every witness
    assert verdict.extra["robust"] is expected
    assert verdict.answer is (Answer.PASS if expected else Answer.FAIL), verdict.reason


@pytest.mark.parametrize("against", ["ra", "sra", "tso"])
@pytest.mark.parametrize("name", LITMUS)
@pytest.mark.parametrize("options", [{}, {"depth_first": True}, {"jobs": 2}], ids=str)
def test_litmus_programs(name: str, against: str, options: dict[str, object]) -> None:
    program, expected = LITMUS[name]
    verdict = check_robustness(program, RobustOptions(against=against, **options))  # type: ignore[arg-type]
    assert verdict.extra["robust"] is expected[against], verdict.reason
    if verdict.witness is not None:
        confirm(verdict.witness)
        assert verdict.witness.cycle


@pytest.mark.parametrize("name", LITMUS)
def test_state_robustness_is_weaker(name: str) -> None:
    """Robust graphs mean robust states (Proposition 4.10); writing zeros only, SB is robust in its states alone, and so
    is the barrier whose busy loops go round once more."""
    program, expected = LITMUS[name]
    verdict = check_robustness(program, RobustOptions(state=True))
    states = {"SB-zeros": True, "BAR-busy": True, "2+2W-no-reads": True, "R": True}.get(name, expected["ra"])
    assert verdict.extra["robust"] is states, verdict.reason
    if verdict.witness is not None:
        confirm(verdict.witness)
