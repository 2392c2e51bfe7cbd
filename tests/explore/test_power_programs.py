"""Table 1 of the RSMC paper in C: without fences a violation is found under POWER, with them there is none."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from fencepost.explore import explore
from fencepost.frontends import read_file
from fencepost.options import CheckOptions
from numbers_table import BENCHMARKS

PROGRAMS = [
    row for row in tomllib.loads((BENCHMARKS / "power" / "table1.toml").read_text())["program"] if not row.get("slow")
]


@pytest.mark.parametrize("row", PROGRAMS, ids=lambda row: str(row["name"]))
def test_table_1(row: dict[str, Any]) -> None:
    program = read_file(BENCHMARKS / "power" / f"{row['source']}.c", flags=row.get("flags", []))
    verdict = explore(program, "power", CheckOptions(unroll=row.get("bound")))
    assert verdict.answer.value == row["verdict"], verdict.reason
    if "executions" in row:
        assert (verdict.executions, verdict.blocked) == (row["executions"], row["blocked"])
    if row["verdict"] == "FAIL":
        assert verdict.witness is not None
