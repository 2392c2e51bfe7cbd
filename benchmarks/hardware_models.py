"""What hardware models cost: the programs of benchmarks/algorithms under rc11 and the models whose events commit out of
program order.

    python benchmarks/hardware_models.py                     # prints the table: some five minutes on a quiet machine
    python benchmarks/hardware_models.py --write             # and puts it into docs/how/power.md
    python benchmarks/hardware_models.py --option=--no-reductions   # without the reductions, which rc11 has most of
    python benchmarks/hardware_models.py --only ticket --model armv8 --model imm --limit 5

Each is a whole command, as a user would type it, with its start-up, in CPU seconds; most programs take less than the
start-up, so the seconds of the exploration alone are compared, too. Exit code 1 where a program that rc11 decides in a
second takes more than ten under another model, is not explored, or has another verdict.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.measure import machine, run_once
from bench.suites import HERE

PAGE = HERE.parent / "docs" / "how" / "power.md"
BEGIN, END = "<!-- measured: benchmarks/hardware_models.py --write -->\n", "<!-- end of it -->\n"
FIRST, OTHERS = "rc11", ("power", "armv8", "riscv", "armv7", "imm")
#: Besides the algorithms as they are.
LARGER = {"ticket": ("-DTHREADS=4", "-DTHREADS=5", "-DTHREADS=6")}
#: What a program under another model may take that rc11 decides in a second.
FAST, MOST = 1.0, 10.0
#: Below this the clock says little of an exploration.
_LEAST = 0.001
_EXPECTED = re.compile(r"^// fencepost: model=(\S+)(?: flags=(\S+))?(?: unroll=(\d+))? expect=pass", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Program:
    path: Path
    unroll: str
    flags: tuple[str, ...]

    @property
    def name(self) -> str:
        return " ".join((self.path.stem, *self.flags))


@dataclass(frozen=True, slots=True)
class Found:
    """`cpu` of the command, `seconds` of the exploration."""

    verdict: str
    engine: str
    executions: int
    dead_ends: int
    cpu: float
    seconds: float


def programs(only: str) -> list[Program]:
    """Each algorithm as it passes: with the flags for rc11, or else for the first model that its first lines name."""
    found = []
    for path in sorted((HERE / "algorithms").rglob("*.c")):
        lines = _EXPECTED.findall(path.read_text(encoding="utf-8"))
        lines.sort(key=lambda line: line[0] != FIRST)  # which keeps the order of the others
        _, flags, unroll = lines[0]
        plain = tuple(f for f in flags.split(",") if f)
        found += [Program(path, unroll, flags) for flags in (plain, *((*plain, f) for f in LARGER.get(path.stem, ())))]
    return [p for p in found if only in p.name]


def measured(program: Program, model: str, limit: float, options: list[str]) -> Found:
    unroll = ["--unroll", program.unroll] if program.unroll else []
    command = [sys.executable, "-c", "from fencepost.cli import main; main()", "check", str(program.path), "--model",
               model, "--no-fix", *unroll, *options, "--json", "--", *program.flags]  # fmt: skip
    sample = run_once(command, limit)
    if sample.code == -9:
        return Found("over", "", 0, 0, sample.cpu, sample.cpu)
    said = json.loads(sample.output)
    if "verdict" not in said:
        return Found("error", said.get("error", ""), 0, 0, sample.cpu, sample.cpu)
    return Found(
        said["verdict"], said.get("engine", "explore"), said["executions"] or 0, said.get("dead_ends", 0), sample.cpu,
        said["seconds"],
    )  # fmt: skip


def row(name: str, found: dict[str, Found]) -> str:
    cells = [_cell(f, found.get(FIRST), first=model == FIRST) for model, f in found.items()]
    return f"| {name} | " + " | ".join(cells) + " |"


def _cell(f: Found, under_first: Found | None, *, first: bool) -> str:
    """What is as expected is not said: the verdict of rc11, and that it was explored."""
    differs = first or under_first is None or f.verdict != under_first.verdict
    said = [f.verdict] if differs else []
    said += [] if f.engine in ("explore", "") else [f.engine]
    said += [f"{f.executions:,}" + (f" + {f.dead_ends:,}" if f.dead_ends else ""), f"{f.cpu:.2f} s"]
    ratio = "" if first or under_first is None else f" (×{f.cpu / under_first.cpu:.1f})"
    return ", ".join(said) + ratio


def summary(model: str, found: dict[str, dict[str, Found]]) -> str:
    """The ratios to rc11 of a model: of whole commands, and of explorations."""
    pairs = {name: (f[FIRST], f[model]) for name, f in found.items() if FIRST in f and model in f}
    whole = {name: b.cpu / a.cpu for name, (a, b) in pairs.items()}
    core = {name: max(b.seconds, _LEAST) / max(a.seconds, _LEAST) for name, (a, b) in pairs.items()}
    worst, longest = max(whole, key=whole.__getitem__), max(pairs, key=lambda name: pairs[name][1].cpu)
    explored = sum(b.engine == "explore" for _, b in pairs.values())
    return (
        f"| {model} | {len(pairs)} | {explored} | {median(whole.values()):.2f}"
        f" | {whole[worst]:.1f} ({worst}) | {median(core.values()):.1f} | {pairs[longest][1].cpu:.2f} s ({longest}) |"
    )


def wrong(name: str, found: dict[str, Found]) -> list[str]:
    first = found.get(FIRST)
    if first is None:
        return []
    said = []
    for model, f in found.items():
        if f.engine not in ("explore", ""):
            said.append(f"{name} under {model}: {f.engine}")
        if first.cpu <= FAST and f.cpu > MOST:
            said.append(f"{name} under {model}: {f.cpu:.1f} s, {first.cpu:.1f} s under {FIRST}")
        if f.verdict != first.verdict:
            said.append(f"{name} under {model}: {f.verdict}, {first.verdict} under {FIRST}")
    return said


def table(found: dict[str, dict[str, Found]], models: list[str]) -> list[str]:
    lines = ["| program | " + " | ".join(models) + " |", "|---" * (len(models) + 1) + "|"]
    return [*lines, *(row(name, f) for name, f in found.items())]


def summaries(found: dict[str, dict[str, Found]], models: list[str]) -> list[str]:
    head = ["model", "programs", "explored", "median ratio", "largest ratio", "median ratio of explorations", "longest"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return lines + [summary(m, found) for m in models if m != FIRST]


def write(found: dict[str, dict[str, Found]], models: list[str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END, 1)[1]
    m = machine()
    note = f"{m['cpu']}, {m['processors']} processors, {m['date']}."
    lines = [note, "", *summaries(found, models), "", *table(found, models), ""]
    PAGE.write_text(before + BEGIN + "\n".join(lines) + END + after, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    parser.add_argument("--only", default="", metavar="TEXT", help="the programs whose name contains this")
    parser.add_argument("--model", choices=OTHERS, action="append", help="instead of all five; may be repeated")
    parser.add_argument("--limit", type=float, default=20.0, help="CPU seconds for one command (%(default)s)")
    parser.add_argument(
        "--option", action="append", default=[], help="one more option, such as --option=--no-reductions"
    )
    o = parser.parse_args()
    models = [FIRST, *(o.model or OTHERS)]
    found: dict[str, dict[str, Found]] = {}
    print("\n".join(table({}, models)))
    for program in programs(o.only):
        found[program.name] = {model: measured(program, model, o.limit, o.option) for model in models}
        print(row(program.name, found[program.name]), flush=True)
    if not found:
        parser.error(f"no program whose name contains {o.only}")
    print("\n".join(["", *summaries(found, models)]))
    bad = [line for name, f in found.items() for line in wrong(name, f)]
    print("\n".join(["", *bad]) if bad else "")
    if o.write:
        write(found, models)
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
