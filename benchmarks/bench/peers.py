"""Peers on PATH: the same question through them, in the same run. None is required.

How each is called and what it prints follows its manual (GenMC 0.10 and later, Nidhugg 0.4, herd7 7.58, SPIN 6.5, CBMC
5.12 and later, Dartagnan 4). An answer that is not ours is shown as a disagreement."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.measure import Sample, fencepost, run_once
from bench.suites import CORPUS, Case


@dataclass(frozen=True, slots=True)
class Peer:
    """`command(case, folder)` is how to ask it, or None where it cannot answer; `counts`: where its output says how
    many executions or states (`counted`) it explored, empty where it does not count; `passes`, `fails`: where it says
    what it found."""

    name: str
    program: str
    command: Callable[[Case, Path], list[str] | None]
    counts: str = ""
    counted: str = "executions"
    passes: str = "(?!)"
    fails: str = "(?!)"

    @property
    def installed(self) -> bool:
        return shutil.which(self.program) is not None

    def read(self, sample: Sample) -> dict[str, Any]:
        count = re.search(self.counts, sample.output) if self.counts else None
        # a step inside a shell that the CPU limit ended gives the shell 128 + the signal
        over = sample.code in (-9, 128 + signal.SIGKILL, 128 + signal.SIGXCPU)
        answer = (
            "FAIL"
            if re.search(self.fails, sample.output)
            else "PASS"
            if re.search(self.passes, sample.output)
            else None
        )
        return {
            "cpu": sample.cpu,
            "executions": int(count[1].replace(",", "")) if count else None,
            "counted": self.counted,
            "answer": None if over else answer,
            "over": over,
        }


def _unroll(case: Case) -> list[str]:
    """The loop bound of our own command, as GenMC and Nidhugg take it."""
    return [f"--unroll={case.command[case.command.index('--unroll') + 1]}"] if "--unroll" in case.command else []


_GENMC = {"sc": "--sc", "tso": "--tso", "ra": "--ra", "rc11": "--rc11", "imm": "--imm"}
_NIDHUGG = {"sc": "--sc", "tso": "--tso", "pso": "--pso", "power": "--power"}
_HERD = {"power": "ppc.cat", "armv8": "aarch64.cat", "riscv": "riscv.cat", "tso": "x86tso.cat", "rc11": "rc11.cat"}


def _explores(case: Case) -> bool:
    """Whether we explore all executions of a C program."""
    return bool(case.c) and "check" in case.command


def _genmc(case: Case, folder: Path) -> list[str] | None:
    if not _explores(case) or case.model not in _GENMC:
        return None
    return ["genmc", _GENMC[case.model], "--disable-estimation", *_unroll(case), "--", *case.c[1:], case.c[0]]


def _nidhugg(case: Case, folder: Path) -> list[str] | None:
    if not _explores(case) or case.model not in _NIDHUGG:
        return None
    return ["nidhuggc", *case.c[1:], "--", _NIDHUGG[case.model], *_unroll(case), case.c[0]]


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
    """On the sequential C program that our translation gives; not for each of the tables that vary the bounds."""
    if "bounded" not in case.command or not case.c or case.target is None:
        return None
    options = list(case.command[case.command.index("bounded") : -1])
    printed = run_once(fencepost(*options, "--emit", "c"), 60)
    if printed.code != 0:
        return None
    (folder / "m.c").write_text(printed.output)
    only_assertions = ["--no-standard-checks"] if _knows("cbmc", "--no-standard-checks") else []
    return ["cbmc", *only_assertions, str(folder / "m.c")]


@cache
def _knows(program: str, option: str) -> bool:
    """Whether the help of a program names an option: CBMC checks more than assertions from version 6 on."""
    return option in subprocess.run([program, "--help"], capture_output=True, text=True, check=False).stdout


_DARTAGNAN = {"sc": "sc.cat", "tso": "tso.cat", "power": "power.cat", "rc11": "rc11.cat", "imm": "imm.cat"}
_TARGETS = {"tso": "tso", "power": "power", "imm": "imm"}


def _dartagnan(case: Case, folder: Path) -> list[str] | None:
    """`dartagnan` on PATH is a script that starts its jar; DAT3M_HOME is the folder with its models."""
    home = os.environ.get("DAT3M_HOME", "")
    if not home or not _explores(case) or case.model not in _DARTAGNAN:
        return None
    bound = [f"--bound={n}" for n in (o.removeprefix("--unroll=") for o in _unroll(case))]
    target = f"--target={_TARGETS.get(case.model, 'c11')}"
    source = folder / "program.c"  # it takes no flags for the compiler
    defines = [f.removeprefix("-D").replace("=", " ", 1) for f in case.c[1:] if f.startswith("-D")]
    source.write_text("".join(f"#define {d}\n" for d in defines) + Path(case.c[0]).read_text(encoding="utf-8"))
    return ["dartagnan", str(Path(home) / "cat" / _DARTAGNAN[case.model]), target, *bound, str(source)]


_CLEAN = r"No errors were detected"
PEERS = (
    Peer(
        "genmc", "genmc", _genmc, r"complete executions explored: (\d+)", passes=_CLEAN, fails=r"^Error(?: detected)?:"
    ),
    Peer("nidhugg", "nidhuggc", _nidhugg, r"Trace count: (\d+)", passes=_CLEAN, fails=r"Error detected"),
    Peer("herd7", "herd7", _herd),
    Peer("spin", "spin", _spin, r"([\d,]+) states, stored", "states", r"errors: 0\b", r"errors: [1-9]"),
    Peer("cbmc", "cbmc", _cbmc, passes=r"VERIFICATION SUCCESSFUL", fails=r"VERIFICATION FAILED"),
    Peer("dartagnan", "dartagnan", _dartagnan, passes=r"(?m)^PASS$", fails=r"(?m)^FAIL$"),
)


def installed() -> dict[str, str]:
    """The peers on PATH, with where they are."""
    return {p.name: shutil.which(p.program) or "" for p in PEERS if p.installed}


def prepared(case: Case, folder: Path) -> list[tuple[Peer, list[str]]]:
    """How to ask each peer on PATH that can answer this case; what it needs is written to `folder`."""
    asked = []
    for peer in PEERS:
        own = folder / peer.name
        own.mkdir(exist_ok=True)
        if peer.installed and (command := peer.command(case, own)) is not None:
            asked.append((peer, command))
    return asked


def ask(peer: Peer, command: list[str], case: Case, timeout: float) -> dict[str, Any]:
    """What one run of a peer gave; `over` where it did not end in time. A whole table of litmus tests may take twenty
    times as long as one program."""
    sample = run_once(command, 20 * timeout if case.listed else timeout)
    return peer.read(sample) | (_verdicts(case, sample) if case.listed else {})


def _verdicts(case: Case, sample: Sample) -> dict[str, Any]:
    """How many tests herd answered, and how many of them as the table says. What it prints is `Observation NAME
    Sometimes 1 3` after the condition: it holds somewhere, and not everywhere."""
    rows = (line.split(",") for line in Path(case.listed).read_text(encoding="utf-8").splitlines() if line)
    wanted = {_test_name(CORPUS / path): holds.strip() == "1" for path, holds, *_ in rows if path != "path"}
    tests = re.findall(r"^(Ok|No)$.*?^Observation (\S+) ", sample.output, re.MULTILINE | re.DOTALL)
    agree = sum(wanted.get(name) is (answer == "Ok") for answer, name in tests)
    return {"executions": len(tests), "counted": "tests", "agree": agree}


def _test_name(test: Path) -> str:
    """What herd calls a test: the second word of its file, which need not be the file's name."""
    with suppress(OSError), test.open(encoding="utf-8") as lines:
        words = next(lines, "").split()
        return words[1] if len(words) > 1 else test.stem
    return test.stem
