"""Where the litmus corpus is, for the tests that use it. It is data beside the checkout and never part of it."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

_BESIDE = Path(__file__).parent.parent.parent / "shared" / "corpus" / "litmus"
CORPUS = Path(os.environ.get("FENCEPOST_CORPUS", _BESIDE))

needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no litmus corpus at {CORPUS} (set FENCEPOST_CORPUS)")


def litmus_files(folder: str) -> list[Path]:
    """Every test of a folder of the corpus, sorted; none where there is no corpus."""
    return sorted((CORPUS / folder).rglob("*.litmus"))


def table(name: str) -> dict[str, tuple[str, ...]]:
    """A table of the corpus: path -> the other columns."""
    with (CORPUS / name).open(newline="") as lines:
        return {row[0]: tuple(row[1:]) for row in csv.reader(lines) if row}
