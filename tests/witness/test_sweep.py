"""Every FAIL over all examples is confirmed: `check` raises InternalError where replay or the cat model disagrees."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import api
from fencepost.errors import UnsupportedError
from fencepost.report.text import render
from fencepost.verdict import Answer

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = sorted((ROOT / "examples").rglob("*.fp"))


@pytest.mark.parametrize("model", ["rc11", "tso", "power"])
def test_every_failure_of_the_examples_is_confirmed(model: str) -> None:
    failures = 0
    for file in PROGRAMS:
        try:
            verdict = api.check(file, model=model, unroll=2, time_limit=1, max_executions=200)
        except UnsupportedError:
            continue
        if verdict.witness is not None:
            failures += verdict.answer is Answer.FAIL
            assert "why  " in render(verdict)
    assert failures >= 1
