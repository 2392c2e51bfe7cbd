"""Real programs in `failing/`, each with one kind of error, and what the tool itself finds in them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import chdir
from functools import cache
from pathlib import Path

from fencepost import api
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Verdict
from fencepost.witness.sources import Sources

FAILING = Path(__file__).parent / "failing"

#: name -> (how it is found, the kind of its error)
FOUND: dict[str, tuple[Callable[[], Verdict], ErrorKind]] = {
    "race": (lambda: api.check("race.cpp"), ErrorKind.RACE),
    "assertion": (lambda: api.check("assertion.c"), ErrorKind.ASSERTION),
    "power": (lambda: api.check("power.c", model="power"), ErrorKind.ASSERTION),
    "deadlock": (lambda: api.check("deadlock.c"), ErrorKind.DEADLOCK),
    "freed": (lambda: api.check("freed.c"), ErrorKind.USE_AFTER_FREE),
    "robustness": (lambda: api.robust("robustness.fp"), ErrorKind.NOT_ROBUST),
    "bounded": (lambda: api.bounded("bounded.c", contexts="3"), ErrorKind.ASSERTION),
    "liveness": (lambda: api.check("liveness.c"), ErrorKind.LIVENESS),
}


@cache
def found(name: str) -> Verdict:
    with chdir(FAILING):
        return FOUND[name][0]()


def sources() -> Sources:
    return Sources({p.name: p.read_text() for p in FAILING.iterdir() if p.is_file()})
