"""The oracle gives the papers' counts, and the same graphs as the plain explorers on random programs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fencepost.enumerate import enumerate_program
from fencepost.explore import executions
from fencepost.frontends.pseudo import read
from fencepost.generate.random_programs import SHAPES, random_program
from fencepost.models.registry import find
from fencepost.program.passes.mapping import map_for_model
from fencepost.program.program import Program
from fencepost.program.reader import read_program
from fencepost.reference import trust

sys.path.insert(0, str(Path(__file__).parent.parent / "reference"))
import paper_programs as paper

MODELS = ("sc", "tso", "pso", "ra", "rc11", "wrc11", "power")
C11 = ("ra", "rc11", "rc11-cpp20")


def count(program: Program, model: str) -> tuple[int, int]:
    found = enumerate_program(map_for_model(program, model), find(model))
    assert not found.bounds and not found.erroneous
    graphs = {e.canonical() for e in found.complete}
    assert len(graphs) == len(found.complete), "no graph should come twice"
    return len(found.complete), len(found.blocked)


def fp(text: str) -> Program:
    return read(text, "test.fp")


def fib_bench(k: int, acq: str = ".acq", rel: str = ".rel") -> Program:
    return fp(f"""
        var x = 1, y = 1
        thread A {{ local a, b
          for i in 1..{k} {{ a := x{acq}; b := y{acq}; x{rel} := a + b }} }}
        thread B {{ local a, b
          for i in 1..{k} {{ a := y{acq}; b := x{acq}; y{rel} := a + b }} }}
        thread C {{ a := x{acq}; b := y{acq} }}
    """)


def lastzero(n: int, acq: str = ".acq", rel: str = ".rel") -> Program:
    threads = "".join(f"thread P{i} {{ r := a[{i - 1}]{acq}; a[{i}]{rel} := r + 1 }}\n" for i in range(1, n + 1))
    scan = f"thread P0 {{ local i = {n}\n while a[i]{acq} != 0 {{ i := i - 1 }} }}\n"
    return fp(f"var a[{n + 1}]\n" + scan + threads)


CO2RRW = fp("var x\n thread A { x := 1 } thread B { x := 2; a := x } thread C { b := x }")
CORR2 = fp("var x\n thread A { x := 1 } thread B { x := 2 } thread C { a := x; b := x } thread D { c := x; d := x }")
LB_DATA = fp("var x, y\n thread A { a := x; y := a } thread B { b := y; x := 1 }")

COUNTS: list[tuple[str, Program, dict[str, int]]] = [
    ("readers(4)", paper.readers(4), dict.fromkeys(MODELS, 16)),
    ("casrot(4)", paper.casrot(4), dict.fromkeys(MODELS, 14)),
    ("ainc(4)", paper.ainc(4), dict.fromkeys(MODELS, 24)),
    ("binc(3)", paper.binc(3), dict.fromkeys(MODELS, 36)),
    ("casw(3)", paper.casw(3), dict.fromkeys(("sc", "tso", "pso", "power", *C11), 66) | {"wrc11": 24}),
    ("CORR2", CORR2, {"sc": 72, "tso": 72, "ra": 72, "rc11": 72, "power": 72, "wrc11": 49}),
    ("LB+data", LB_DATA, {"sc": 3, "rc11": 3, "power": 4}),
    ("lastzero(3)", lastzero(3), {"rc11": 12, "sc": 12, "power": 12}),
    ("lastzero(5)", lastzero(5), {"rc11": 64}),
    ("lastzero(5) relaxed", lastzero(5, "", ""), {"rc11": 96, "power": 96}),
    ("fib_bench(2)", fib_bench(2), {"sc": 140, "tso": 153, "pso": 153, "ra": 153, "rc11": 153, "power": 153}),
    ("fib_bench(2) plain", fib_bench(2, "", ""), {"power": 180}),
    ("sb", paper.store_buffering(), {"sc": 3} | dict.fromkeys(("tso", "pso", "ra", "rc11", "power"), 4)),
    ("sb sc", paper.store_buffering(paper.SC), {"ra": 4} | dict.fromkeys(("tso", "pso", "rc11", "power"), 3)),
]


@pytest.mark.parametrize(
    ("program", "model", "expected"), [(p, m, n) for _, p, counts in COUNTS for m, n in counts.items()],
    ids=[f"{name}-{m}" for name, _, counts in COUNTS for m in counts],
)  # fmt: skip
def test_the_papers_counts(program: Program, model: str, expected: int) -> None:
    assert count(program, model) == (expected, 0)


@pytest.mark.parametrize("model", ["sc", "tso", "pso", "ra", "rc11", "wrc11"])
@pytest.mark.parametrize("shape", ["c11", "relaxed"])
def test_the_same_graphs_as_plain_trust(shape: str, model: str) -> None:
    for seed in range(20):
        p = map_for_model(random_program(seed, SHAPES[shape], size=5), model)
        explored, found = trust.explore(p, model), enumerate_program(p, find(model))
        assert {e.canonical() for e in found.complete} == {e.canonical() for e in explored.complete}, f"seed {seed}"
        # the plain explorer also reports a waiting read that a later write would serve
        assert bool(explored.blocked) >= bool(found.blocked), f"seed {seed}"


def test_a_pair_that_succeeds_is_not_the_store_after_one_that_fails() -> None:
    """The same reads and writes at the same places: what pairs them tells the two apart."""
    program = read_program(
        """program "pair" arch=aarch64
global x size=8 align=8

function f() registers(%r, %s, %t) {
  %r = load &x exclusive=true
  %s = store_conditional &x, 1
  %t = compute (%s, 1) op=ne
  branch %t, failed, done
 failed:
  store &x, 1
 done:
  return _
}

thread T = f()
""",
        "pair.fpir",
    )
    assert count(program, "armv8") == (2, 0)
    assert len({x.canonical() for x in executions(program, "armv8")}) == 2


def test_another_store_may_come_between_the_halves_of_a_pair_that_its_own_thread_divides() -> None:
    """ARMv8: where the thread itself stores between its load-reserve and its store-conditional, the model asks no more
    for atomicity. ARMv7 does."""
    program = read_program(
        """program "divided" arch=aarch64
global x size=8 align=8

function f() registers(%r, %k) {
  %r = load &x exclusive=true
  store &x, 1
  %k = store_conditional &x, 2
  return _
}

function g() {
  store &x, 3
  return _
}

thread P = f()
thread Q = g()
observe k = register P k width=64 signed
observe x = memory x 0 8 width=64 signed
""",
        "divided.fpir",
    )
    assert count(program, "armv8") == (7, 0)
    assert count(program, "armv7") == (5, 0)
    for model in ("armv8", "armv7"):
        found = {e.canonical() for e in enumerate_program(program, find(model)).complete}
        assert found == {e.canonical() for e in executions(program, model)}
