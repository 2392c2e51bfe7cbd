"""A witness is judged by two parties that share nothing with the engines: the plain machine and the cat evaluator."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from samples import SAMPLES, assertion_rc11

import fencepost
from fencepost.errors import InternalError
from fencepost.models.registry import find
from fencepost.program.instructions import ErrorKind, FenceKind, Mode
from fencepost.verdict import Answer, Cured, Fix
from fencepost.witness.confirm import confirm, model_of
from fencepost.witness.cycles import shortest_cycle
from fencepost.witness.relations import Relations
from fencepost.witness.story import tell


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_confirmed(name: str) -> None:
    replayed = confirm(SAMPLES[name]())
    assert replayed is not None and replayed.runs


@pytest.mark.parametrize("name", ["assertion_rc11", "assertion_power", "robustness", "bounded"])
def test_a_weak_execution_is_not_one_of_sc(name: str) -> None:
    with pytest.raises(InternalError, match="not one of sc"):
        confirm(replace(SAMPLES[name](), model="sc"))


def test_a_very_long_execution_is_only_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    weak = replace(SAMPLES["assertion_rc11"](), model="sc")
    monkeypatch.setattr("fencepost.witness.confirm._MOST_JUDGED", len(weak.execution.events) - 1)
    assert confirm(weak) is not None
    with pytest.raises(InternalError, match="not there on replay"):
        confirm(replace(weak, error=replace(weak.error, kind=ErrorKind.LEAK)))


def test_an_error_that_is_not_there_is_our_bug() -> None:
    witness = assertion_rc11()
    with pytest.raises(InternalError, match="not there on replay: every heap object is freed"):
        confirm(replace(witness, error=replace(witness.error, kind=ErrorKind.LEAK)))


def test_a_model_that_is_not_at_hand_is_no_obstacle() -> None:
    witness = replace(assertion_rc11(), model="/nowhere/mine.cat")
    assert model_of(witness) is None
    assert confirm(witness) is not None


@pytest.mark.parametrize("name", SAMPLES)
def test_the_shortest_cycle_agrees_with_sc(name: str) -> None:
    x = SAMPLES[name]().execution
    assert find("sc").judge(x).consistent == (not shortest_cycle(Relations(x)))


def test_a_witness_without_its_search_has_no_fix() -> None:
    """Nothing is said that was not tried on the whole program."""
    assert tell(assertion_rc11()).explanation.remedies == ()


def test_a_known_cure_is_told() -> None:
    at = assertion_rc11().execution.thread_events(0)[1].at
    cured = Cured((Fix(at, "store", Mode.REL), Fix(at, "store", None, (FenceKind.SC,))))
    (remedy,) = tell(replace(assertion_rc11(), cure=cured)).explanation.remedies
    assert (
        remedy.text.startswith("store to flag with release (")
        and "put a seq-cst fence before the store to flag" in remedy.text
    )
    assert remedy.proof == "then every execution passes"


def test_a_model_without_coherence() -> None:
    """WRC11 has no order of writes; that the initial value comes first is enough for this story."""
    witness = assertion_rc11()
    x = witness.execution
    initial = {a: order[:1] for a, order in x.coherence.items()}
    witness = replace(witness, model="wrc11", execution=replace(x, coherence=initial))
    confirm(witness)
    story = tell(witness)
    assert story.explanation.reason.startswith("thread reader read data = 0 from the initial value although")
    lost = SAMPLES["lost_update"]()
    bare = {a: order[:1] for a, order in lost.execution.coherence.items()}
    lost = replace(lost, model="wrc11", execution=replace(lost.execution, coherence=bare))
    assert "no reordering" not in tell(lost).explanation.reason


@pytest.mark.parametrize("verb", ["check", "bounded"])
def test_a_condition_on_more_than_a_signed_number_holds_is_refuted(verb: str, tmp_path: Path) -> None:
    """Constants of a condition are read as what they are compared with: here without a sign."""
    file = tmp_path / "unsigned.litmus"
    file.write_text(
        "PPC unsigned\n{ uint64_t x=0; 0:r2=x; 0:r1=0x9922334455667788; }\n P0 ;\n std r1,0(r2) ;\n"
        "~exists (x=0x9922334455667788)\n"
    )
    found = fencepost.check(file, model="power") if verb == "check" else fencepost.bounded(file)
    assert found.answer is Answer.FAIL
