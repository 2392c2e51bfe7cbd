"""The script that CI systems call."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.source
SCRIPT = Path(__file__).parents[2] / "ci" / "check-files"
GOOD = "var x\nthread A { x := 1 }\nthread B { r := x }\n"
BAD = "var x\nthread A { x := 1 }\nthread B { r := x; assert(r == 0) }\n"


def call(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    settings = os.environ | {"PATH": path, "GITHUB_STEP_SUMMARY": str(folder / "summary.md"), "GITHUB_ACTIONS": "true"}
    return subprocess.run(["bash", str(SCRIPT), *words], cwd=folder, env=settings, capture_output=True, text=True)


def test_reports_for_each_file_and_the_worst_exit_code(tmp_path: Path) -> None:
    (tmp_path / "good.fp").write_text(GOOD, encoding="utf-8")
    (tmp_path / "bad.fp").write_text(BAD, encoding="utf-8")
    done = call(tmp_path, "bad.fp", "good.fp", "--", "--model", "sc")
    assert done.returncode == 1
    assert "::error file=bad.fp::" in done.stdout
    assert "::error file=good.fp::" not in done.stdout
    found = json.loads((tmp_path / "fencepost-reports" / "bad.fp.sarif").read_text(encoding="utf-8"))
    assert len(found["runs"][0]["results"]) == 1
    assert (tmp_path / "fencepost-reports" / "good.fp.junit.xml").exists()
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert summary.startswith("| file | answer |") and summary.count("\n| ") == 2
    assert summary.count("```mermaid") == 1 and "### ❌ bad.fp: FAIL" in summary


def test_good_files_and_bad_calls(tmp_path: Path) -> None:
    (tmp_path / "good.fp").write_text(GOOD, encoding="utf-8")
    assert call(tmp_path, "good.fp").returncode == 0
    assert call(tmp_path, "good.fp", "nowhere.fp").returncode == 2
    assert call(tmp_path).returncode == 2
