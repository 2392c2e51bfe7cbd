"""Plain TruSt: the papers' counts, litmus verdicts, and the same graphs as brute force on random programs."""

from __future__ import annotations

import pytest
from paper_programs import (
    ACQ,
    REL,
    SC,
    X,
    Y,
    ainc,
    binc,
    casrot,
    casw,
    program,
    read,
    readers,
    store_buffering,
    write,
)

from fencepost.generate.random_programs import SHAPES, random_program
from fencepost.program.instructions import FenceKind, Mode
from fencepost.program.passes.mapping import map_for_model
from fencepost.program.program import Program
from fencepost.reference import naive, trust
from fencepost.reference.axioms import MODELS, RC11

COUNTS = [
    ("readers", readers(4), dict.fromkeys(MODELS, 16)),
    ("casrot", casrot(4), dict.fromkeys(MODELS, 14)),
    ("ainc", ainc(4), dict.fromkeys(MODELS, 24)),
    ("binc", binc(3), dict.fromkeys(("sc", "tso", "pso", "ra", "rc11", "wrc11"), 36)),
    ("casw", casw(3), {"rc11": 66, "wrc11": 24}),
    ("casw", casw(4), {"wrc11": 200}),
    ("sb", store_buffering(), {"sc": 3, "tso": 4, "pso": 4, "ra": 4, "rc11": 4, "wrc11": 4}),
    ("sb sc", store_buffering(SC), {"tso": 3, "pso": 3, "ra": 4, "rc11": 3, "wrc11": 3}),
    ("sb fences", store_buffering(kind=FenceKind.SC), {"tso": 3, "pso": 3, "rc11": 3, "wrc11": 3}),
]


@pytest.mark.parametrize(
    ("p", "model", "count"), [(p, m, n) for _, p, counts in COUNTS for m, n in counts.items()],
    ids=[f"{name}-{m}-{n}" for name, _, counts in COUNTS for m, n in counts.items()],
)  # fmt: skip
def test_counts(p: Program, model: str, count: int) -> None:
    found = trust.explore(map_for_model(p, model), model)
    assert (len(found.complete), len(found.blocked), found.duplicates) == (count, 0, 0)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("shape", ["c11", "relaxed"])
def test_the_same_graphs_as_brute_force(shape: str, model: str) -> None:
    for seed in range(12):
        p = map_for_model(random_program(seed, SHAPES[shape], size=5), model)
        fast, slow = trust.explore(p, model), naive.explore(p, model)
        assert fast.seen == slow.seen, f"seed {seed}"
        assert fast.duplicates == 0, f"seed {seed}"
        assert len(fast.blocked) == len(slow.blocked), f"seed {seed}"


def test_message_passing_needs_release_and_acquire() -> None:
    for w, r, weak in ((REL, ACQ, 0), (Mode.RLX, ACQ, 1), (REL, Mode.RLX, 1)):
        p = program([write(X, 1), write(Y, 1, w)], [read(0, Y, r), read(1, X)])
        values = [[e.value for e in x.events if e.is_read] for x in trust.explore(p, "rc11").complete]
        assert values.count([1, 0]) == weak


def test_a_race_is_named_with_both_accesses() -> None:
    p = program([write(X, 1, Mode.NA), write(Y, 1, REL)], [read(0, Y, ACQ), read(1, X, Mode.NA)])
    racy = [RC11(x).races() for x in trust.explore(p, "rc11").complete]
    assert sorted(map(len, racy)) == [0, 1, 1]
