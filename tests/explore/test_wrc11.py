"""Weak RC11 has no coherence order: what waits there, and what memory holds at the end, go by reads-from and hb."""

from __future__ import annotations

from dataclasses import replace

import pytest

import fencepost
from fencepost.enumerate.verdicts import outcomes_by_enumeration
from fencepost.errors import UnsupportedError
from fencepost.explore import explore, outcomes
from fencepost.frontends.pseudo import read
from fencepost.generate.random_programs import C11, random_program
from fencepost.models.registry import find
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer

PROGRAMS = {
    "message": "var d, f\nthread A { d := 1; f.rel := 1 }\nthread B { wait(f.acq == 1); r := d }\nobserve B:r, f, d\n",
    "lock": "var l, x\nthread T(i in 1..3) { BCAS(l.acq, 0, 1); x := x + 1; l.rel := 0 }\nobserve x, l\n",
    "never": "var x\nthread A { wait(x == 2) }\nthread B { x := 1 }\nthread C { x := 0 }\n",
    "older": "var x\nthread A { wait(x == 1) }\nthread B { x := 1; x := 2 }\nobserve x\n",
    "chain": "var x\nthread A { wait(x == 1); x := 2 }\nthread B { wait(x == 2); x := 3 }\nthread C { x := 1 }\n",
    "sc": "var x, y\nthread A { x.sc := 1; wait(y.sc == 0) }\nthread B { y.sc := 1; wait(x.sc == 0) }\nobserve x, y\n",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_waiting_and_final_memory_are_explored(name: str) -> None:
    program, model = read(PROGRAMS[name], f"{name}.fp"), find("wrc11")
    explored, listed = outcomes(program, model), outcomes_by_enumeration(program, model, ExploreOptions())
    assert (explored.engine, explored.why) == ("explore", "")
    found = [(o.states, o.executions, o.blocked) for o in (explored, listed)]
    assert found[0] == found[1]


def test_a_wait_that_nobody_ends_is_a_deadlock() -> None:
    verdict = explore(read(PROGRAMS["never"], "never.fp"), "wrc11", CheckOptions())
    assert verdict.answer is Answer.FAIL
    assert [e.kind for e in verdict.errors] == [ErrorKind.DEADLOCK] and verdict.blocked == 1


def test_random_programs_that_wait() -> None:
    shape = replace(C11, awaits=5, blocking_cas=4)
    for seed in range(60):
        program = random_program(seed, shape, size=5)
        explored = outcomes(program, "wrc11")
        listed = outcomes_by_enumeration(program, find("wrc11"), ExploreOptions())
        found = [(o.states, o.executions, o.blocked) for o in (explored, listed)]
        assert found[0] == found[1], seed


@pytest.mark.parametrize("algorithm", ["trust", "rcmc"])
@pytest.mark.parametrize(
    "text",
    [
        "var x\nthread A { x := 1; x := 2 }\nthread B { wait(x == 1) }",
        "var x = 1\nthread A { CAS(x, 1, 0) }\nthread B { k := 0; while !k { wait(x != 0); _, k := CAS(x, 1, 0) } }",
    ],
)
def test_who_may_wait_for_ever_is_no_pass(text: str, algorithm: str) -> None:
    """With a coherence order this is a deadlock. Without one an older write may serve who waits, and nothing says that
    it will."""
    assert fencepost.check(read(text, "wait.fp"), model="rc11", algorithm=algorithm).answer is Answer.FAIL
    found = fencepost.check(read(text, "wait.fp"), model="wrc11", algorithm=algorithm)
    assert found.answer is Answer.UNKNOWN, found.reason


@pytest.mark.parametrize("algorithm", ["trust", "rcmc"])
def test_who_is_served_by_what_comes_last_does_not_wait(algorithm: str) -> None:
    text = "var x\nthread A { x := 1; x := 2 }\nthread B { wait(x != 0) }\nthread C { wait(x == 2) }"
    assert fencepost.check(read(text, "wait.fp"), model="wrc11", algorithm=algorithm).answer is Answer.PASS


def test_final_memory_is_refused_where_nothing_says_which_write_is_last() -> None:
    """A state with one of the two values would be half of the truth."""
    source = read("var x\nthread A { x := 1 }\nthread B { x := 2 }\nobserve x\n", "last.fp")
    with pytest.raises(UnsupportedError, match="does not say what x holds in the end"):
        fencepost.outcomes(source, model="wrc11")
    compared = fencepost.outcomes_by_model(source, ["rc11", "wrc11"])
    assert len(compared["rc11"].states) == 2
    assert not compared["wrc11"].states
    assert "no order of writes" in compared["wrc11"].reason
