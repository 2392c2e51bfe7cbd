"""A user's .cat file runs in the explorer where that provably finds everything, and the answer says which engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost.enumerate.verdicts import check_by_enumeration, outcomes_by_enumeration
from fencepost.explore.driver import explore, outcomes
from fencepost.explore.engines import IN_ORDER_MODELS, engine_of
from fencepost.frontends.pseudo import read
from fencepost.generate.random_programs import SHAPES, random_program
from fencepost.models.cat.guarantees import unproved
from fencepost.models.cat.small import is_causal, keeps_atomicity, keeps_coherence
from fencepost.models.registry import DIRECTORY, Model, find, names
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.verdict import Answer

IN_ORDER = ("sc", "tso", "pso", "ra", "sra", "rc11", "rc11-cpp20")


def users(folder: Path, text: str, name: str = "mine") -> Model:
    path = folder / f"{name}.cat"
    path.write_text(text, encoding="utf-8")
    return find(path)


@pytest.mark.parametrize("name", names())
def test_what_is_proved_of_our_own_models(name: str) -> None:
    plan = find(name).plan
    assert plan is not None
    # The kernel's model is enumerated: a grace period may follow no critical section at first, and one later. ARM's is
    # explored by its own rules: a write of the thread itself between the halves of an update excuses another one there.
    # RISC-V's takes both halves of an AMO for one, by a difference that the proof does not see through.
    assert (not unproved(plan) and keeps_coherence(plan)) is (name not in ("wrc11", "lkmm", "armv8", "riscv"))
    assert keeps_atomicity(plan) is (name not in ("wrc11", "armv8"))
    assert is_causal(plan, spawns=False) is is_causal(plan, spawns=True) is (name in (*IN_ORDER, "wrc11"))


@pytest.mark.parametrize("name", names())
def test_a_copy_of_our_model_is_run_like_it(name: str, tmp_path: Path) -> None:
    model = users(tmp_path, f"(* mine *)\n{find(name).source}")
    assert engine_of(model).like == ("" if name in IN_ORDER_MODELS else name)


@pytest.mark.parametrize("name", IN_ORDER)
def test_the_plan_in_program_order_finds_what_enumeration_finds(name: str, tmp_path: Path) -> None:
    model = users(tmp_path, f"{find(name).source}\nacyclic po | rf as again\n")
    engine = engine_of(model)
    assert engine.in_order and "program order" in engine.reason
    for shape in ("c11", "c11-racy"):
        for seed in range(12):
            program = random_program(seed, SHAPES[shape], size=3 + seed % 5)
            explored, enumerated = (f(program, model, ExploreOptions()) for f in (outcomes, outcomes_by_enumeration))
            assert explored.engine == "explore" and explored.why == engine.reason
            assert explored.states == enumerated.states and explored.executions == enumerated.executions


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("acyclic po-loc | com\nacyclic rf | data as thin", "cycles of po and rf"),
        ("acyclic po | rf", "SC per location"),
        ("acyclic po | com\nempty W \\ range(po) as first", "'first'"),
        ("acyclic po | com\nempty [W] ; po ; [R] \\ (po ; [F] ; po) as fenced", "rule out"),
        ("acyclic po | com\n~empty rf as read", "hold later"),
        ("acyclic po | com\nempty ([W] ; loc ; [W]) \\ (co | co^-1 | id | (co ; rf)) as odd", "'odd'"),
        ("acyclic po | com\nwith s from linearisations(W, co)\nacyclic s", "with ... from"),
    ],
)
def test_in_doubt_a_model_is_enumerated(text: str, why: str, tmp_path: Path) -> None:
    model = users(tmp_path, text)
    engine = engine_of(model)
    assert not engine.explores
    assert why in engine.reason


MUTANTS = [
    ("rc11", "irreflexive reentered(hb | rf) as atomic-order", ""),
    ("tso", "let locked = po & ((W * (R & RMW)) | ((W & RMW) * R))", "let locked = 0"),
    ("tso", "let ppo = po & (M * M) \\ (W * R)", "let ppo = po & (R * M)"),
    ("ra", "acyclic sb | rf as porf", "acyclic po | spawn | rf as porf"),
    ("sra", "acyclic hb | co as strong", "irreflexive hb ; co as strong"),
]


@pytest.mark.parametrize(("name", "old", "new"), MUTANTS)
def test_a_changed_model_agrees_with_enumeration(name: str, old: str, new: str, tmp_path: Path) -> None:
    source = find(name).source
    source = source.replace('include "rc11-axioms.cat"', _include("rc11-axioms"))
    source = source.replace('include "rc11-checks.cat"', _include("rc11-checks"))
    source = source.replace('include "ra.cat"', find("ra").source)
    assert old in source
    model = users(tmp_path, source.replace(old, new))
    for seed in range(20):
        program = random_program(seed, SHAPES["c11"], size=3 + seed % 5)
        explored, enumerated = (f(program, model, ExploreOptions()) for f in (outcomes, outcomes_by_enumeration))
        assert explored.engine == "explore"
        assert explored.states == enumerated.states and explored.executions == enumerated.executions


def test_races_that_a_users_model_flags_are_errors(tmp_path: Path) -> None:
    racy = read("var x\nthread a { x := 1 }\nthread b { r := x }\n", "racy.fp")
    source = "acyclic po | rf | co | fr as sc\nlet cnf = ((W * M) | (M * W)) & loc & ext \\ ((IW * M) | (M * IW))\n"
    for flag, answer in (("data-race", Answer.FAIL), ("odd", Answer.PASS)):
        model = users(tmp_path, f"{source}flag ~empty cnf as {flag}", flag)
        explored, enumerated = explore(racy, model), check_by_enumeration(racy, model, CheckOptions())
        assert explored.extra["engine"] == "explore" and explored.answer is enumerated.answer is answer
        assert explored.warnings == enumerated.warnings
        assert [e.kind for e in explored.errors] == [e.kind for e in enumerated.errors]


def _include(name: str) -> str:
    return (Path(DIRECTORY) / "include" / f"{name}.cat").read_text(encoding="utf-8")
