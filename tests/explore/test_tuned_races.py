"""Data races under IMM as its own judge finds them: those that the model's file flags."""

from __future__ import annotations

import pytest

from fencepost import check
from fencepost.explore import native
from fencepost.generate.random_programs import SHAPES, random_program
from fencepost.program.program import Program

MESSAGE = "na x\nvar f\nthread P {{ x := 1; {} f.{} := 1 }}\nthread Q {{ r := f.{}; if r == 1 {{ {} s := x }} }}"
HANDED_ON = """na x
var f
thread P {{ x := 1; f.rel := 1 }}
thread Q {{ {} }}
thread R {{ r := f.acq; if r == 2 {{ s := x }} }}
"""
MESSAGES = {
    "rel, acq": (MESSAGE.format("", "rel", "acq", ""), "PASS"),
    "rel, rlx": (MESSAGE.format("", "rel", "rlx", ""), "FAIL"),
    "rlx, acq": (MESSAGE.format("", "rlx", "acq", ""), "FAIL"),
    "fences": (MESSAGE.format("fence.rel;", "rlx", "rlx", "fence.acq;"), "PASS"),
    "fences of the other kind": (MESSAGE.format("fence.acq;", "rlx", "rlx", "fence.rel;"), "FAIL"),
    "sc": (MESSAGE.format("", "sc", "sc", ""), "PASS"),
    "an update hands it on": (HANDED_ON.format("r := FADD(f, 1)"), "PASS"),
    "a store does not": (HANDED_ON.format("f := 2"), "FAIL"),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_what_synchronises_does_not_race(name: str) -> None:
    text, verdict = MESSAGES[name]
    assert check(text, model="imm").answer.name == verdict


def found(program: Program) -> tuple[object, ...]:
    verdict = check(program, model="imm", keep_going=True)
    return verdict.executions, verdict.blocked, sorted(map(str, verdict.errors)), verdict.extra.get("dead_ends")


def test_races_of_random_programs_are_those_of_the_models_file(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = [random_program(seed, SHAPES["c11-racy"], size=5 + seed % 3) for seed in range(720_000, 720_060)]
    tuned = [found(program) for program in programs]
    monkeypatch.setattr(native, "TUNED_MODELS", ())
    assert tuned == [found(program) for program in programs]
    assert 10 < sum(bool(errors) for _, _, errors, _ in tuned) < 60
