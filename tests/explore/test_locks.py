"""Critical sections without a conflict have no order, and nothing is lost where memory is accessed otherwise."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "lab"))

from reductions import Tally, WithBarrier, program_of

import fencepost
from fencepost.execution.execution import EventKind
from fencepost.frontends import pseudo
from fencepost.report.text import figures

HERE = Path(__file__).parent / "locks"
R, W = "r := x", "x := 1"


def _text(*threads: list[str]) -> str:
    bodies = ["; ".join(f"lock(m); {part}; unlock(m)" for part in parts) for parts in threads]
    lines = [f"thread P{n} {{ {body} }}" for n, body in enumerate(bodies)]
    return "\n".join(["var x, y, z", "mutex m", *lines]) + "\n"


@pytest.mark.parametrize("model", ["sc", "tso", "pso", "ra", "rc11"])
@pytest.mark.parametrize(("threads", "executions"), [
    ([[R]] * 2, 1), ([[R]] * 6, 1), ([[W]] * 2, 2), ([[W]] * 3, 6), ([[W]] * 4, 24), ([[R], [W], [R]], 4),
    ([[W], [W], [R]], 6), ([["x := 1; y := 1"], ["r := x; s := y"]], 2), ([[W], ["y := 1"], ["r := x; s := y"]], 4),
    ([["x := 1", "r := y"], ["y := 1", "r := x"]], 3),
    ([["r := x; x := r + 1"]] * 3 + [["r := y; y := r + 1"]] * 3, 36),
])  # fmt: skip
def test_counts(threads: list[list[str]], executions: int, model: str) -> None:
    program = pseudo.read(_text(*threads), "t.fp")
    verdict = fencepost.check(program, model=model, symmetry=False)
    everything = fencepost.check(program, model=model, reductions=False).executions
    assert (verdict.answer.value, verdict.executions) == ("PASS", executions)
    less = {"representing": None, "reductions": ["locks"]}
    assert verdict.extra == (less if executions < everything else {})


def test_without_it_every_order_counts() -> None:
    program = pseudo.read(_text(*[[R]] * 4), "t.fp")
    for switch in ({"locks": False, "symmetry": False}, {"reductions": False, "symmetry": False}):
        verdict = fencepost.check(program, **switch)
        assert (verdict.executions, "reductions" in verdict.extra) == (24, False)
    assert "24 executions, " in figures(verdict)
    assert figures(fencepost.check(program, symmetry=False)).startswith("1 execution, representing more, ")


@pytest.mark.parametrize(("name", "flags", "executions"), [
    ("set", ["-DR=6", "-DA=0"], 1), ("set", ["-DR=3", "-DA=3", "-DFRONT"], 6), ("set", ["-DR=3", "-DA=3"], 161),
    ("tree", ["-DR=6", "-DA=0"], 1), ("tree", ["-DR=3", "-DA=3"], 5), ("tree", ["-DR=2", "-DA=4"], 14),
    ("table", ["-DN=4"], 4), ("table", ["-DN=6"], 8), ("table", ["-DN=8"], 16),
])  # fmt: skip
def test_programs_in_c(name: str, flags: list[str], executions: int) -> None:
    verdict = fencepost.check(HERE / f"{name}.c", flags=flags)
    assert (verdict.answer.value, verdict.executions, verdict.extra["reductions"]) == ("PASS", executions, ["locks"])


@pytest.mark.parametrize("reductions", [True, False])
def test_nested_sections_are_explored_in_all_orders(reductions: bool) -> None:
    verdict = fencepost.check(HERE / "filesystem.c", flags=["-DN=19"], reductions=reductions)
    assert (verdict.answer.value, verdict.executions, verdict.blocked, verdict.extra) == ("PASS", 64, 0, {})


@pytest.mark.parametrize(("name", "flags", "kinds"), [
    ("freed", [], []), ("freed", ["-DFORGET"], ["use-after-free"]), ("made_twice", [], ["race", "unlock-not-held"]),
    ("made_twice", ["-DEND"], ["deadlock", "race", "unlock-not-held"]), ("made_and_destroyed", [], []),
])  # fmt: skip
@pytest.mark.parametrize("locks", [True, False])
def test_what_else_happens_to_memory_and_mutexes(name: str, flags: list[str], kinds: list[str], locks: bool) -> None:
    verdict = fencepost.check(HERE / f"{name}.c", flags=flags, locks=locks, keep_going=True, fix=False)
    assert sorted({e.kind.value for e in verdict.errors}) == kinds
    assert verdict.extra.get("reductions", []) == (["locks"] if locks and name != "made_twice" else [])


#: Where order matters although no section conflicts, or the mutex is used in another way.
OTHERWISE = (
    "thread P0 { x := 1; lock(m); y := 1; unlock(m) }\nthread P1 { lock(m); r := y; unlock(m); s := x }",
    "thread P0 { x := 1; lock(m); unlock(m) }\nthread P1 { lock(m); unlock(m); s := x; assert(s == 0) }",
    "thread P0 { lock(m); lock(n); unlock(n); unlock(m) }\nthread P1 { lock(n); lock(m); unlock(m); unlock(n) }",
    "thread P0 { x := 1; lock(m); r := y; unlock(m) }\nthread P1 { lock(m); s := y; unlock(m); t := x }",
    "thread P0 { x := 1; lock(m); y := 1; unlock(m) }\nthread P1 { lock(n); s := y; unlock(n); if s == 1 { t := x } }",
    "thread P0 { lock(m); x := 1 }\nthread P1 { lock(m); r := x; unlock(m) }",
    "thread P0 { lock(m); x := 1; unlock(m) }\nthread P1 { lock(n); r := x; unlock(n); assert(r == 0) }",
    "thread P0 { lock(m); wait(x == 1); unlock(m) }\nthread P1 { lock(m); x := 1; unlock(m) }",
    "thread P0 { unlock(m) }\nthread P1 { lock(m); x := 1; unlock(m) }",
    "thread P0 { lock(m); lock(m); unlock(m) }\nthread P1 { lock(m); x := 1; unlock(m) }",
)


@pytest.mark.parametrize("model", ["sc", "tso", "rc11"])
@pytest.mark.parametrize("threads", OTHERWISE)
def test_where_order_matters_it_is_explored(threads: str, model: str) -> None:
    tally = Tally()
    made = WithBarrier(f"var x, y, z\nmutex m\nmutex n\n{threads}\n", (), None, 0)
    assert tally.compare(made, model, ["locks"]) == [] and tally.given_up == 1


#: Threads that meet in a ring of mutexes: that one section comes before another is known by what others have seen.
RING = """var x, y, z
mutex m
mutex n
mutex k
mutex l
thread P1 { lock(l); r := y; unlock(l); lock(m); s := z; unlock(m) }
thread P2 { lock(m); r := z; unlock(m); lock(k); x := 1; unlock(k) }
thread P3 { lock(k); r := x; unlock(k); lock(n); s := z; unlock(n) }
thread P4 { lock(n); r := z; unlock(n); lock(l); y := 1; unlock(l) }
"""
#: A thread that was started after a section, and one that joined another.
AFTER = """var x, y, z
mutex m
fn late() { lock(m); r := x; unlock(m) }
thread P0 {
  lock(m); a := x; unlock(m); t := spawn late(); lock(m); b := y; unlock(m)
  join(t); lock(m); c := y; unlock(m)
}
thread P1 { lock(m); r := x; y := 1; unlock(m) }
"""


#: What a thread writes before it says so in a section, and others use after they were told in one.
HANDED = """var w, f, x
mutex m
thread P0 { w := 1; lock(m); f := 1; unlock(m) }
thread P1 { lock(m); h := f; if h == 1 { f := 2 }; unlock(m); if h == 1 { w := 2 } }
thread P2 { lock(m); h := f; if h == 1 { f := 2 }; unlock(m); if h == 1 { w := 3; lock(m); f := 1; unlock(m) } }
thread P3 { lock(m); r := x; unlock(m) }
"""


@pytest.mark.parametrize("model", ["sc", "rc11"])
@pytest.mark.parametrize("text", [RING, AFTER, HANDED])
def test_what_comes_before_a_section_stays_before_it(text: str, model: str) -> None:
    tally = Tally()
    assert tally.compare(WithBarrier(text, (), None, 0), model, ["locks"]) == []
    assert tally.given_up == 0 and 0 < tally.visited["locks"] < tally.executions


def test_it_costs_nothing_where_all_sections_conflict() -> None:
    verdict = fencepost.check(pseudo.read(_text(*[["x := x + 1"]] * 6), "t.fp"), symmetry=False)
    assert (verdict.executions, verdict.blocked, verdict.extra) == (720, 0, {})


def test_with_equal_threads() -> None:
    """One of each orbit: three that count beside three that look."""
    counts, looks = "lock(m); r := x; x := r + 1; unlock(m)", "lock(m); s := y; unlock(m)"
    text = f"var x, y\nmutex m\nthread A(i in 1..3) {{ {counts} }}\nthread B(i in 1..3) {{ {looks} }}\n"
    verdict = fencepost.check(pseudo.read(text, "t.fp"))
    assert (verdict.executions, verdict.extra["reductions"]) == (1, ["symmetry", "locks"])
    assert fencepost.check(pseudo.read(text, "t.fp"), locks=False).executions > 1


def test_an_error_is_told_with_what_locks_do() -> None:
    program = pseudo.read(_text(["r := x; x := r + 1; assert(r < 2)"], ["r := x; x := r + 1"], [R, W, W]), "t.fp")
    verdict = fencepost.check(program, fix=False)
    assert [e.kind.value for e in verdict.errors] == ["assertion"] and verdict.witness is not None
    assert not any(e.kind is EventKind.ATOMIC_BEGIN for e in verdict.witness.execution.events)


def test_random_programs() -> None:
    """`python tests/lab/reductions.py` runs thousands."""
    tally = Tally()
    wrong = [w for seed in range(1, 41, 2) for w in tally.compare(program_of(seed), ("sc", "rc11")[seed % 4 // 2])]
    assert wrong == [] and tally.visited["locks"] < tally.executions
