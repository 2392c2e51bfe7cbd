"""Every sample replays to its own error; a witness that was tampered with does not."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from samples import SAMPLES, assertion_rc11, race, sources, use_after_free

import fencepost
from fencepost.errors import InputError
from fencepost.execution.execution import EventKind
from fencepost.program.instructions import ErrorKind, Mode
from fencepost.program.reader import read_program
from fencepost.verdict import Answer, Edge, Witness
from fencepost.witness.codec import decode, encode
from fencepost.witness.errors import dispute
from fencepost.witness.replay import ReplayError, replay

each_sample = pytest.mark.parametrize("name", SAMPLES)


def disputed(witness: Witness) -> str:
    assert witness.program is not None
    return dispute(witness.program, witness, replay(witness.program, witness.execution))


def with_event(witness: Witness, thread: int, index: int, **changes: object) -> Witness:
    x = witness.execution
    old = x.thread_events(thread)[index]
    events = tuple(replace(e, **changes) if e is old else e for e in x.events)  # type: ignore[arg-type]
    return replace(witness, execution=replace(x, events=events))


@each_sample
def test_a_sample_replays_to_its_error(name: str) -> None:
    assert disputed(SAMPLES[name]()) == ""


@each_sample
def test_json_round_trip(name: str) -> None:
    witness = SAMPLES[name]()
    text = json.dumps(encode(witness, sources()))
    back, texts = decode(json.loads(text))
    assert back == witness
    at = next(e.at for e in witness.execution.events if e.at is not None)
    assert texts.line(at) == sources().line(at) != ""


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"value": 41}, "should do event"),
        ({"address": 0x1_0010}, "not an order of its writes"),
        ({"mode": Mode.SC}, "should do event"),
        ({"kind": EventKind.FENCE}, "not an order of its writes"),
    ],
)
def test_a_changed_write_is_noticed(change: dict[str, object], complaint: str) -> None:
    witness = with_event(assertion_rc11(), 0, 0, **change)
    with pytest.raises(ReplayError, match=complaint):
        disputed(witness)


def test_a_read_of_another_value_is_noticed() -> None:
    with pytest.raises(ReplayError, match="reads 0, but event"):
        x = assertion_rc11().execution
        newest = {x.thread_events(1)[1].id: x.thread_events(0)[0].id}
        disputed(replace(assertion_rc11(), execution=replace(x, reads_from={**x.reads_from, **newest})))


def test_the_same_graph_with_the_new_value_has_no_error() -> None:
    witness = assertion_rc11()
    x = witness.execution
    read, write = x.thread_events(1)[1].id, x.thread_events(0)[0].id
    good = with_event(witness, 1, 1, value=42)
    good = replace(good, execution=replace(good.execution, reads_from={**x.reads_from, read: write}))
    assert "does not run into assertion: it stands at end" in disputed(good)


def test_an_event_too_many_is_noticed() -> None:
    witness = assertion_rc11()
    x = witness.execution
    last = x.thread_events(0)[1]
    more = replace(last, id=len(x.events), index=2, kind=EventKind.FENCE)
    with pytest.raises(ReplayError, match="should do event"):
        disputed(replace(witness, execution=replace(x, events=(*x.events, more))))


def test_an_ordered_pair_is_no_race() -> None:
    witness = with_event(race(), 0, 1, mode=Mode.REL)
    program = witness.program
    assert program is not None
    with pytest.raises(ReplayError):
        replay(program, witness.execution)
    kept = replay(program, race().execution)
    assert dispute(program, witness, kept) == "one of the accesses happens before the other"


def test_claims_of_other_errors_are_disputed() -> None:
    def claim(witness: Witness, kind: ErrorKind) -> str:
        return disputed(replace(witness, error=replace(witness.error, kind=kind)))

    assert claim(assertion_rc11(), ErrorKind.LEAK) == "every heap object is freed"
    assert claim(assertion_rc11(), ErrorKind.DEADLOCK) == "thread 1 could go on"
    assert claim(assertion_rc11(), ErrorKind.RACE) == "a race has two accesses, and 0 are named"
    assert claim(use_after_free(), ErrorKind.DOUBLE_FREE).endswith("is freed only once")


def test_a_cycle_that_is_not_there_is_disputed() -> None:
    witness = SAMPLES["robustness"]()
    first = witness.cycle[0]
    broken = (Edge(first.source, first.target, "rf"), *witness.cycle[1:])
    assert disputed(replace(witness, cycle=broken)).startswith("the cycle uses rf from event")
    assert disputed(replace(witness, cycle=witness.cycle[1:])).startswith("the cycle breaks")


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "w.json: the document is list; expected a JSON object"),
        ({}, "w.json: found schema a document without one; expected 'fencepost/witness/1'"),
        ({"schema": "fencepost/witness/1"}, "w.json: this is not a witness: 'events' is missing"),
    ],
)
def test_what_is_not_a_witness_is_refused(document: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        decode(document, "w.json")
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("path", ["reads_from", "rmw", "spawns", "cycle", "run", "coherence"])
def test_event_numbers_out_of_range_are_refused(path: str) -> None:
    document = encode(SAMPLES["bounded"]())
    bad: dict[str, object] = {
        "reads_from": [[0, 99]], "rmw": [[99, 1]], "spawns": [[0, -1]], "coherence": [{"address": 1, "writes": [99]}],
        "cycle": [{"source": 0, "target": 99, "name": "po"}],
        "run": [{"thread": 0, "text": "", "at": None, "event": 99}],
    }  # fmt: skip
    with pytest.raises(InputError, match="there is no event"):
        decode({**document, path: bad[path]})


@pytest.mark.parametrize("model", ["armv8", "riscv", "power"])
def test_a_store_conditional_that_fails_last(model: str) -> None:
    """It leaves no event, and the thread goes on to what it gets wrong."""
    text = """program "t" arch=c11
global x size=8 align=8
function P() registers(%a, %b, %c) {
  %a = load &x mode=rlx exclusive=true
  %b = store_conditional &x, 2 mode=rlx
  %c = compute (%a, 1) op=ne
  assert %c
  return _
}
function Q() {
  store &x, 1 mode=rlx
  return _
}
thread P = P()
thread Q = Q()
"""
    verdict = fencepost.check(read_program(text, "t.fpir"), model=model, keep_going=True)
    assert verdict.answer is Answer.FAIL
    assert [e.kind for e in verdict.errors] == [ErrorKind.ASSERTION]
