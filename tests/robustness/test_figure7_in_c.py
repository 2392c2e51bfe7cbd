"""The algorithms of Figure 7 a second time, in C11 from the published algorithms, with the verdicts of the paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_figure7 import FIGURE_7

from fencepost import api
from fencepost.options import RobustOptions
from fencepost.robustness import check_robustness
from fencepost.witness.confirm import confirm

C = Path(__file__).parent.parent.parent / "benchmarks" / "robustness" / "c"

#: The name in Figure 7 -> the file and the flags of the variant.
VARIANTS = {
    "barrier": ("barrier", ""), "dekker-sc": ("dekker", ""), "dekker-tso": ("dekker", "-DTSO"),
    "peterson-sc": ("peterson", ""), "peterson-tso": ("peterson", "-DTSO"), "peterson-ra": ("peterson", "-DRA"),
    "peterson-ra-dmitriy": ("peterson", "-DDMITRIY"), "peterson-ra-bratosz": ("peterson", "-DBARTOSZ"),
    "lamport2-sc": ("lamport2", ""), "lamport2-tso": ("lamport2", "-DTSO"), "lamport2-ra": ("lamport2", "-DRA"),
    "lamport2-3-ra": ("lamport2", "-DRA -DTHREADS=3"), "spinlock": ("spinlock", ""),
    "spinlock4": ("spinlock", "-DTHREADS=4"), "ticketlock": ("ticketlock", ""),
    "ticketlock4": ("ticketlock", "-DTHREADS=4"), "seqlock": ("seqlock", ""), "nbw-w-lr-rl": ("nbw-w-lr-rl", ""),
    "rcu": ("rcu", ""), "rcu-offline": ("rcu-offline", ""), "cilk-the-wsq-sc": ("cilk-the-wsq", ""),
    "cilk-the-wsq-tso": ("cilk-the-wsq", "-DTSO"), "chase-lev-sc": ("chase-lev", ""),
    "chase-lev-tso": ("chase-lev", "-DTSO"), "chase-lev-ra": ("chase-lev", "-DRA"),
}  # fmt: skip


@pytest.mark.parametrize("name", FIGURE_7)
def test_second_versions_have_the_verdicts_of_the_paper(name: str) -> None:
    file, flags = VARIANTS[name]
    program = api.read(C / f"{file}.c", flags=flags.split())
    # An unlock looks at the owner with a relaxed load, so a program with mutexes is asked for what it is: RC11.
    models = ("rc11" if name.startswith("cilk") else "ra", "tso")
    for against, expected in zip(models, FIGURE_7[name], strict=True):
        verdict = check_robustness(program, RobustOptions(against=against, waits=True))
        assert verdict.extra["robust"] is expected, (against, verdict.reason)
        if verdict.witness is not None:
            confirm(verdict.witness)


@pytest.mark.parametrize("name", ["barrier", "rcu", "lamport2-3-ra"])
def test_busy_loops_are_what_the_paper_marks_with_a_star(name: str) -> None:
    file, flags = VARIANTS[name]
    program = api.read(C / f"{file}.c", flags=flags.split())
    assert check_robustness(program, RobustOptions(against="tso")).extra["robust"] is False
