"""The slow twin of RC11's monitor: against the `.cat` file event by event, against the native search on loops; and
whether the tests would notice a rule that is missing or wrong."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from types import ModuleType

import pytest
import rc11_events as events
import rc11_fuzz

from fencepost.frontends.pseudo import read as read_fp
from fencepost.program.instructions import FenceKind, Mode
from fencepost.reference import scm_rc11
from fencepost.robustness.prepare import passes

THREADS = 4

#: Name -> a line of reference/scm_rc11.py and what a mistake would make of it. (That `e` joins pb, hm and l changes
#: nothing: e at an SC access n has all that is behind n but n itself, which cur has.)
MUTANTS = {
    "fences forbid nothing": ("limit = max(me.cur.cur[x], me.cur.f[0][x])", "limit = me.cur.cur[x]"),
    "own SC accesses": ("            limit = max(limit, both(*me.pb)[1][x])\n", ""),
    "sb;hb;sb": ("            limit = max(limit, me.hm[x][1][x])\n", ""),
    "hb on one location": ("node = both(k.f, before, me.hm[x], k.l[x])", "node = both(k.f, before, me.hm[x])"),
    "an SC read looks at reads too": ("both(*me.pb)[1][x]", "both(*me.pb)[0][x]"),
    "a fence looks at writes only": ("(k.cur, k.cur_w))", "(k.cur_w, k.cur_w))"),
    "a node looks at reads": ("(k.cur, k.cur_w))", "(k.cur, k.cur))"),
    "nothing pending for fences": ("f = both(k.f, k.e, both(*me.pb),", "f = both(k.f, both(*me.pb),"),
    "SC accesses before a write": ("node = both(node, place.asc, place.ws, place.ro, place.rc)", "pass"),
    "ASC": ("e = both(e, place.asc, place.rc)", "e = both(e, place.rc)"),
    "RC": ("e = both(e, place.asc, place.rc)", "e = both(e, place.asc)"),
    "WS": ("k.l[x], place.ws, place.ro)", "k.l[x], place.ro)"),
    "RO": ("place.ro, place.rc = both(place.ro, place.rc), self.nothing", "place.rc = self.nothing"),
    "readers of one write are ordered": ("place.ws, place.ro)\n", "place.ws, place.ro, place.rc)\n"),
    "reading from is scb": ("place.ws, place.ro)\n", "place.ws, place.ro, place.asc)\n"),
    "sb over one location": ("for z, p in enumerate(me.pb) if z != x)", "for z, p in enumerate(me.pb))"),
    "last event on one location": ("if z != x:\n                me", "if True:\n                me"),
    "release sequence of C++20": ("            if not self.cpp20:\n", "            if False:\n"),
    "acquire fence": ("        if kind is not FenceKind.REL:\n            me.cur |= me.acq\n", ""),
    "release fence": ("            me.rel_f = me.cur\n", "            pass\n"),
    "updates carry on": ("released | place.msg if rmw else released", "released"),
    "every write carries on": ("released | place.msg if rmw else released", "released | place.msg"),
}  # fmt: skip
R, W, U, F = "R", "W", "U", FenceKind
SC, RLX, ACQ, REL, BOTH = Mode.SC, Mode.RLX, Mode.ACQ, Mode.REL, Mode.ACQ_REL


def _fence(kind: FenceKind = FenceKind.SC) -> events.Step:
    return "F", 0, kind


#: Shapes in which one rule alone decides; random programs meet them too rarely.
SHAPES: tuple[list[list[events.Step]], ...] = (
    # IRIW, RWC, W+RWC, SB, 2+2W with fences and accesses mixed
    [[(W, 0, SC)], [(R, 0, SC), (R, 1, SC)], [(W, 1, SC)], [(R, 1, SC), (R, 0, SC)]],
    [[(W, 0, RLX)], [(R, 0, RLX), _fence(), (R, 1, RLX)], [(W, 1, RLX)], [(R, 1, RLX), _fence(), (R, 0, RLX)]],
    [[(W, 0, SC)], [(R, 0, ACQ), _fence(), (R, 1, RLX)], [(W, 1, SC)], [(R, 1, ACQ), (R, 0, SC)]],
    [[(W, 0, RLX)], [(R, 0, RLX), _fence(), (R, 1, RLX)], [(W, 1, RLX), _fence(), (R, 0, RLX)]],
    [[(W, 0, SC), (W, 2, REL)], [(R, 2, ACQ), (R, 1, SC)], [(W, 1, SC), (R, 0, SC)]],
    [[(W, 0, SC), (W, 1, SC)], [(W, 1, SC), (R, 0, SC)], [(R, 1, ACQ), _fence(), (R, 0, RLX)]],
    [[(W, 0, SC), (R, 1, SC)], [(W, 1, RLX), _fence(), (R, 0, RLX)]],
    [[(W, 0, SC), (W, 1, SC)], [(W, 1, SC), (W, 0, SC)]],
    [[(W, 0, RLX), _fence(), (W, 1, RLX)], [(W, 1, RLX), _fence(), (W, 0, RLX)]],
    # only one location between two SC accesses: sb;hb;sb must leave it
    [[(W, 0, SC), (W, 0, REL)], [(R, 0, ACQ), (R, 1, SC)], [(W, 1, SC), (R, 0, SC)]],
    [[(W, 0, SC), (W, 0, REL)], [(R, 0, ACQ), (W, 1, SC)], [(W, 1, SC), _fence(), (R, 0, RLX)]],
    [[(W, 1, SC), (W, 0, SC)], [(R, 0, SC), (R, 0, SC), (R, 1, SC)], [(W, 2, SC), (R, 1, SC)]],
    [[(W, 0, SC), (W, 2, REL)], [(R, 2, ACQ), (W, 1, REL)], [(R, 1, ACQ), (R, 1, SC)], [(W, 1, SC), (R, 0, SC)]],
    # readers of one write; readers of older ones
    [[(W, 0, RLX), _fence(), (R, 1, RLX)], [(R, 1, RLX), _fence(), (R, 0, RLX)], [(W, 1, RLX)]],
    [[(W, 0, RLX), _fence(), (R, 1, RLX)], [(W, 1, RLX)], [(W, 1, RLX), _fence(), (R, 0, RLX)]],
    [[(W, 0, RLX), _fence(), (R, 1, RLX)], [(W, 1, RLX)], [(R, 1, RLX), _fence(), (R, 0, RLX)]],
    [[(W, 0, RLX), _fence(), (R, 1, RLX)], [(W, 1, RLX)], [(W, 1, SC), (R, 0, SC)]],
    # release sequences and fences
    [[(W, 0, RLX), (W, 1, REL), (W, 1, RLX)], [(W, 1, RLX)], [(R, 1, ACQ), (R, 0, RLX)]],
    [[(W, 0, RLX), (W, 1, REL)], [(U, 1, RLX)], [(R, 1, RLX), _fence(F.ACQ), (R, 0, RLX)]],
    [[(W, 0, RLX), _fence(F.REL), (W, 1, RLX)], [(U, 1, RLX), (W, 1, RLX)], [(R, 1, ACQ), (R, 0, RLX)]],
    [[(W, 0, RLX), _fence(), (W, 2, RLX)], [(R, 2, RLX), (W, 1, RLX)], [(R, 1, RLX), _fence(), (R, 0, RLX)]],
    # an SC access of the past looks at writes, a fence at readers too
    [[(R, 0, RLX), _fence(), (W, 1, SC)], [(R, 1, SC), (W, 0, SC)], [(W, 0, RLX)]],
    [[(R, 0, RLX), _fence(), (W, 1, RLX)], [(R, 1, RLX), _fence(), (R, 0, RLX)], [(W, 0, RLX), (W, 0, RLX)]],
    [[(R, 0, RLX), _fence(), (R, 1, SC)], [(W, 1, SC), (R, 0, SC)], [(W, 0, RLX)]],
    [[(R, 0, RLX), _fence(), (R, 1, RLX)], [(W, 1, SC), (W, 0, SC)], [(W, 0, RLX)]],
    # SC accesses of one location, one after the other
    [[(W, 0, SC), (R, 1, SC)], [(W, 1, SC), (R, 1, ACQ), _fence(), (R, 0, RLX)]],
    [[(W, 0, RLX), _fence(), (W, 1, SC)], [(U, 1, BOTH), _fence(), (R, 0, RLX)], [(R, 1, SC), (R, 0, SC)]],
    [[(W, 0, SC), (R, 1, RLX)], [(W, 1, SC), (R, 0, SC)], [(W, 1, RLX), _fence(), (R, 0, RLX)]],
    [[(W, 0, SC), (R, 1, SC)], [(W, 1, RLX), _fence(), (R, 0, RLX)], [(W, 1, SC), _fence(), (R, 0, RLX)]],
)  # fmt: skip

#: Runs, each with what comes next: SB of T2 against the write of 0 in T0, which somebody learns of in one way only.
_SB = ((2, (W, 1, SC)), (2, (R, 0, SC)), (0, (W, 0, SC)))
_MESSAGE = (*_SB, (0, (W, 2, REL)), (1, (R, 2, ACQ)))
RUNS: tuple[tuple[tuple[tuple[int, events.Step], ...], int, events.Step, bool], ...] = (
    (_MESSAGE, 1, (R, 1, SC), False),  # sb;hb;sb
    (_MESSAGE, 1, (R, 1, RLX), True),
    ((*_SB, (1, (R, 0, SC))), 1, (R, 1, SC), False),  # hb on one location
    ((*_SB, (1, (R, 0, ACQ)), (1, _fence())), 1, (R, 1, RLX), False),
    ((*_MESSAGE, (1, _fence())), 1, (R, 1, RLX), False),  # what a fence follows
    ((*_MESSAGE, (1, (R, 2, SC)), (3, (W, 2, SC))), 3, (R, 1, SC), True),  # sb over the same location does not count
    # the reader of an older write; a release that the same thread's next write carries
    (((0, (W, 0, RLX)), (0, _fence()), (0, (R, 1, RLX)), (3, (W, 1, RLX)), (2, (R, 1, RLX)), (2, _fence())), 2,
     (R, 0, RLX), False),
    (((0, (W, 0, RLX)), (0, (W, 1, REL)), (0, (W, 1, RLX)), (1, (R, 1, ACQ))), 1, (R, 0, RLX), False),
    # a reader is behind a fence, not behind an SC access
    (((2, (W, 1, RLX)), (1, (R, 1, RLX)), (1, _fence()), (1, (R, 0, RLX)), (0, (W, 0, SC))), 0, (R, 1, SC), True),
)  # fmt: skip


def locations(threads: list[list[events.Step]]) -> int:
    return 1 + max(x for steps in threads for _, x, _ in steps)


def shape_trials(runs: int) -> Iterator[tuple[events.Trial, int]]:
    for n, threads in enumerate(SHAPES):
        random = Random(n)
        for _ in range(runs):
            for trial in events.trials(threads, locations(threads), "rc11", random):
                yield trial, locations(threads)


def run_trials() -> Iterator[tuple[events.Trial, int]]:
    for run, t, step, allowed in RUNS:
        graph = events.Run(3)
        for thread, done in run:
            graph.add(thread, done)
        (trial,) = events.places(graph, run, t, step, "rc11")
        assert trial.allowed is allowed, f"{run}: the model has changed its mind"
        yield trial, 3


def random_trials(seeds: range) -> Iterator[tuple[events.Trial, int]]:
    for seed in seeds:
        random = Random(seed)
        count = random.choice((2, 2, 3))
        for trial in events.trials(events.random_threads(random, count), count, "rc11", random):
            yield trial, count


@cache
def some_trials() -> tuple[tuple[events.Trial, int], ...]:
    return (*run_trials(), *shape_trials(8), *random_trials(range(60)))


def wrong(reference: ModuleType, trials: tuple[tuple[events.Trial, int], ...]) -> list[events.Trial]:
    return [t for t, count in trials if events.monitored(reference, t, THREADS, count) is not t.allowed]


def test_every_event_is_judged_as_the_axioms_do() -> None:
    assert not wrong(scm_rc11, some_trials())
    assert sum(not t.allowed for t, _ in some_trials()) > 200


@pytest.mark.slow
def test_every_event_of_many_runs() -> None:
    assert not wrong(scm_rc11, (*shape_trials(100), *random_trials(range(1000, 6000))))


def mutated(name: str) -> ModuleType:
    old, new = MUTANTS[name]
    source = Path(str(scm_rc11.__file__)).read_text(encoding="utf-8")
    assert source.count(old) == 1, f"{name}: the line is not there, or twice"
    module = ModuleType(f"mutant {name}")
    module.__dict__["__name__"] = scm_rc11.__name__
    exec(compile(source.replace(old, new), name, "exec"), module.__dict__)  # our own source, one line changed
    return module


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_rule_is_noticed(name: str) -> None:
    assert wrong(mutated(name), some_trials())


@pytest.mark.parametrize(("start", "count"), [(0, 12), pytest.param(500, 600, marks=pytest.mark.slow)], ids=str)
def test_the_native_search_agrees(start: int, count: int) -> None:
    """Threads that go round for ever: no explorer counts those."""
    answers = set()
    for seed in range(start, start + count):
        source = rc11_fuzz.random_loops(seed)
        model = "rc11" if seed % 4 else "rc11-cpp20"
        program = read_fp(source, "loops.fp")
        ours, racy = rc11_fuzz.searched(program, model)
        assert not racy and ours is not None
        expected = scm_rc11.check(passes(program, model), cpp20=model == "rc11-cpp20").robust
        assert ours is expected, f"seed {seed}\n{source}"
        answers.add(ours)
    assert answers == {True, False}
