"""The exact numbers of executions that benchmarks/counts.toml lists, for tests."""

from __future__ import annotations

import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from bench.counts import Count, counts  # noqa: E402 - needs the path above

__all__ = ["BENCHMARKS", "Count", "counts"]
