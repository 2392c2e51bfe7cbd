"""The text report, looked at as a whole: golden files that a person has read."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from samples import PROGRAMS, SAMPLES, Builder, assertion_rc11, program, sources, verdict

from fencepost import api
from fencepost.execution.execution import EventKind
from fencepost.program.instructions import ErrorKind
from fencepost.program.reader import read_program
from fencepost.report.text import render
from fencepost.verdict import Answer, ErrorReport, Verdict, Witness
from fencepost.witness.linearise import linearise
from fencepost.witness.relations import Relations
from fencepost.witness.story import tell

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", SAMPLES)
def test_golden_text(name: str) -> None:
    from golden import assert_golden

    assert_golden(GOLDEN / f"{name}.txt", render(verdict(SAMPLES[name]()), sources=sources()))


def test_colours_change_nothing_but_colour() -> None:
    v = verdict(assertion_rc11())
    coloured = render(v, sources=sources(), colour=True)
    assert coloured != render(v, sources=sources())
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured).replace(" \n", "\n") == render(v, sources=sources())


@pytest.mark.parametrize("width", [40, 60, 80, 120, 160])
def test_no_line_is_wider_than_asked(width: int) -> None:
    for name in SAMPLES:
        story = render(verdict(SAMPLES[name]()), sources=sources(), width=width).split("\n", 1)[1].split("the run")[0]
        assert max(len(line) for line in story.splitlines()) <= width, name


def test_only_the_causal_past_is_told() -> None:
    p = program("mp")
    text = (PROGRAMS / "mp.fpir").read_text()
    text = text.replace("thread reader", "thread bystander = writer()\nthread reader")
    p = read_program(text)
    x = Builder(p).run("0 0 2<1 1 1 2<0")
    w = Witness(x, ErrorReport(ErrorKind.ASSERTION, "data == 42", None, 2), "rc11", program=p)
    story = tell(w)
    assert [c.name for c in story.columns] == ["writer", "reader"]
    assert [c.name for c in tell(w, whole=True).columns] == ["writer", "bystander", "reader"]


def test_a_sequentially_consistent_execution_is_told_as_an_interleaving() -> None:
    x = Builder(program("lost")).run("0 1 0 1 1")
    order = [u[0] for u in linearise(Relations(x), [e.id for e in x.events if e.kind is not EventKind.INIT])]
    memory = 0
    for e in (x.events[i] for i in order):
        if e.is_read:
            assert e.value == memory
        else:
            memory = e.value


def test_load_buffering_is_told_although_nothing_can_come_first() -> None:
    text = """program "lb" arch=ppc
global x size=8 align=8 type=i64
global y size=8 align=8 type=i64
function P0() registers(%r) {
  %r = load &x
  store &y, 1
  return _
}
function P1() registers(%r) {
  %r = load &y
  store &x, 1
  return _
}
thread P0 = P0()
thread P1 = P1()
"""
    p = read_program(text)
    builder = Builder(p)
    x = builder.run("0 0 1 1")
    read, write = x.thread_events(0)[0], x.thread_events(1)[1]
    events = tuple(replace(e, value=1) if e.id == read.id else e for e in x.events)
    x = replace(x, events=events, reads_from={**x.reads_from, read.id: write.id})
    w = Witness(x, ErrorReport(ErrorKind.ASSERTION, "exists holds"), "power", program=p)
    story = tell(w)
    assert story.moments[0].detail == "from step 4, which comes later here"
    assert story.explanation.reason.startswith("thread P0 read x = 1 before thread P1 had reached the store")


def test_verdicts_without_a_witness() -> None:
    passed = Verdict(Answer.PASS, "", "rc11", 6, 2, 0.5)
    assert render(passed) == " PASS  no error in any execution under rc11\n\n6 executions, 2 blocked, 0.50 s\n"
    unknown = Verdict(Answer.UNKNOWN, "the loop at q.c:7 was unrolled 4 times", "tso", 1)
    assert render(unknown).startswith(" UNKNOWN  the loop at q.c:7 was unrolled 4 times under tso\n")


CALLS = """#include <pthread.h>
static int x;
static inline __attribute__((always_inline)) void bump(void) {
  x++;
}
static void twice(void) {
  bump();
}
static void *run(void *a) {
  twice();
  return a;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, run, 0);
  run(0);
  pthread_join(t, 0);
}
"""


def test_every_step_has_its_calls_down_to_the_thread(tmp_path: Path) -> None:
    """Also those whose functions the compiler put in their place."""
    path = tmp_path / "calls.c"
    path.write_text(CALLS)
    found = api.check(path)
    assert found.witness is not None
    moments = [m for m in tell(found.witness, whole=True).moments if m.at is not None and m.at.line == 4]
    stacks = {m.thread: [(c.function, c.at.line if c.at else 0) for c in m.calls] for m in moments}
    assert stacks == {
        0: [("bump", 4), ("twice", 7), ("run", 10), ("main", 16)],
        1: [("bump", 4), ("twice", 7), ("run", 10)],
    }
