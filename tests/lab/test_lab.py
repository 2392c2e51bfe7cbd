"""The laboratory on a few seeds of each kind, and whether its machines are right where the answer is known.
`python tests/lab/campaign.py` runs for longer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import reductions
from compared import difference
from kinds import kinds, machine_kind, shrink_little
from little import ORDERED, PLAIN, WEAK, Flavour, Little, Statement, little
from machines import outcomes
from mutants import ROOT, mutants
from pthreads import Code, Threads
from sequential import Ends, Machine

from fencepost import _core

FEW = [k for k in kinds() if "from C" not in k.name]


@pytest.mark.parametrize("kind", FEW, ids=[f"{k.name} {k.model}" for k in FEW])
def test_every_kind_agrees(kind: object) -> None:
    for seed in range(500_000, 500_003):
        assert kind.judge(seed) is None  # type: ignore[attr-defined]


@pytest.mark.parametrize(("model", "flavour"), [("sc", PLAIN), ("rc11", WEAK)])
def test_machines_agree_with_the_checker_on_c(model: str, flavour: Flavour) -> None:
    judge = machine_kind(model, flavour, c="zig")
    assert [judge(seed) for seed in range(3)] == [None] * 3


@pytest.mark.parametrize("model", ["sc", "rc11"])
def test_threads_and_locks_agree_with_the_checker(model: str) -> None:
    assert [difference(seed, model) for seed in range(6)] == [None] * 6


def _two(first: Code, second: Code) -> Ends | None:
    main: Code = [("spawn", 1), ("spawn", 2), ("join", 1), ("join", 2)]
    return Machine(Threads([main, first, second], registers=1)).run()


def test_the_machine_of_threads_on_what_is_known() -> None:
    """Two locks in two orders; a signal that comes first; a semaphore; a barrier; a flag that passes by."""

    def held(a: int, b: int) -> Code:
        return [("lock", a), ("lock", b), ("unlock", b), ("unlock", a)]

    told: Code = [("lock", 0), ("signal",), ("unlock", 0)]
    asked: Code = [("lock", 0), ("wait",), ("unlock", 0)]
    pairs: list[tuple[Code, Code, bool]] = [
        (held(0, 1), held(1, 0), True), (held(0, 1), held(0, 1), False), (told, asked, True),
        ([("post",)], [("down",)], False), ([("down",)], [("down",)], True), ([("meet",)], [("meet",)], False),
        ([("store", "x", 1), ("store", "x", 0)], [("await", "x", 1)], True),
        ([("store", "x", 1)], [("await", "x", 1)], False),
    ]  # fmt: skip
    found = [_two(first, second) for first, second, _ in pairs]
    assert [f is not None and f.stuck for f in found] == [stuck for _, _, stuck in pairs]


def _store(x: str, value: int, mode: str) -> Statement:
    return Statement("store", location=x, value=value, mode=mode)


def _load(r: str, x: str, mode: str) -> Statement:
    return Statement("load", r, x, mode=mode)


BUFFERING = Little((
    (_store("x", 1, "relaxed"), _load("r1", "y", "relaxed")),
    (_store("y", 1, "relaxed"), _load("r1", "x", "relaxed")),
))  # fmt: skip
WRITES = Little((
    (_store("x", 1, "relaxed"), _store("y", 1, "relaxed")),
    (_load("r1", "y", "relaxed"), _load("r2", "x", "relaxed")),
))  # fmt: skip
PASSING = Little((
    (_store("x", 1, "relaxed"), _store("y", 1, "release")),
    (_load("r1", "y", "acquire"), _load("r2", "x", "relaxed")),
))  # fmt: skip


@pytest.mark.parametrize(
    ("program", "machine", "count"),
    [
        (BUFFERING, "sc", 3), (BUFFERING, "tso", 4), (BUFFERING, "ra", 4), (BUFFERING, "rc11", 4),
        (WRITES, "tso", 3), (WRITES, "pso", 4), (WRITES, "ra", 3), (WRITES, "rc11", 4), (PASSING, "rc11", 3),
    ],
)  # fmt: skip
def test_machines_on_what_is_known(program: Little, machine: str, count: int) -> None:
    assert len(outcomes(program, machine)) == count


def test_a_wrong_machine_is_found_and_the_program_made_small() -> None:
    """TSO held against SC: what is left of the first difference is two accesses in each of two threads."""
    different = (p for p in (little(s, PLAIN) for s in range(500)) if outcomes(p, "sc") != outcomes(p, "tso"))
    small = shrink_little(next(different), lambda p: outcomes(p, "sc") != outcomes(p, "tso"))
    assert len(small.threads) == 2
    assert len(small.statements()) == 4


def test_the_same_seed_gives_the_same_program() -> None:
    assert little(3, ORDERED) == little(3, ORDERED) != little(4, ORDERED)


@pytest.mark.source
def test_every_mutant_fits_the_sources() -> None:
    """A mutant that no longer fits is never run; `mutants.py` breaks, builds and asks."""
    assert [m.name for m in mutants() if not m.fits(ROOT)] == []


def test_the_core_of_another_build_is_taken_once() -> None:
    """The campaign imports a command that may be told to take another core itself."""
    folder = Path(_core.__file__).parent
    if len(list(folder.glob("_core*.so"))) != 1:
        pytest.skip("the core is not a file of its own here")
    command = [
        sys.executable,
        "tests/lab/campaign.py",
        "--core",
        str(folder),
        "--only",
        "machines | sc",
        "--count",
        "2",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and "0 disagreements" in done.stdout, done.stdout + done.stderr


def test_a_run_on_reductions_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    """And it counts the programs that were compared, not those that were too large."""

    def share(compared: int, state: Path) -> reductions.Share:
        return reductions.Share(range(1000), ("sc", "rc11"), "", 1e9, compared, state)

    whole = reductions.Tally.sum(share(9, tmp_path / "whole.json").run().values())
    share(4, tmp_path / "parts.json").run()
    parts = reductions.Tally.sum(share(9, tmp_path / "parts.json").run().values())
    assert parts == whole
    assert (whole.programs, whole.bad) == (9, [])
    assert whole.skipped > 0 and whole.decided["all"] == 9
    with pytest.raises(SystemExit, match="another run"):
        reductions.Share(range(1, 1000), ("sc", "rc11"), "", 1e9, 9, tmp_path / "parts.json").run()
