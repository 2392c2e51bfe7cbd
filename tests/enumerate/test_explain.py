"""explain: allowed with an execution, forbidden with a cycle whose edges are named."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from fencepost.enumerate.explain import explain_outcome
from fencepost.enumerate.outcome import parse_outcome
from fencepost.errors import InputError
from fencepost.frontends.pseudo import read
from fencepost.generate.random_programs import SHAPES, random_program
from fencepost.models.cat.explain import explain_violation
from fencepost.models.registry import find, names

MP = read(
    """
    var x, y
    thread A { x := 1; lwsync; y := 1 }
    thread B { a := y; b := [&x + (a ^ a)] }
    thread C { c := x }
    """,
    "mp.fp",
)


def edges(outcome: str, model: str) -> list[str]:
    program, formula = parse_outcome(outcome, MP)
    explanation = explain_outcome(program, find(model), formula)
    assert explanation.allowed is None
    return [e.name for e in explanation.forbidden[0].reasons[0].edges]


def test_a_forbidden_outcome_names_its_cycle() -> None:
    assert sorted(edges("B:a=1 /\\ B:b=0", "power")) == ["addr", "fre", "lwsync", "rfe"]
    assert sorted(edges("B:a=1 /\\ B:b=0", "sc")) == ["fr", "po", "po", "rf"]


def test_an_allowed_outcome_shows_its_execution() -> None:
    program, formula = parse_outcome("B:a=0, B:b=1 && C:c!=1", MP)
    explanation = explain_outcome(program, find("power"), formula)
    assert explanation.allowed is not None
    assert explanation.allowed.outcome == {"B:a": 0, "B:b": 1, "C:c": 0}
    assert "allowed by power" in explanation.text()
    assert explanation.data()["allowed"] is True


def test_an_outcome_that_nothing_gives() -> None:
    program, formula = parse_outcome("B:a=7", MP)
    explanation = explain_outcome(program, find("sc"), formula)
    assert explanation.allowed is None and not explanation.forbidden
    assert "impossible" in explanation.text()


def test_incoherent_candidates_explain_where_there_are_no_others() -> None:
    program = read("var x\n thread A { x := 1; a := x }", "t.fp")
    program, formula = parse_outcome("A:a=0", program)
    explanation = explain_outcome(program, find("tso"), formula)
    assert next(r.axiom for r in explanation.forbidden[0].reasons) == "coherence"


@pytest.mark.parametrize(("text", "column"), [("B:z=1", 1), ("B:a=", 5), ("B:a 1", 5), ("(B:a=1", 7), ("B:a=1 ? x", 7)])
def test_a_bad_outcome_is_refused_with_its_place(text: str, column: int) -> None:
    with pytest.raises(InputError) as caught:
        parse_outcome(text, MP)
    assert caught.value.column == column


@pytest.mark.parametrize("model", names())
def test_every_violation_has_a_closed_path(model: str) -> None:
    from fencepost.enumerate.enumeration import candidates

    found, m = 0, find(model)
    for seed in range(6):
        for c in candidates(random_program(seed, SHAPES["c11"], size=5), m, incoherent=True):
            for v in m.judge_structure(c.structure).violated:
                path = explain_violation(m.prepared, c.structure, v)
                assert all(a.target == b.source for a, b in itertools.pairwise(path))
                if v.kind != "empty":
                    assert path and path[0].source == path[-1].target
                found += 1
    assert found > 0


def test_names_that_are_not_definitions_are_named_too(tmp_path: Path) -> None:
    (tmp_path / "m.cat").write_text("""
      with s from linearisations(W & ~IW, 0)
      procedure ordered(r) = let t = r | po acyclic t | rf | fr as inner end
      call ordered(s)
      forall c in classes-loc(W) do empty [c] ; s ; [c] as each end
    """)
    program, formula = parse_outcome("B:a=1 /\\ B:b=0", MP)
    explanation = explain_outcome(program, find(tmp_path / "m.cat"), formula)
    reasons = explanation.forbidden[0].reasons
    assert reasons[0].axiom == "inner"
    assert [e.name for e in reasons[0].edges] == ["t", "rf", "t", "fr"]
