"""What the reductions save: executions and CPU seconds of whole commands, with all of them and with none.

    python benchmarks/reductions.py [--limit 20] [--times 3] [--write]

prints a table; with --write it goes into docs/how/reductions.md, between its marks. "Without" is without reductions
and without shorter ways round loops; each is the least of --times runs, as an installed command is run (with
Python's compiled files, without anything that was kept of an earlier answer). GenMC's figures are facts from its own
runs of the same programs (complete + blocked, CPU seconds where they are known), not from ours."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "how" / "reductions.md"
BEGIN, END = "<!-- measured: benchmarks/reductions.py --write -->\n", "<!-- end -->\n"
_MODEL = "rc11"
_ENVIRONMENT = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
#: program, flags, GenMC 0.11 where the program is the same; RCMC where its authors measured that
ROWS: tuple[tuple[str, str, str], ...] = (
    ("benchmarks/programs/ainc.fp", "-DN=8", "1 (N=6)"),
    ("benchmarks/programs/c/ainc.c", "-DN=6", "1"),
    ("benchmarks/programs/readers.fp", "-DN=18", ""),
    ("benchmarks/programs/binc.fp", "-DN=6", ""),
    ("tests/explore/symmetry/in_a_loop.c", "-DN=8", ""),
    ("tests/explore/barriers/rounds.c", "-DN=4 -DR=1 -DCOUNT=4", ""),
    ("tests/explore/barriers/rounds.c", "-DN=6 -DR=2 -DCOUNT=6", "1, 0.05 s"),
    ("tests/explore/barriers/rounds.c", "-DN=12 -DR=1 -DCOUNT=12", ""),
    ("tests/explore/locks/set.c", "-DR=8 -DA=0", "1"),
    ("tests/explore/locks/set.c", "-DR=6 -DA=0 -DFRONT", "1 (its own form)"),
    ("tests/explore/locks/set.c", "-DR=3 -DA=3 -DFRONT", "6 (its own form)"),
    ("tests/explore/locks/set.c", "-DR=3 -DA=3", ""),
    ("tests/explore/locks/tree.c", "-DR=3 -DA=3", "5 (its own form)"),
    ("tests/explore/locks/filesystem.c", "-DN=19", "64"),
    ("tests/explore/locks/table.c", "-DN=4", "4 (its own form)"),
    ("tests/explore/locks/set.c", "-DR=0 -DA=6", ""),
    ("tests/explore/locks/table.c", "-DN=8", ""),
    ("tests/explore/locks/table.c", "-DN=16", ""),
    ("benchmarks/loops/ttas.c", "-DN=5", "2"),
    ("benchmarks/loops/ttas_at_once.c", "-DN=5", "2 (its own form)"),
    ("benchmarks/loops/peeled_lock.c", "-DN=6", "720, 0.16 s (its own form)"),
    ("benchmarks/loops/qrcu.c", "", "9,312 + 112 (its own form)"),
    ("benchmarks/loops/peeled.c", "-DN=6", "4 + 5, 0.07 s (its own form)"),
    ("benchmarks/loops/two_exchanges.c", "-DN=4", "43 (its own form)"),
    ("benchmarks/loops/counter.c", "-DN=5", ""),
    ("benchmarks/loops/mpmc.c", "-DW=1 -DR=1 -DB=1", ""),
    ("benchmarks/loops/mpmc_published.c", "-DW=0 -DR=0 -DB=3", "25,026 + 221,991, 19 s"),
    ("benchmarks/loops/cas_lock.c", "-DN=6", "720, 0.16 s"),
    ("benchmarks/loops/linuxrwlocks_both.c", "-DN=2", "14 + 20"),
    ("benchmarks/loops/linuxrwlocks_both.c", "-DN=3", "690 + 2,790, 0.27 s"),
    ("benchmarks/loops/linuxrwlocks_head.c", "-DN=3", "690 + 2,790, 0.27 s"),
    ("benchmarks/algorithms/locks/linux_rwlock.c", "", ""),
    ("benchmarks/rcmc/ms-queue.c", "-DN=3 --model wrc11", "RCMC: 4.5 s"),
    ("benchmarks/rcmc/ms-queue.c", "-DN=3 -DSC", "RCMC: 4.3 s"),
)


@dataclass
class Cell:
    executions: int
    blocked: int
    seconds: float
    whole: bool
    late: bool  # the time was over

    def __str__(self) -> str:
        blocked = f" + {self.blocked:,}" if self.blocked else ""
        how = "" if self.whole else "over " if self.late else "unknown: "
        return f"{how}{self.executions:,}{blocked} | {self.seconds:.2f}"


def measured(program: str, flags: str, limit: float, times: int, *switches: str) -> Cell:
    """CPU seconds are those of the command and all that it starts. What takes long is run once."""
    command = [sys.executable, "-m", "fencepost", "check", program, "--model", _MODEL, *flags.split(), "--json",
               "--no-cache", "--no-fix", "--time-limit", str(limit), *switches]  # fmt: skip
    seconds = []
    for _ in range(times):
        before = os.times()
        ran = subprocess.run(command, cwd=ROOT, env=_ENVIRONMENT, capture_output=True, text=True, check=False)
        after = os.times()
        spent = after.children_user - before.children_user + after.children_system - before.children_system
        seconds.append(spent)
        if spent > 2:
            break
    found = json.loads(ran.stdout)
    late = any(r["code"] == "limit" for r in found["reasons"])
    return Cell(found["executions"], found["blocked"], min(seconds), found["verdict"] in ("PASS", "BOUNDED"), late)


def table(limit: float, times: int) -> str:
    lines = [f"| program ({_MODEL}) | without | CPU s | with | CPU s | GenMC 0.11 |", "|---|---|---|---|---|---|"]
    rows = []
    for program, flags, genmc in ROWS:
        full = measured(program, flags, limit, 1, "--no-reductions", "--no-shortcuts")
        less = measured(program, flags, limit, times)
        text = f"| `{f'{program} {flags}'.strip()}` | {full} | {less} | {genmc} |"
        rows.append((not full.whole, full.executions + full.blocked, text))
        print(text, flush=True)
    load, processors = os.getloadavg()[1], os.cpu_count() or 1
    said = f'"Over": not done in {limit:g} seconds on the clock. The load was {load:.0f} on {processors} processors'
    said += ", which makes seconds longer, and less is done in the time." if load > processors + 1 else "."
    said += ' "Unknown": without the rule there is no answer.\n'
    return "\n".join([said, *lines, *(text for *_, text in sorted(rows, reverse=True))]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    text = table(asked.limit, asked.times)
    if asked.write:
        page = PAGE.read_text(encoding="utf-8")
        start, end = page.index(BEGIN) + len(BEGIN), page.index(END)
        PAGE.write_text(page[:start] + text + page[end:], encoding="utf-8")


if __name__ == "__main__":
    main()
