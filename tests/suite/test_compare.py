"""compare: the expected test tells each pair of models apart, and a model agrees with itself."""

from __future__ import annotations

import pytest

from fencepost import api
from fencepost.cli import run


@pytest.mark.parametrize(
    ("first", "second", "test", "weaker"),
    [
        ("sc", "tso", "SB", "tso"),
        ("tso", "pso", "MP", "pso"),
        ("ra", "sra", "2+2W", "ra"),
        ("rc11", "imm", "LB", "imm"),
        ("rc11", "rc11-cpp20", "MP+porlxrel-posrelrlx+poacqrlx", "rc11-cpp20"),
    ],
)
def test_what_tells_them_apart(first: str, second: str, test: str, weaker: str) -> None:
    found = api.compare(first, second).difference
    assert found is not None
    assert (found.name, found.allowed_by) == (test, weaker)
    assert found.execution.allowed is not None and found.reason.allowed is None and found.reason.forbidden
    assert found.reason.forbidden[0].reasons[0].edges


def test_a_model_agrees_with_itself() -> None:
    found = api.compare("tso", "tso", size=4, time_limit=3)
    assert found.difference is None and found.tried > 5
    assert "agree" in found.text()


def test_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "sc", "tso"]) == 1
    assert "SB tells them apart" in capsys.readouterr().out
    assert run(["compare", "sc", "sc", "--size", "2", "--time-limit", "1", "--json"]) == 3
    assert run(["compare", "sc", "nonsense"]) == 2
