"""A plan says the same as the tree evaluator, for every model, on every candidate of random programs."""

from __future__ import annotations

import pytest

from fencepost.enumerate.enumeration import candidates
from fencepost.generate.random_programs import SHAPES, random_program
from fencepost.models.cat.compile import NoPlanError, compile_plan
from fencepost.models.cat.judge import judge_structure, prepare
from fencepost.models.cat.plan import Op, PlanRun
from fencepost.models.registry import find, names


@pytest.mark.parametrize("name", names())
def test_the_plan_agrees_with_the_tree(name: str) -> None:
    model = find(name)
    plan = model.plan
    assert plan is not None
    judged = 0
    for shape in SHAPES.values():
        for seed in range(3):
            for candidate in candidates(random_program(seed, shape, size=5), model):
                tree = judge_structure(model.prepared, candidate.structure)
                result = PlanRun(plan, candidate.frame.structure).judge(candidate.structure, stop=False)
                assert [v.name for v in tree.violated] == [plan.checks[i].name for i in result.failed]
                assert [v.name for v in tree.flags] == [plan.checks[i].name for i in result.flags]
                judged += 1
    assert judged > 50


def test_a_plan_is_plain_data_with_its_static_part_first() -> None:
    plan = find("power").plan
    assert plan is not None
    assert all(len(o) == 4 and all(type(i) is int for i in o) for o in plan.operations)
    varying = {plan.relations.index("rf"), plan.relations.index("co")}
    early = plan.operations[: plan.static]
    assert not any(o[0] == Op.BASE_RELATION and o[2] in varying for o in early)
    defined = [o[1] for o in plan.operations if o[0] not in (Op.CHECK, Op.ASSIGN, Op.LOOP, Op.END_LOOP)]
    assert len(defined) == len(set(defined)) == plan.registers


@pytest.mark.parametrize(
    "text", ["with s from linearisations(W, co)\nacyclic s", "forall c in classes-loc(W) do empty c end"]
)
def test_what_has_no_plan_says_so(text: str) -> None:
    with pytest.raises(NoPlanError, match="has no plan"):
        compile_plan(prepare(text, "m.cat"))


def test_the_closed_form_of_preserved_program_order_is_the_fixpoint_of_the_paper() -> None:
    model = prepare(
        "let ci0 = ctrlisync | (po-loc & (coe ; rfe))\nlet cc0 = addr | data | po-loc | ctrl | (addr ; po)\n"
        'include "power-ppo.cat"\nlet closed = ppo\nlet ic0 = 0\ninclude "ppo.cat"\n'
        "empty (ppo \\ closed) | (closed \\ ppo) as same\n~empty ppo as something",
        "m.cat",
    )
    judged = 0
    for shape in ("power", "power-exclusive", "armv8"):
        for seed in range(12):
            for candidate in candidates(random_program(seed, SHAPES[shape], size=6), find("power")):
                tree = judge_structure(model, candidate.structure)
                assert "same" not in [v.name for v in tree.violated]
                judged += "something" not in [v.name for v in tree.violated]
    assert judged > 50
