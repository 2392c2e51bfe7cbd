"""What the papers say about their programs, asked through the public functions."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost
from fencepost.reasons import Code

PAPERS = Path(__file__).parents[2] / "examples" / "papers"
BUGS = PAPERS.parent / "bugs"

HOLDS = {
    "rsmc-fig2": {"sc": False, "tso": False, "rc11": False, "power": True},
    "rsmc-fig12": {"sc": True, "power": True},
    "power2sc-fig8-lwsync": {"power": True},
    "rcmc-co2rrw": {"rc11": True, "sc": True},
    "rcmc-corr2": {"rc11": True, "wrc11": False},
    "rcmc-fais": {"rc11": True, "tso": True},
    "rcmc-fais+w": {"rc11": True, "sc": True},
    "rcmc-lb+fais": {"rc11": True},
    "rcmc-mp": {"rc11": True, "ra": True, "sc": True},
    "rcmc-mp-relaxed": {"rc11": True, "sc": False, "tso": False},
    "rcmc-fig6": {"rc11": True},
    "rcmc-fig6-extended": {"rc11": True},
    "rcmc-assume": {"rc11": True},
    "rcmc-ww3r": {"rc11": True, "wrc11": False},
    "rcmc-fai-read": {"rc11": True, "wrc11": True},
    "rcmc-ainc": {"rc11": True},
    "rcmc-binc": {"rc11": True},
    "rocker-example-2.2": {"sc": True},
    "rocker-sb": {"ra": True, "tso": True, "sc": False},
    "rocker-mp": {"ra": True, "sc": True},
    "rocker-iriw": {"ra": True, "tso": False, "sc": False},
    "rocker-2+2w": {"ra": True, "tso": False, "sc": False},
    "rocker-2rmw": {"ra": True, "sc": True},
    "rocker-sb+rmws": {"ra": True, "sc": True},
}
CASES = [(name, model, holds) for name, models in HOLDS.items() for model, holds in models.items()]


@pytest.mark.parametrize(("name", "model", "holds"), CASES)
def test_conditions(name: str, model: str, holds: bool) -> None:
    found = fencepost.outcomes(PAPERS / f"{name}.fp", model=model)
    assert (found.holds, found.reason) == (holds, "")


@pytest.mark.parametrize(
    ("name", "model", "holds"),
    [
        ("power2sc-fig8", "sc", None),
        ("power2sc-fig8", "tso", None),
        ("power2sc-fig8", "power", None),
        ("power2sc-fig8-lwsync", "sc", False),
    ],
)
def test_where_assumptions_leave_nothing_only_what_is_missing_is_known(
    name: str, model: str, holds: bool | None
) -> None:
    found = fencepost.outcomes(PAPERS / f"{name}.fp", model=model)
    assert (found.executions, found.holds) == (0, holds)
    assert [r.code for r in found.reasons] == [Code.ASSUMPTIONS] * 2


@pytest.mark.parametrize(
    ("path", "model", "answer", "kind"),
    [
        (PAPERS / "power2sc-fig3.fp", "sc", "UNKNOWN", None),  # its assumptions exclude every execution
        (PAPERS / "power2sc-fig3.fp", "power", "FAIL", "assertion"),
        (PAPERS / "rcmc-mp-na.fp", "rc11", "FAIL", "race"),
        (PAPERS / "rcmc-tas-lock.fp", "rc11", "PASS", None),
        (PAPERS / "rcmc-tas-lock-assume.fp", "rc11", "PASS", None),
        (PAPERS / "rcmc-fib_bench.fp", "rc11", "PASS", None),
        (PAPERS / "rocker-bar-loop.fp", "ra", "PASS", None),
        (BUGS / "parker.fp", "sc", "PASS", None),
        (BUGS / "parker.fp", "tso", "FAIL", "deadlock"),
        (BUGS / "parker-fixed.fp", "tso", "PASS", None),
        (BUGS / "parker.c", "sc", "PASS", None),
        (BUGS / "parker.c", "tso", "FAIL", "deadlock"),
    ],
    ids=lambda value: value.stem + value.suffix if isinstance(value, Path) else str(value),
)
def test_errors(path: Path, model: str, answer: str, kind: str | None) -> None:
    verdict = fencepost.check(path, model=model)
    assert verdict.answer.value == answer, verdict.reason
    assert [e.kind.value for e in verdict.errors] == ([] if kind is None else [kind])


def test_the_fence_mends_the_c_program() -> None:
    assert fencepost.check(BUGS / "parker.c", model="tso", flags=["-DFIXED"]).answer.value == "PASS"
