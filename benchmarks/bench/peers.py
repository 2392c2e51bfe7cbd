"""Peers on PATH: the same question through them, in the same run. None is required."""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.measure import fencepost, run_once
from bench.suites import CORPUS, Case

Found = dict[str, dict[str, float | int | None]]


@dataclass(frozen=True, slots=True)
class Peer:
    """`command(case, folder)` is how to ask it, or None where it cannot answer; `counts`: where its output says how
    many executions it explored, empty where it does not count."""

    name: str
    program: str
    command: Callable[[Case, Path], list[str] | None]
    counts: str = ""

    @property
    def installed(self) -> bool:
        return shutil.which(self.program) is not None


def _flagged(models: dict[str, str]) -> Callable[[Case], str | None]:
    return lambda case: models.get(case.model) if case.c else None


_GENMC = _flagged({"sc": "--sc", "tso": "--tso", "ra": "--ra", "rc11": "--rc11", "imm": "--imm"})
_NIDHUGG = _flagged({"sc": "--sc", "tso": "--tso", "pso": "--pso", "power": "--power"})
_HERD = {"power": "ppc.cat", "armv8": "aarch64.cat", "riscv": "riscv.cat", "tso": "x86tso.cat", "rc11": "rc11.cat"}


def _genmc(case: Case, folder: Path) -> list[str] | None:
    flag = _GENMC(case)
    return ["genmc", flag, "--disable-estimation", "--", *case.c[1:], case.c[0]] if flag else None


def _nidhugg(case: Case, folder: Path) -> list[str] | None:
    flag = _NIDHUGG(case)
    return ["nidhuggc", *case.c[1:], "--", flag, case.c[0]] if flag else None


def _herd(case: Case, folder: Path) -> list[str] | None:
    """All tests of a table in one run; it takes their names from a file."""
    if not case.listed or case.model not in _HERD:
        return None
    rows = Path(case.listed).read_text(encoding="utf-8").splitlines()
    names = folder / "@all"
    names.write_text("".join(f"{CORPUS / row.split(',')[0]}\n" for row in rows if row and not row.startswith("path")))
    return ["herd7", "-model", _HERD[case.model], "-show", "none", str(names)]


def _spin(case: Case, folder: Path) -> list[str] | None:
    """Generating, compiling and running the verifier; printing the program for it is our work and not counted."""
    if not case.fp:
        return None
    printed = run_once(fencepost("robust", case.fp, "--emit", "promela"), 60)
    if printed.code != 0:
        return None
    (folder / "m.pml").write_text(printed.output)
    steps = "spin -a m.pml && cc -O2 -DSAFETY -DMEMLIM=6000 -w -o pan pan.c && ./pan -m2000000"
    return ["sh", "-c", f"cd {shlex.quote(str(folder))} && {steps}"]


def _cbmc(case: Case, folder: Path) -> list[str] | None:
    """On the sequential C program that our translation gives."""
    if "bounded" not in case.command or not case.c:
        return None
    options = list(case.command[case.command.index("bounded") : -1])
    printed = run_once(fencepost(*options, "--emit", "c"), 60)
    if printed.code != 0:
        return None
    (folder / "m.c").write_text(printed.output)
    return ["cbmc", "--no-standard-checks", str(folder / "m.c")]


PEERS = (
    Peer("genmc", "genmc", _genmc, r"complete executions explored: (\d+)"),
    Peer("nidhugg", "nidhuggc", _nidhugg, r"Trace count: (\d+)"),
    Peer("herd7", "herd7", _herd),
    Peer("spin", "spin", _spin, r"(\d+) states, stored"),
    Peer("cbmc", "cbmc", _cbmc),
)


def measure(case: Case, timeout: float) -> Found:
    """What each installed peer needed for this case; `over` where it did not end in time."""
    found: Found = {}
    for peer in PEERS:
        if not peer.installed:
            continue
        with tempfile.TemporaryDirectory(prefix="fencepost-") as folder:
            command = peer.command(case, Path(folder))
            if command is None:
                continue
            sample = run_once(command, timeout)
        count = re.search(peer.counts, sample.output) if peer.counts else None
        # a step inside a shell that the CPU limit ended gives the shell 128 + the signal
        over = sample.code in (-9, 128 + signal.SIGKILL, 128 + signal.SIGXCPU)
        found[peer.name] = {
            "cpu": sample.cpu,
            "executions": int(count[1]) if count else None,
            "over": over,
        }
    return found
