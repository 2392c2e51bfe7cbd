"""What an engine has when it meets an error need not be whole: holes are filled, what comes after the error is cut."""

from __future__ import annotations

from dataclasses import replace

import pytest
from samples import SAMPLES, Builder, assertion_power, bounded, program

from fencepost.errors import InternalError
from fencepost.execution.execution import Event, EventKind
from fencepost.models.registry import find
from fencepost.program.instructions import ErrorKind
from fencepost.program.reader import read_program
from fencepost.verdict import ErrorReport, Witness
from fencepost.witness.confirm import confirm
from fencepost.witness.repair import repair
from fencepost.witness.replay import ReplayError, replay

POWER = find("power")


def without(witness: Witness, *gone: tuple[int, int]) -> Witness:
    """The witness without these events (thread, index), numbered anew as an engine does that never had them."""
    x = witness.execution
    lost = {x.thread_events(t)[i].id for t, i in gone}
    number = {e.id: n for n, e in enumerate(e for e in x.events if e.id not in lost)}
    kept: list[Event] = []
    for e in x.events:
        if e.id in number:
            before = sum(1 for d in x.events if d.id in lost and d.thread == e.thread and d.index < e.index)
            kept.append(replace(e, id=number[e.id], index=e.index - before))
    execution = replace(
        x, events=tuple(kept),
        reads_from={number[r]: number[w] for r, w in x.reads_from.items() if r in number},
        coherence={a: tuple(number[w] for w in o if w in number) for a, o in x.coherence.items()},
        address_deps=frozenset(), data_deps=frozenset(), control_deps=frozenset(),
    )  # fmt: skip
    return replace(witness, execution=execution)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_whole_witness_is_left_alone(name: str) -> None:
    witness = SAMPLES[name]()
    assert repair(witness, find(witness.model)) is witness


@pytest.mark.parametrize(
    ("witness", "gone"),
    [
        (bounded(), [(0, 0)]),  # a write that nobody has seen yet
        (assertion_power(), [(0, 0)]),
        (assertion_power(), [(0, 0), (0, 1)]),  # and the fence after it
    ],
)
def test_holes_are_filled(witness: Witness, gone: list[tuple[int, int]]) -> None:
    broken = without(witness, *gone)
    assert broken.program is not None
    with pytest.raises(ReplayError):
        replay(broken.program, broken.execution)
    whole = repair(broken, POWER)
    confirm(whole)
    assert whole.execution.canonical() == witness.execution.canonical()


def test_a_read_that_was_open_gets_a_value_that_fits() -> None:
    text = """program "open" arch=ppc
global x size=8 align=8 type=i64
global y size=8 align=8 type=i64
function P0() registers(%a, %b) {
  %a = load &x !0:1:1
  %b = load &y !0:2:1
  assert %b message="b" !0:3:1
  return _
}
function P1() {
  store &x, 1 !0:4:1
  return _
}
thread P0 = P0()
thread P1 = P1()
""".replace("arch=ppc\n", 'arch=ppc\nfile 0 "open.fp"\n')
    p = read_program(text)
    x = Builder(p).run("1 0<1 0")
    witness = Witness(x, ErrorReport(ErrorKind.ASSERTION, "b", None, 0), "power", program=p)
    confirm(witness)
    whole = repair(without(witness, (0, 0)), POWER)
    confirm(whole)
    assert [e.kind for e in whole.execution.thread_events(0)] == [EventKind.READ, EventKind.READ]


def test_what_comes_after_the_error_is_cut() -> None:
    witness = bounded()
    x = witness.execution
    last = x.thread_events(1)[-1]
    late = replace(last, id=len(x.events), index=last.index + 1, kind=EventKind.FENCE)
    longer = replace(witness, execution=replace(x, events=(*x.events, late)))
    with pytest.raises(InternalError, match="which the witness has after it"):
        confirm(longer)
    assert repair(longer, POWER).execution.canonical() == x.canonical()


def test_an_error_that_needs_its_own_future_is_disputed() -> None:
    """If what the thread does after the error makes the error possible, the error is not there."""
    text = """program "future" arch=ppc
file 0 "future.fp"
global x size=8 align=8 type=i64
global y size=8 align=8 type=i64
function P0() registers(%a, %ok) {
  %a = load &x !0:1:1
  %ok = compute (%a, 0) op=eq
  assert %ok message="x is 0" !0:2:1
  store &y, 1 !0:3:1
  return _
}
function P1() registers(%b) {
  %b = await &y, 1, _ !0:4:1
  store &x, 1 !0:5:1
  return _
}
thread P0 = P0()
thread P1 = P1()
"""
    p = read_program(text)
    x = Builder(p).run("0<0 0 1 1")
    read, write = x.thread_events(0)[0], x.thread_events(1)[1]
    events = tuple(replace(e, value=1) if e.id == read.id else e for e in x.events)
    x = replace(x, events=events, reads_from={**x.reads_from, read.id: write.id})
    witness = Witness(x, ErrorReport(ErrorKind.ASSERTION, "x is 0", None, 0), "power", program=p)
    with pytest.raises(InternalError, match="is not there on replay"):
        confirm(repair(witness, POWER))


def test_nothing_helps_a_witness_of_another_program() -> None:
    witness = replace(bounded(), program=program("mp"))
    assert repair(witness, POWER) is witness
