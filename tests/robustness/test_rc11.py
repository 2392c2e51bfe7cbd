"""Robustness against RC11: the classic shapes with every mix of orders and fences, random programs, C programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random

import pytest
import rc11_fuzz

from fencepost import api
from fencepost._core import Against, RobustnessSearch
from fencepost.frontends.pseudo import read as read_fp
from fencepost.options import RobustOptions
from fencepost.program.instructions import ErrorKind
from fencepost.robustness import check_robustness
from fencepost.robustness.prepare import prepare
from fencepost.verdict import Answer

#: Threads of accesses; `|` may become an SC fence. What a thread reads matters to nobody else.
SHAPES = {
    "SB": ("Wx | Ry", "Wy | Rx"), "2+2W": ("Wx | Vy", "Wy | Vx"), "RWC": ("Wx", "Rx | Ry", "Wy | Rx"),
    "W+RWC": ("Wx | Wz", "Rz | Ry", "Wy | Rx"), "IRIW": ("Wx", "Rx | Ry", "Wy", "Ry | Rx"), "R": ("Wx | Wy", "Vy | Rx"),
    "MP": ("Wx | Wy", "Ry | Rx"), "S": ("Vx | Wy", "Ry | Wx"), "Z6": ("Wx | Vy", "Wy | Wz", "Rz | Rx"),
    "fences apart": ("Wx | Wz", "Rz Ww", "Rw | Rx"), "exchanges": ("Ux | Ry", "Uy | Rx"),
    "same place": ("Wx Ry", "Wy Vy | Rx"), "WWC": ("Vx", "Rx | Wy", "Ry | Wx"),
}  # fmt: skip
_WORDS = {"W": "{}.{} := 1", "V": "{}.{} := 2", "R": "r := {}.{}", "U": "r := XCHG({}.{}, 1)"}
_WEAK = ({"W": "rlx", "V": "rlx", "R": "rlx", "U": "rlx"}, {"W": "rel", "V": "rel", "R": "acq", "U": "acq_rel"})


def mixes(shape: tuple[str, ...]) -> Iterator[str]:
    steps = [step for thread in shape for step in thread.split()]
    for weak, *choice in product(_WEAK, *((False, True) for _ in steps)):
        strong = iter(choice)
        lines = ["var x, y, z, w"]
        for t, thread in enumerate(shape):
            body = []
            for step in thread.split():
                sc = next(strong)
                if step != "|":
                    body.append(_WORDS[step[0]].format(step[1], "sc" if sc else weak[step[0]]))
                elif sc:
                    body.append("fence.sc")
            lines.append(f"thread T{t} {{ local r; {'; '.join(body)} }}")
        yield "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", SHAPES)
def test_some_mixes_of_the_classic_shapes(name: str) -> None:
    every = list(mixes(SHAPES[name]))
    compare_mixes([every[-1], *Random(name).sample(every, min(60, len(every)))])


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_every_mix_of_the_classic_shapes(name: str) -> None:
    compare_mixes(list(mixes(SHAPES[name])))


def compare_mixes(sources: list[str]) -> None:
    seen: Counter[str] = Counter()
    for source in sources:
        wrong = rc11_fuzz.disagreement(source, "rc11", seen)
        assert not wrong, wrong
    assert seen["robust"] and not seen["unknown"]


@pytest.mark.parametrize(
    ("start", "count"), [(0, 150), (1000, 150), pytest.param(2000, 6000, marks=pytest.mark.slow)], ids=str
)
def test_search_and_explorer_agree(start: int, count: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(start, start + count):
        wrong = rc11_fuzz.disagreement(rc11_fuzz.random_source(seed), "rc11" if seed % 4 else "rc11-cpp20", seen)
        assert not wrong, f"seed {seed}: {wrong}"
    assert seen["not robust"] > count / 10 and seen["robust"] > count / 3


def ask(source: str, against: str = "rc11") -> bool | None:
    verdict = check_robustness(read_fp(source, "shape.fp"), RobustOptions(against=against))
    assert not any(e.kind is ErrorKind.RACE for e in verdict.errors), verdict.reason
    robust = verdict.extra["robust"]
    assert robust is None or isinstance(robust, bool)
    return robust


def test_fences_are_not_ordered_by_the_run() -> None:
    """A total order of SC fences along the run would call this robust; RC11 lets the last read return 0."""
    source = (
        "var x, z, w\nthread A { x := 1; fence.sc; z := 1 }\nthread B { r := z; w := 1 }\n"
        "thread C { r := w; fence.sc; s := x }\n"
    )
    assert ask(source) is False


def test_release_sequences_of_both_standards() -> None:
    """The releasing thread's own later write carries its release in C11, not in C++20."""
    source = (
        "var d, f\nthread A { d := 1; f.rel := 1; f := 2 }\nthread B { local r; r := f.acq; if r == 2 { r := d } }\n"
    )
    assert ask(source, "rc11") is True and ask(source, "rc11-cpp20") is False
    between = source.replace("thread B", "thread C { f := 3 }\nthread B")
    assert ask(between, "rc11") is ask(between.replace("f := 3", "f.rel := 3"), "rc11")


def test_the_order_of_failure_counts() -> None:
    source = (
        "var d, f\nthread A {{ d := 1; f.rel := 1 }}\n"
        "thread B {{ local r; r := CAS(f.acq_rel, 2, 3, {}); if r == 1 {{ r := d }} }}\n"
    )
    assert ask(source.format("acq")) is True and ask(source.format("rlx")) is False


@pytest.mark.parametrize(("order", "racy"), [("rel", False), ("rlx", True)])
def test_races_are_judged_by_happens_before(order: str, racy: bool) -> None:
    """Relaxed accesses order a run of SC, but not the accesses beside them."""
    source = f"var f\nna d\nthread A {{ d := 1; f.{order} := 1 }}\nthread B {{ wait(f.acq == 1); r := d }}\n"
    verdict = api.robust(read_fp(source, "race.fp"), against="rc11")  # api confirms every witness
    assert [e.kind for e in verdict.errors] == ([ErrorKind.RACE] if racy else [])
    assert verdict.answer is (Answer.FAIL if racy else Answer.PASS)


def test_loops_need_no_bound() -> None:
    """Dekker's entry for ever: with SC accesses or fences robust, with release and acquire not."""
    source = (
        "var x, y\nthread A {{ local r; again: x.{w} := 1; {f}; r := y.{r}; x.{w} := 0; goto again }}\n"
        "thread B {{ local r; again: y.{w} := 1; {f}; r := x.{r}; y.{w} := 0; goto again }}\n"
    )
    assert ask(source.format(w="sc", r="sc", f="skip")) is True
    assert ask(source.format(w="rlx", r="rlx", f="fence.sc")) is True
    assert ask(source.format(w="rel", r="acq", f="skip")) is False


C = Path(__file__).parent.parent.parent / "benchmarks" / "robustness" / "c"


@pytest.mark.parametrize(
    ("name", "flags", "robust"),
    [("dekker", "-DTSO", True), ("peterson", "-DRA", True), ("peterson", "-DDMITRIY", True), ("barrier", "", True),
     ("peterson", "-DTSO", False), ("lamport2", "-DRA", True), ("ticketlock", "", True), ("spinlock", "", True),
     ("cilk-the-wsq", "-DTSO", True), ("chase-lev", "-DTSO", False), ("chase-lev-orders", "", False),
     ("seqlock-orders", "", False), ("seqlock-orders", "-DFIGURE6", False), ("nbw-w-lr-rl", "", True)],
)  # fmt: skip
def test_figure_7_in_c(name: str, flags: str, robust: bool) -> None:
    """Where all accesses release or acquire, RC11 means release/acquire. Lê et al.'s deque and Boehm's seqlock with
    their relaxed orders let a reader see what it throws away."""
    verdict = api.robust(C / f"{name}.c", flags=flags.split(), against="rc11", waits=True)
    assert verdict.extra["robust"] is robust and verdict.extra["against"] == "rc11", verdict.reason


def test_a_relaxed_victim_makes_petersons_lock_racy() -> None:
    verdict = api.robust(C / "peterson.c", flags=["-DDMITRIY", "-DORDERS"])
    assert verdict.model == "rc11" and [e.kind for e in verdict.errors] == [ErrorKind.RACE]


def test_what_a_monitor_forgets_does_not_matter() -> None:
    """The search that settles its monitors and folds values, and the one that does neither."""
    fewer = 0
    for seed in range(60):
        bytecode = prepare(read_fp(rc11_fuzz.random_loops(seed), "loops.fp"), "rc11").bytecode
        found = []
        for quick in (True, False):
            search = RobustnessSearch(
                bytecode, Against.RC11, memory=1 << 30, states=1 << 22, settle=quick, critical_values=quick
            )
            while not search.advance(1.0):
                pass
            found.append((search.status, search.statistics.states))
        assert found[0][0] is found[1][0], f"seed {seed}"
        fewer += found[0][1] < found[1][1]
    assert fewer > 10
