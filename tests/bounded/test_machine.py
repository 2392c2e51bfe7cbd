"""The operational POWER machine: known litmus results, and the reduced search against the literal one."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost.bounded.power_search import search
from fencepost.frontends import read_file
from fencepost.frontends.pseudo import read

MP = "var x, y\nthread P { x := 1; %s; y := 1 }\nthread Q { a := y; %s; b := x }\nobserve Q:a, Q:b"
SB = "var x, y\nthread P { x := 1; %s; a := y }\nthread Q { y := 1; %s; a := x }\nobserve P:a, Q:a"
LB = "var x, y\nthread P { a := x; %s; y := %s }\nthread Q { a := y; %s; x := %s }\nobserve P:a, Q:a"
COHERENCE = "var x\nthread P { x := 1; x := 2 }\nthread Q { a := x; b := x }\nobserve Q:a, Q:b"


def least(text: str, **state: int) -> int | None:
    """The least number of contexts in which the state is reached, up to 5."""
    found = search(read(text, "test.fp"), 5)
    wanted = frozenset((name.replace("_", ":"), value) for name, value in state.items())
    return found.outcomes.get(wanted)


@pytest.mark.parametrize(
    ("first", "second", "contexts"),
    [("skip", "skip", 3), ("sync", "skip", 3), ("sync", "sync", None), ("lwsync", "sync", None),
     ("lwsync", "lwsync", None), ("lwsync", "skip", 3), ("sync", "isync", 3),
     ("lwsync", "if a == a { skip }; isync", None), ("eieio", "sync", None), ("eieio", "skip", 3),
     ("sync", "eieio", 3)],
)  # fmt: skip
def test_message_passing(first: str, second: str, contexts: int | None) -> None:
    assert least(MP % (first, second), Q_a=1, Q_b=0) == contexts


@pytest.mark.parametrize(("fence", "contexts"), [("skip", 3), ("lwsync", 3), ("sync", None)])
def test_store_buffering(fence: str, contexts: int | None) -> None:
    assert least(SB % (fence, fence), P_a=0, Q_a=0) == contexts


@pytest.mark.parametrize(("value", "contexts"), [("1", 3), ("(a ^ a) + 1", None)])
def test_load_buffering(value: str, contexts: int | None) -> None:
    assert least(LB % ("skip", value, "skip", value), P_a=1, Q_a=1) == contexts


def test_reads_of_one_location_follow_coherence() -> None:
    assert least(COHERENCE, Q_a=2, Q_b=1) is None
    assert least(COHERENCE, Q_a=1, Q_b=2) == 4


def test_a_local_read_is_not_older_than_an_earlier_read() -> None:
    text = "var x\nthread P { x := 1; a := x; b := x }\nthread Q { x := 2 }\nobserve P:a, P:b"
    assert least(text, P_a=2, P_b=1) is None


def test_r_needs_two_syncs() -> None:
    text = "var x, y\nthread P { x := 1; lwsync; y := 1 }\nthread Q { y := 2; sync; a := x }\nobserve y, Q:a"
    assert least(text, y=2, Q_a=0) == 3
    assert least(text.replace("lwsync", "sync"), y=2, Q_a=0) is None


@pytest.mark.parametrize("text", [MP % ("lwsync", "skip"), SB % ("sync", "skip"), LB % ("skip", "1", "isync", "a")])
def test_the_reduced_search_is_the_literal_one(text: str) -> None:
    program = read(text, "test.fp")
    quick, literal = search(program, 4), search(program, 4, literal=True)
    assert quick.outcomes == literal.outcomes
    assert quick.states < literal.states


def test_message_passing_takes_three_contexts_and_no_fewer() -> None:
    """The paper's Fig. 4 shows a run of four; by Definition 2.4, step by step, there is one of three."""
    path = Path(__file__).parents[2] / "examples" / "papers" / "power2sc-fig3.fp"
    for literal in (False, True):
        assert set(search(read_file(path), 4, literal=literal).errors.values()) == {3}
