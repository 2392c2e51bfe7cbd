"""What is measured. A suite is a list of cases; a case is a command and what its result should be."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from bench.measure import fencepost

HERE = Path(__file__).parent.parent
ROOT = HERE.parent
CORPUS = Path(os.environ.get("FENCEPOST_CORPUS", ROOT.parent / "shared" / "corpus" / "litmus"))


@dataclass(frozen=True, slots=True)
class Case:
    """`executions` and `verdict` are what must come out (None: no expectation). `target`: the seconds we want. `paper`
    and `peers`: seconds that others took, where that is known; `traces` the executions that the paper reports. `table`:
    the table of the paper that the case is a row of. `c`, `fp`, `listed`: the same question for peers, as a C program
    with its flags, a program for SPIN, a table of litmus tests. `wall`: the target is about waiting, not about CPU.
    `x`: the place on the horizontal axis, where the suite is a plot. `limit`: seconds, where others than the usual."""

    name: str
    command: tuple[str, ...]
    executions: int | None = None
    verdict: str | None = None
    target: float | None = None
    paper: float | None = None
    peers: dict[str, float] = field(default_factory=dict)
    c: tuple[str, ...] = ()
    fp: str = ""
    listed: str = ""
    model: str = ""
    table: str = ""
    note: str = ""
    traces: int | None = None
    wall: bool = False
    limit: float | None = None
    series: str = ""
    x: float | None = None
    count_instructions: bool = False


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / name).read_text(encoding="utf-8"))


def _key(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["program"], str(row["with"]), row["model"]


def from_tables(suite: str) -> list[Case]:
    """The rows of papers.toml under this suite, with our targets; then the targets that no table has."""
    targets = {_key(row): row for row in _toml("targets.toml").get(suite, [])}
    cases = []
    for table in _toml("papers.toml")["table"]:
        if table["suite"] == suite:
            for row in table["rows"]:
                more = targets.pop(_key(row), {}) if "program" in row else {}
                cases.append(_row(more | row, table["title"], table.get("note", "")))
    return [*cases, *(_row(row, "Targets of our own", "") for row in targets.values())]


def _row(row: dict[str, Any], table: str, note: str) -> Case:
    if "source" in row:
        unroll = ("--unroll", str(row["unroll"])) if "unroll" in row else ()
        command = fencepost("check", str(HERE / row["source"]), "--model", row["model"], *unroll, "--json")
        name = f"{Path(row['source']).stem} {row['model']}"
        return Case(name, tuple(command), verdict="PASS", paper=row["seconds"], model=row["model"], table=table,
                    note=note)  # fmt: skip
    defines = [f"-D{k}={v}" for k, v in row["with"].items()]
    program = str(HERE / "programs" / f"{row['program']}.fp")
    command = fencepost("check", program, "--model", row["model"], "--json", "--", *defines)
    source = HERE / "programs" / "c" / f"{row['program']}.c"
    inside = ",".join(str(v) for k, v in row["with"].items() if k != "LIMIT")
    same = [c for c in _toml("counts.toml")["case"] if (c["program"], c["with"]) == (row["program"], row["with"])]
    count = same[0]["counts"].get(row["model"]) if same else None
    return Case(
        f"{row['program']}({inside}) {row['model']}", tuple(command), count or row.get("traces"), None,
        row.get("target"), row.get("seconds", row.get("paper")), row.get("peers", {}),
        (str(source), *defines) if source.exists() else (), model=row["model"], table=table, note=note,
        traces=row.get("traces"), count_instructions=row.get("instructions", False),
    )  # fmt: skip


def table1() -> list[Case]:
    """Table 1 of the RSMC paper: counted programs, and C programs with and without fences."""
    cases = from_tables("rsmc-table1")
    for row in _toml("power/table1.toml")["program"]:
        flags = row.get("flags", [])
        unroll = ["--unroll", str(row["bound"])] if "bound" in row else []
        source = str(HERE / "power" / f"{row['source']}.c")
        command = fencepost("check", source, "--model", "power", *unroll, "--json", "--", *flags)
        cases.append(
            Case(
                row["name"], tuple(command), row.get("executions"), row["verdict"], None, row.get("paper"), {},
                (source, *flags), model="power", table="RSMC, Table 1 (Nidhugg)",
            )
        )  # fmt: skip
    return cases


#: Seconds that one should wait at most for a whole table, on two cores.
LITMUS_TARGETS = {"PPC": 20.0, "X86": 5.0, "AARCH64": 30.0, "RISCV": 30.0}


def litmus() -> list[Case]:
    """Whole tables of the corpus, each in one command."""
    cases = []
    for table in sorted(CORPUS.glob("*.expected.csv")):
        arch, model = table.name.split(".")[:2]
        command = fencepost("litmus", "--model", model, "--expected", str(table), "--quiet", "--json")
        target = LITMUS_TARGETS.get(arch)
        cases.append(
            Case(f"{arch} under {model}", tuple(command), target=target, listed=str(table), model=model, wall=True)
        )
    return cases


#: Fig. 7 of the Rocker paper: what is not robust against release/acquire; every other program of the folder is.
NOT_ROBUST = frozenset({
    "dekker-sc", "peterson-sc", "peterson-tso", "peterson-ra-bratosz", "lamport2-sc", "lamport2-tso",
    "cilk-the-wsq-sc", "chase-lev-sc", "chase-lev-tso", "sb", "iriw", "2+2w", "barrier-busy",
})  # fmt: skip


def robustness() -> list[Case]:
    paper = _toml("papers.toml")["rocker"]
    cases = []
    for path in sorted((HERE / "robustness").glob("*.fp"), key=lambda p: (p.stem not in paper, p.stem)):
        verdict = "FAIL" if path.stem in NOT_ROBUST else "PASS"
        table = "Rocker, Figure 7 (Rocker with SPIN)" if path.stem in paper else "Litmus tests of the Rocker paper"
        target = 30.0 if path.stem in ("lamport2-3-ra", "rcu-offline") else None
        command = tuple(fencepost("robust", str(path), "--json"))
        cases.append(Case(path.stem, command, verdict=verdict, target=target, paper=paper.get(path.stem), fp=str(path),
                          table=table))  # fmt: skip
    return cases


def bounded() -> list[Case]:
    """Tables 3 and 4 of the Power2SC paper; the rows are those of bounded/tables.py."""
    from bounded.tables import LOOP_BOUND, ROWS

    cases = []
    for kind, verdict, target, title in (
        ("unsafe", "FAIL", 10.0, "Power2SC, Table 3 (Power2SC with CBMC)"),
        ("safe", "PASS", 300.0, "Power2SC, Table 4 (Power2SC with CBMC)"),
    ):
        for name, contexts, unsafe, safe in ROWS:
            seconds = unsafe if kind == "unsafe" else safe
            paper = float(seconds) if seconds.isdigit() else OVER
            cases.append(_bounded(name, kind, verdict, contexts, LOOP_BOUND, paper, title, target))
    return cases


OVER = 1800.0  # the paper's time limit: it needed more


def _bounded(
    name: str, kind: str, verdict: str, contexts: int, loops: int, paper: float, title: str, target: float | None = None
) -> Case:
    path = str(HERE / "bounded" / f"{name}-{kind}.c")
    command = fencepost("bounded", path, "--contexts", str(contexts), "--unroll", str(loops), "--json")
    return Case(f"{name} {kind}, {contexts} contexts, loops {loops}", tuple(command), verdict=verdict, target=target,
                paper=paper, c=(path,), model="power", table=title)  # fmt: skip


def bounded_scaling() -> list[Case]:
    """Tables 5 to 8 of the Power2SC paper: more loop rounds, more contexts."""
    from bounded.tables import LOOP_BOUND, ROWS

    tables, bound = _toml("papers.toml")["power2sc"], {row[0]: row[1] for row in ROWS}
    cases = []
    for number, (what, kind) in enumerate(product(("unroll", "contexts"), ("unsafe", "safe")), 5):
        for name, row in tables[f"{what}-{kind}"].items():
            for step, seconds in enumerate(row):
                loops = (3, 5, 7)[step] if what == "unroll" else LOOP_BOUND
                contexts = bound[name] + (step + 1 if what == "contexts" else 0)
                verdict, paper = "FAIL" if kind == "unsafe" else "PASS", OVER if seconds < 0 else float(seconds)
                title = f"Power2SC, Table {number} (Power2SC with CBMC)"
                cases.append(_bounded(name, kind, verdict, contexts, loops, paper, title))
    return cases


_RUN = re.compile(r"^// fencepost: model=(\S+)(?: flags=(\S+))? expect=(pass|fail)", re.MULTILINE)


def algorithms() -> list[Case]:
    """The algorithms in C, each under the models and with the flags that its first lines name."""
    cases = []
    for path in sorted((HERE / "algorithms").rglob("*.c")):
        for model, flags, expect in _RUN.findall(path.read_text()):
            command = fencepost("check", str(path), "--model", model, "--json", "--", *flags.split(","))
            name = f"{path.stem} {model} {flags}".strip()
            cases.append(Case(name, tuple(c for c in command if c), verdict=expect.upper(), model=model))
    return cases


def scaling() -> list[Case]:
    """How cost grows with events, threads and executions."""
    return [*_events(), *_threads(), *_executions()]


def _program(name: str, text: str) -> str:
    folder = HERE / "results" / "generated"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.fp"
    path.write_text(text)
    return str(path)


def _events() -> Iterator[Case]:
    """readers(8) with a first thread that writes many other locations before: 256 executions of many events. The core
    takes at most 512 events and locations of an execution under a hardware model."""
    for model, most in (("rc11", 2000), ("power", 200)):
        for n in (n for n in (10, 20, 50, 100, 200, 500, 1000, 2000) if n <= most):
            text = f"var x, a[{n}]\nthread W {{ for i in 0..{n - 1} {{ a[i] := 1 }}; x.rel := 1 }}\n"
            text += "thread R(i in 1..8) { r := x.acq }\n"
            path = _program(f"events-{n}", text)
            command = fencepost("check", path, "--model", model, "--json")
            yield Case(f"{n} events {model}", tuple(command), 256, model=model, series=f"events, {model}", x=n)


def _threads() -> Iterator[Case]:
    """Two threads with 48 620 executions, and more threads that each write a place of their own: as many executions."""
    for model in ("rc11", "power"):
        for n in (2, 3, 4, 6, 8, 10, 12, 14, 16):
            text = f"var x, y[{n}]\nthread W {{ for i in 1..9 {{ x := i }} }}\n"
            text += "thread R { for i in 1..9 { r := x } }\n"
            text += f"thread T(i in 1..{n - 2}) {{ y[i] := 1 }}\n" if n > 2 else ""
            command = fencepost("check", _program(f"threads-{n}", text), "--model", model, "--json")
            yield Case(f"{n} threads {model}", tuple(command), 48620, model=model, series=f"threads, {model}", x=n)


def _executions() -> Iterator[Case]:
    path = str(HERE / "programs" / "readers.fp")
    for n in (10, 13, 16, 18, 20, 22, 24):
        command = fencepost("check", path, "--model", "rc11", "--json", "--", f"-DN={n}")
        yield Case(f"2^{n} executions", tuple(command), 2**n, model="rc11", series="executions, rc11", x=2.0**n)


SUITES: dict[str, Callable[[], list[Case]]] = {
    "rcmc-tables": lambda: from_tables("rcmc-tables"),
    "rsmc-table1": table1,
    "rocker-fig7": robustness,
    "power2sc-tables": bounded,
    "power2sc-scaling": bounded_scaling,
    "litmus": litmus,
    "algorithms": algorithms,
    "scaling": scaling,
}

#: What --quick runs: all but the tables whose safe rows take minutes each.
QUICK = tuple(name for name in SUITES if name != "power2sc-scaling")


def profiled() -> dict[str, list[str]]:
    """The commands whose hot path the results page shows: one relaxed, one SC-heavy, one POWER."""

    def check(name: str, program: str, model: str, *defines: str) -> tuple[str, list[str]]:
        path = str(HERE / "programs" / f"{program}.fp")
        return name, fencepost("check", path, "--model", model, "--json", "--", *defines)

    return dict([
        check("relaxed: binc(5) under rc11", "binc", "rc11", "-DN=5"),
        check("SC-heavy: fib_bench(4) under sc", "fib_bench", "sc", "-DK=4", "-DLIMIT=55"),
        check("POWER: fib_bench(3), plain accesses", "fib_bench-plain", "power", "-DK=3", "-DLIMIT=21"),
    ])  # fmt: skip
