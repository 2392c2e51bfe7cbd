"""Choices and the end of memory are events that order nothing; SRA explored in program order misses nothing."""

from __future__ import annotations

import pytest

from fencepost.enumerate import enumerate_program
from fencepost.explore.driver import explore
from fencepost.frontends.pseudo import read
from fencepost.models.registry import find
from fencepost.options import CheckOptions
from fencepost.program.passes.mapping import map_for_model

BUFFERED = "var x, y\nthread A {{ {before}; x := 1; {between}; r := y }}\nthread B {{ XCHG(y, 1); r := x }}\n"


def counts(source: str, model: str) -> tuple[int, int]:
    """Executions by exploration and by enumeration."""
    program = map_for_model(read(source, "test.fp"), model)
    options = CheckOptions(model=model, spin_detection=False, keep_going=True, ignore=("deadlock", "race"))
    return explore(program, model, options).executions, len(list(enumerate_program(program, find(model)).complete))


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
@pytest.mark.parametrize(("before", "between"), [("skip", "c := choose(0..1)"), ("p := malloc(8)", "free(p)")])
def test_a_store_stays_in_the_buffer(model: str, before: str, between: str) -> None:
    explored, enumerated = counts(BUFFERED.format(before=before, between=between), model)
    assert explored == enumerated == (3 if model == "sc" else 4) * (2 if "choose" in between else 1)


@pytest.mark.parametrize("last", ["FADD(y, 0)", "r, s := CAS(y, 0, 0)"])
def test_updates_under_strong_release_acquire(last: str) -> None:
    source = f"var x, y\nthread A {{ x := 1; FADD(y, 0); y := 1; XCHG(x, 1) }}\nthread B {{ FADD(x, 1); {last} }}\n"
    assert counts(source, "sra") == counts(source, "ra") == (7, 7)
