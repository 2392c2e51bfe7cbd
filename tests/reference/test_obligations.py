"""What commit-before must be, on small programs: it is so for our models, and what is wrong is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fencepost.cli import run
from fencepost.models.registry import find
from fencepost.obligations import Checked, Item, check, look_at, program
from fencepost.program.program import Arch
from fencepost.reference.split_rules import MODELS

#: Of two writes to the same place the second is seen by its own thread before the first is committed.
FORWARDED = [
    Item("load", "x"), Item("store", "z", depends="data"), Item("store", "z"), Item("load", "z"),
    Item("store", "y", depends="data"),
]  # fmt: skip


@pytest.mark.parametrize("model", MODELS)
def test_our_models_meet_all_four(model: str) -> None:
    found = check(find(model), every=37 if model in ("power", "armv7") else 97)  # fewer of those that have more
    assert found.broken == {}
    assert found.programs >= 4 and found.parts > 10 * found.programs


@pytest.mark.slow
@pytest.mark.parametrize("model", [*MODELS, "armv8-2018"])
def test_our_models_meet_all_four_on_every_program(model: str) -> None:
    assert check(find(model)).broken == {}


def test_an_order_that_is_too_strong_is_not_valid() -> None:
    """POWER waits for earlier writes to the location; ARMv8 forwards the second write without them."""
    found = Checked("armv8", "power")
    look_at(program(Arch.AARCH64, FORWARDED), find("armv8"), found)
    assert "valid" in found.broken and "complete" in found.broken
    fine = Checked("armv8", "armv8")
    look_at(program(Arch.AARCH64, FORWARDED), find("armv8"), fine)
    assert fine.broken == {}


def test_a_model_that_forbids_less_later_is_not_prefix_closed(tmp_path: Path) -> None:
    """Who reads from another thread must write later: without that write it is forbidden."""
    model = tmp_path / "odd.cat"
    axioms = ("acyclic po-loc | com", "acyclic addr | data | ctrl | rf", "empty rfe \\ (_ * domain(po ; [W]))")
    model.write_text("\n".join(['"odd"', *axioms, ""]))
    found = Checked("odd", "weakest")
    look_at(program(Arch.C11, [Item("load", "x"), Item("store", "y")]), find(str(model)), found)
    assert "prefix-closed" in found.broken and "valid" not in found.broken


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["models", "power", "--check", "--between", "0", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told["obligations"].values()) == {True}
    assert (told["programs"], told["rules"], told["dead_ends"]) == (4, "power", 0)


def test_the_command_is_about_models_that_go_out_of_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["models", "rc11", "--check"]) == 2
    assert "in program order" in capsys.readouterr().err
    assert run(["models", "--check"]) == 2
    assert "one model" in capsys.readouterr().err
