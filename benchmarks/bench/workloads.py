"""Which program stands behind a row of a paper's table: the paper's own workload, or a version of ours."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent.parent / "workloads.toml"
#: What a label says besides the program: how many threads, whether it has its fences.
_VARIANT = re.compile(r"\(\d+\)$|, fenced$| (?:un)?safe$")
#: Tables 5 to 8 of the Power2SC paper measure the programs of its Tables 3 and 4.
_LIKE = {"power2sc-scaling": "power2sc-tables"}


@dataclass(frozen=True, slots=True)
class Workload:
    suite: str
    programs: tuple[str, ...]
    same: bool
    source: str
    link: str
    differs: str
    other_under: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        return "same workload" if self.same else "own version"


@cache
def workloads() -> tuple[Workload, ...]:
    found = tomllib.loads(FILE.read_text(encoding="utf-8"))["workload"]
    return tuple(Workload(**{k: tuple(v) if isinstance(v, list) else v for k, v in w.items()}) for w in found)


def workload(suite: str, label: str) -> Workload | None:
    """None where nobody has said what is behind a row: then no ratio is printed either."""
    suite = _LIKE.get(suite, suite)
    names = {label, _VARIANT.sub("", label)}
    return next((w for w in workloads() if w.suite == suite and names & set(w.programs)), None)


def is_same(suite: str, label: str, run: str = "") -> bool:
    """Whether a row, or one run of it, is of the paper's workload."""
    found = workload(suite, label)
    return found is not None and found.same and run not in found.other_under


def listed(suite: str) -> list[str]:
    """What was measured, as a table."""
    rows = [w for w in workloads() if w.suite == _LIKE.get(suite, suite)]
    if not rows:
        return []
    head = ["", "### Programs", "", "| programs | workload | published by | what differs |", "|---|---|---|---|"]
    return head + [f"| {', '.join(w.programs)} | {w.mark} | [{w.source}]({w.link}) | {w.differs} |" for w in rows]
