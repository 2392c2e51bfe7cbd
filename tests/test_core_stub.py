"""The types of the core are those that the core itself tells: the stub is generated, never written.

FENCEPOST_PROMOTE=1 writes what the core says now."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.source
ROOT = Path(__file__).parents[1]
STUB = ROOT / "src" / "fencepost" / "_core.pyi"


def test_the_stub_is_what_the_core_says(tmp_path: Path) -> None:
    pytest.importorskip("nanobind", reason="nanobind generates the stub (pip install nanobind)")
    fresh = tmp_path / "_core.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "fencepost._core", "-o", str(fresh)], check=True
    )
    for tidy in (["check", "-q", "--fix-only", "--select", "I"], ["format", "-q"]):
        subprocess.run(
            [sys.executable, "-m", "ruff", *tidy, "--config", str(ROOT / "pyproject.toml"), fresh], check=True
        )
    if os.environ.get("FENCEPOST_PROMOTE"):
        STUB.write_text(fresh.read_text(encoding="utf-8"), encoding="utf-8")
    assert STUB.read_text(encoding="utf-8") == fresh.read_text(encoding="utf-8"), "FENCEPOST_PROMOTE=1 accepts it"


def test_nothing_crosses_the_seam_as_a_dictionary() -> None:
    text = STUB.read_text(encoding="utf-8")
    assert "dict" not in text and "Any" not in text and "object" not in text
