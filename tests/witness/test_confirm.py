"""A witness is judged by two parties that share nothing with the engines: the plain machine and the cat evaluator."""

from __future__ import annotations

from dataclasses import replace

import pytest
from samples import SAMPLES, assertion_power, assertion_rc11, bounded, sources

from fencepost.errors import InternalError
from fencepost.models.registry import find
from fencepost.program.instructions import ErrorKind, FenceKind, Mode
from fencepost.verdict import Witness
from fencepost.witness.case import open_case
from fencepost.witness.confirm import confirm, model_of
from fencepost.witness.cycles import shortest_cycle
from fencepost.witness.relations import Relations
from fencepost.witness.remedy import Change, strengthen
from fencepost.witness.story import tell


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_confirmed(name: str) -> None:
    replayed = confirm(SAMPLES[name]())
    assert replayed is not None and replayed.runs


@pytest.mark.parametrize("name", ["assertion_rc11", "assertion_power", "robustness", "bounded"])
def test_a_weak_execution_is_not_one_of_sc(name: str) -> None:
    with pytest.raises(InternalError, match="not one of sc"):
        confirm(replace(SAMPLES[name](), model="sc"))


def test_an_error_that_is_not_there_is_our_bug() -> None:
    witness = assertion_rc11()
    with pytest.raises(InternalError, match="not there on replay: every heap object is freed"):
        confirm(replace(witness, error=replace(witness.error, kind=ErrorKind.LEAK)))


def test_a_model_that_is_not_at_hand_is_no_obstacle() -> None:
    witness = replace(assertion_rc11(), model="/nowhere/mine.cat")
    assert model_of(witness) is None
    assert confirm(witness) is not None
    assert tell(witness).explanation.remedies[0].proof == ""


@pytest.mark.parametrize("name", SAMPLES)
def test_the_shortest_cycle_agrees_with_sc(name: str) -> None:
    x = SAMPLES[name]().execution
    assert find("sc").judge(x).consistent == (not shortest_cycle(Relations(x)))


def changes(witness: Witness, *plan: Change) -> bool:
    """Whether the model still allows the execution with these changes."""
    model = model_of(witness)
    assert model is not None
    return model.judge(strengthen(witness.execution, plan)).consistent


def test_half_a_remedy_is_none() -> None:
    witness = assertion_rc11()
    (w1, w2), (r1, r2) = (witness.execution.thread_events(t) for t in (0, 1))
    release, acquire = Change(w1, w2, mode=Mode.REL), Change(r1, r2, mode=Mode.ACQ)
    assert changes(witness) and changes(witness, release) and changes(witness, acquire)
    assert not changes(witness, release, acquire)


def test_a_fence_goes_between_the_accesses() -> None:
    witness = bounded()
    (w1, w2), (r1, r2) = (witness.execution.thread_events(t) for t in (0, 1))
    both = (Change(w1, w2, fence=FenceKind.LWSYNC), Change(r1, r2, fence=FenceKind.LWSYNC))
    assert changes(witness, both[0]) and not changes(witness, *both)
    line = strengthen(witness.execution, both).thread_events(0)
    assert [e.fence for e in line] == [None, FenceKind.LWSYNC, None]


@pytest.mark.parametrize("name", ["assertion_rc11", "assertion_power", "robustness", "bounded"])
def test_remedies_of_cycles_are_proved(name: str) -> None:
    story = tell(SAMPLES[name](), sources())
    (remedy,) = story.explanation.remedies
    assert remedy.proof == f"then {story.witness.model} forbids this execution"


def test_the_writers_fence_is_not_asked_for_twice() -> None:
    case = open_case(assertion_power())
    (remedy,) = tell(case.witness).explanation.remedies
    assert "thread P1" in remedy.text and "thread P0" not in remedy.text


def test_a_model_without_coherence() -> None:
    """WRC11 has no order of writes; that the initial value comes first is enough for this story."""
    witness = assertion_rc11()
    x = witness.execution
    initial = {a: order[:1] for a, order in x.coherence.items()}
    witness = replace(witness, model="wrc11", execution=replace(x, coherence=initial))
    confirm(witness)
    story = tell(witness)
    assert story.explanation.reason.startswith("thread reader read data = 0 from the initial value although")
    assert story.explanation.remedies[0].proof == "then wrc11 forbids this execution"
    lost = SAMPLES["lost_update"]()
    bare = {a: order[:1] for a, order in lost.execution.coherence.items()}
    lost = replace(lost, model="wrc11", execution=replace(lost.execution, coherence=bare))
    assert "no reordering" not in tell(lost).explanation.reason
