"""Peers on PATH: the same C program through them, in the same run. None is required."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass

from bench.measure import run_once
from bench.suites import Case


@dataclass(frozen=True, slots=True)
class Peer:
    """`models`: its flag for each of our models. `counts`: where its output says how many executions it explored."""

    name: str
    models: dict[str, tuple[str, ...]]
    counts: str

    @property
    def installed(self) -> bool:
        return shutil.which(self.name) is not None

    def command(self, case: Case) -> list[str] | None:
        if not case.c or case.model not in self.models:
            return None
        source, *flags = case.c
        if self.name == "genmc":
            return ["genmc", *self.models[case.model], "--disable-estimation", "--", *flags, source]
        return ["nidhuggc", *flags, "--", *self.models[case.model], source]


PEERS = (
    Peer(
        "genmc",
        {"sc": ("-sc",), "tso": ("-tso",), "ra": ("-ra",), "rc11": ("-rc11",)},
        r"complete executions explored: (\d+)",
    ),
    Peer(
        "nidhugg", {"sc": ("--sc",), "tso": ("--tso",), "pso": ("--pso",), "power": ("--power",)}, r"Trace count: (\d+)"
    ),
)


def measure(case: Case, timeout: float) -> dict[str, dict[str, float | int | None]]:
    """What each installed peer needed for this case."""
    found: dict[str, dict[str, float | int | None]] = {}
    for peer in PEERS:
        command = peer.command(case) if peer.installed else None
        if command is None:
            continue
        sample = run_once(command, timeout)
        count = re.search(peer.counts, sample.output)
        found[peer.name] = {"cpu": sample.cpu, "executions": int(count[1]) if count else None}
    return found
