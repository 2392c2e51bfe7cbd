"""RCMC's own algorithm in the core: the executions of TruSt, and the duplicates of the paper and of the slow twin."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import fencepost
from fencepost.errors import UnsupportedError, UsageError
from fencepost.explore import executions, explore
from fencepost.frontends import read_text
from fencepost.generate.random_programs import C11, RELAXED, random_program
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.reference import rcmc
from fencepost.verdict import Answer

PROGRAMS = Path(__file__).parent.parent.parent / "benchmarks" / "programs"
RCMC = {"algorithm": "rcmc"}


@pytest.mark.parametrize(
    ("name", "size", "model", "found"),
    [
        ("readers", 8, "rc11", 256), ("casrot", 6, "rc11", 144), ("ainc", 5, "rc11", 120), ("binc", 4, "rc11", 576),
        ("casw", 4, "rc11", 1200), ("casw", 4, "wrc11", 200), ("casw", 4, "rc11-cpp20", 1200),
        ("lastzero", 5, "rc11", 64), ("corr2", None, "rc11", 72), ("corr2", None, "wrc11", 49),
        ("fib_bench", None, "rc11", 2258),
    ],
)  # fmt: skip
def test_counts_of_the_paper(name: str, size: int | None, model: str, found: int) -> None:
    flags = [] if size is None else [f"-DN={size}"]
    verdict = fencepost.check(PROGRAMS / f"{name}.fp", model=model, flags=flags, **RCMC)
    assert (verdict.answer, verdict.executions) == (Answer.PASS, found)


@pytest.mark.parametrize(
    ("name", "size", "duplicates"),
    [("ainc", 6, 0), ("binc", 3, 2), ("binc", 4, 98), ("binc", 5, 5002), ("indexer", 13, 0), ("casw", 5, 0)],
)
def test_duplicates_of_table_2(name: str, size: int, duplicates: int) -> None:
    verdict = fencepost.check(PROGRAMS / f"{name}.fp", flags=[f"-DN={size}"], **RCMC)
    assert verdict.extra["duplicates"] == duplicates


WRITES = "var x\nthread W(i in 1..5) { x := i }\n"
WW_READS = "var x\nthread A { x := 1 }\nthread B { x := 2 }\nthread C { for i in 1..READS { r := x } }\n"


@pytest.mark.parametrize("algorithm", ["rcmc", "trust"])
def test_what_coherence_costs_and_what_it_saves(algorithm: str) -> None:
    """Section 5 of the paper: writes that nobody reads, N! or one; N reads of two writes, quadratic or exponential."""

    def count(source: str, model: str) -> int:
        return fencepost.check(read_text(source), model=model, algorithm=algorithm, reductions=False).executions

    assert (count(WRITES, "rc11"), count(WRITES, "wrc11")) == (120, 1)
    for n in (2, 4, 6):
        source = WW_READS.replace("READS", str(n))
        assert count(source, "rc11") == (n + 1) * (n + 2)
        assert count(source, "wrc11") == 2 ** (n + 1) - 1


@pytest.mark.parametrize("model", ["rc11", "rc11-cpp20", "wrc11"])
def test_the_executions_of_trust(model: str) -> None:
    for seed in range(120):
        p = random_program(seed, C11, size=5)
        ours, theirs = (ExploreOptions(algorithm=a, reductions=False, shortcuts=False) for a in ("rcmc", "trust"))
        found = [x.canonical() for x in executions(p, model, ours)]
        assert set(found) == {x.canonical() for x in executions(p, model, theirs)}, f"seed {seed}"
        assert len(found) == len(set(found)), f"seed {seed}: one that is met again does not count"


@pytest.mark.parametrize("model", ["rc11", "wrc11"])
def test_duplicates_are_those_of_the_slow_twin(model: str) -> None:
    shape = replace(RELAXED, awaits=0, blocking_cas=0, rmw=12, cas=4, locations=(1, 1), threads=(3, 3))
    met = 0
    for seed in range(60):
        p = random_program(seed, shape, size=5)
        twin = rcmc.explore(p, model)
        verdict = explore(p, model, CheckOptions(algorithm="rcmc", ignore=("race", "assertion")))
        assert (verdict.executions, verdict.extra["duplicates"]) == (len(twin.seen), twin.duplicates), f"seed {seed}"
        met += twin.duplicates
    assert met > 0


def test_blocked_executions_are_those_of_trust() -> None:
    for seed in range(150):
        p = random_program(seed, RELAXED, size=5)
        found, other = (
            explore(
                p, "rc11", CheckOptions(algorithm=a, reductions=False, shortcuts=False, ignore=("deadlock", "liveness"))
            )
            for a in ("rcmc", "trust")
        )
        assert (found.executions, found.blocked) == (other.executions, other.blocked), f"seed {seed}"


def test_an_error_is_found_with_its_witness() -> None:
    verdict = fencepost.check(
        "var x, y\nthread A { x := 1; y := 1 }\nthread B { r := y; s := x; assert(r == 0 || s == 1) }\n", **RCMC
    )
    assert verdict.answer is Answer.FAIL and verdict.witness is not None


def test_a_race_that_no_execution_has_is_none() -> None:
    """Its graph breaks only the axiom on seq-cst accesses, which RCMC judges at the end."""
    source = """
    var x, y
    na d
    thread A { x.sc := 1; r := y.sc; if r == 0 { d.na := 1 } }
    thread B { y.sc := 1; r := x.sc; if r == 0 { d.na := 2 } }
    """
    assert fencepost.check(source, model="rc11", **RCMC).answer is fencepost.check(source, model="rc11").answer


@pytest.mark.parametrize("options", [{"save": "x"}, {"jobs": 2}, {"cluster": "local"}, {"commit_before": "power"}])
def test_what_does_not_go_with_it(options: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=r"--algorithm rcmc|--commit-before is for"):
        ExploreOptions(algorithm="rcmc", **options)  # type: ignore[arg-type]


def test_other_models_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="RCMC explores programs under rc11, rc11-cpp20, wrc11"):
        fencepost.check(PROGRAMS / "ainc.fp", model="power", **RCMC)


def test_more_events_than_it_keeps_is_unknown() -> None:
    source = "var x\nthread A { for i in 1..2100 { x := i } }\nthread B { r := x; assert(r >= 0) }\n"
    verdict = fencepost.check(source, fix=False, max_executions=3, **RCMC)
    assert verdict.answer is Answer.UNKNOWN and "more than 2048, the most that RCMC keeps" in verdict.reason


@pytest.mark.parametrize("bound", [2, 3])
def test_a_bound_that_is_met_on_the_way_makes_no_pass(bound: int) -> None:
    source = "var x, y\nthread A { x.sc := 1; k := 0; while k < 1 { k := y.sc } }\nthread B { y.sc := 1; r := x.sc }\n"
    options = {"unroll": bound, "fix": False, "spin_detection": False}
    assert fencepost.check(source, **options, **RCMC).answer is Answer.BOUNDED
    assert fencepost.check(source, **options).answer is Answer.BOUNDED


def test_nobody_joins_a_thread_that_ended_the_program(tmp_path: Path) -> None:
    """exit() never comes back: what main does behind the join does not happen. It was taken for an ended thread."""
    source = tmp_path / "leaves.c"
    source.write_text(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n"
        "static void *leave(void *a) { exit(0); return a; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, leave, 0); pthread_join(t, 0); assert(0); }\n",
        encoding="utf-8",
    )
    verdict = fencepost.check(source, **RCMC)
    assert (verdict.answer, verdict.executions) == (Answer.PASS, fencepost.check(source).executions)
