"""What is measured. A suite is a list of cases; a case is a command and what its result should be."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from bench.counts import known
from bench.measure import fencepost
from bench.papers import case as case_name
from bench.papers import tables

HERE = Path(__file__).parent.parent
ROOT = HERE.parent
CORPUS = Path(os.environ.get("FENCEPOST_CORPUS", ROOT.parent / "shared" / "corpus" / "litmus"))

#: The papers count every execution.
WHOLE = ("--no-reductions",)


@dataclass(frozen=True, slots=True)
class Case:
    """`executions`, `duplicates` and `verdicts` are what must come out (None, empty: no expectation). `target`: the
    seconds we want. `peers`: seconds that others took, where that is known. `c`, `fp`, `listed`: the same question for
    peers, as a C program with its flags, a program for SPIN, a table of litmus tests. `wall`: the target is about
    waiting, not about CPU. `x`: the place on the horizontal axis, where the suite is a plot. `limit`: seconds, where
    others than the usual."""

    name: str
    command: tuple[str, ...]
    executions: int | None = None
    verdicts: tuple[str, ...] = ()
    target: float | None = None
    peers: dict[str, float] = field(default_factory=dict)
    c: tuple[str, ...] = ()
    fp: str = ""
    listed: str = ""
    model: str = ""
    wall: bool = False
    limit: float | None = None
    series: str = ""
    x: float | None = None
    count_instructions: bool = False
    duplicates: int | None = None


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / name).read_text(encoding="utf-8"))


def _answered(suite: str, build: Callable[[str, str], Case]) -> list[Case]:
    """A case for each run that the tables of this suite ask for, with the counts that they give and our targets; then
    the cases that only our targets ask for."""
    wanted = _toml("targets.toml").get(suite, {})
    counts: dict[str, Any] = {}
    again: dict[str, Any] = {}
    asked = {}
    for table in tables(suite):
        asked |= {case_name(label, run): (label, run) for label, run in table.asked()}
        counts |= table.expected("executions")
        again |= table.expected("duplicates")
    asked |= {name: (label, run) for name in wanted for label, _, run in [name.rpartition(" ")]}
    cases = []
    for name, (label, run) in asked.items():
        case, more = build(label, run), wanted.get(name, {})
        executions = counts.get(name) if case.executions is None else case.executions
        counted, target = more.get("instructions", False), more.get("target", case.target)
        peers = more.get("peers", {})
        case = replace(case, executions=executions, duplicates=again.get(name), target=target, peers=peers)
        cases.append(replace(case, count_instructions=counted))
    return cases


def _constants(program: str, number: int) -> dict[str, int]:
    """The constants that a label such as fib_bench(3) stands for."""
    if not program.startswith("fib_bench"):
        return {"FENCE" if program == "sb+10w" else "N": number}
    a, b = 0, 1
    for _ in range(2 * number + 2):
        a, b = b, a + b
    return {"K": number, "LIMIT": a}


#: The paper's own algorithm takes longer than ours, and ends: fib_true after half a minute.
_RSMC_SECONDS = 90.0
#: The algorithms of the papers, with the models that they ask in the tables.
_OF_ALGORITHM = {"rsmc": "power", "rcmc": "rc11"}


def _counted(label: str, run: str) -> Case:
    """A program of programs/, by its name and number; the run is a model, or the other algorithm for POWER."""
    program, number = label[:-1].split("(")
    constants = _constants(program, int(number))
    defines = [f"-D{k}={v}" for k, v in constants.items()]
    model = _OF_ALGORITHM.get(run, run)
    options = ["--algorithm", run] if run in _OF_ALGORITHM else []
    path, source = HERE / "programs" / f"{program}.fp", HERE / "programs" / "c" / f"{program}.c"
    command = fencepost("check", str(path), "--model", model, *WHOLE, *options, "--json", "--", *defines)
    return Case(
        case_name(label, run), tuple(command), known(program, constants, model), ("PASS",),
        c=() if options else (str(source), *defines), model=model, limit=_RSMC_SECONDS if options else None,
    )  # fmt: skip


def rcmc() -> list[Case]:
    """The tables of the RCMC paper: counting programs, and in Tables 6 and 7 programs in C."""
    return _answered("rcmc-tables", lambda label, run: (_counted if _is_counted(label) else _synchronised)(label, run))


def _is_counted(label: str) -> bool:
    return (HERE / "programs" / f"{label.split('(')[0]}.fp").exists()


def _synchronised(label: str, run: str) -> Case:
    program, number = label[:-1].split("(")
    flags = [f"-DN={number}", *(["-DSC"] if program.endswith("_sc") else [])]
    source = str(HERE / "rcmc" / f"{program.removesuffix('_sc')}.c")
    bound = ["--unroll", str(int(number) + 1), *(["--no-spin-detection"] if "short" in program else [])]
    command = fencepost("check", source, "--model", run, *WHOLE, *bound, "--json", "--", *flags)
    executions = _COUNTS.get(label.replace("_sc", ""))
    return Case(case_name(label, run), tuple(command), executions, ("PASS",), c=(source, *flags), model=run)


#: The known counts of this workload (under every model: all its writes are updates of one word, or under the lock).
_COUNTS = {"linuxrwlocks(2)": 14, "linuxrwlocks(3)": 690}


def rsmc() -> list[Case]:
    """Table 1 of the RSMC paper: C programs with and without fences; and its figure with a counting program."""
    rows = {row["name"]: row for row in _toml("power/table1.toml")["program"]}
    return _answered(
        "rsmc-table1", lambda label, run: _power(rows[label], run) if label in rows else _counted(label, run)
    )


def _power(row: dict[str, Any], run: str) -> Case:
    flags = row.get("flags", [])
    unroll = ["--unroll", str(row["bound"])] if "bound" in row else []
    algorithm = ["--algorithm", "rsmc"] if run == "rsmc" else []
    source = str(HERE / "power" / f"{row['source']}.c")
    command = fencepost("check", source, "--model", "power", *WHOLE, *unroll, *algorithm, "--json", "--", *flags)
    verdicts = (row["verdict"], "UNKNOWN") if algorithm else (row["verdict"],)
    return Case(
        case_name(row["name"], run), tuple(command), row.get("executions"), verdicts,
        c=() if algorithm else (source, *flags), model="power", limit=_RSMC_SECONDS if algorithm else None,
    )  # fmt: skip


def robustness() -> list[Case]:
    """Figure 7 of the Rocker paper: against release/acquire, against TSO, and the same search without a monitor."""
    verdicts: dict[str, Any] = {}
    for table in tables("rocker-fig7"):
        verdicts |= table.expected("verdict")

    def build(label: str, run: str) -> Case:
        name, path = case_name(label, run), str(HERE / "robustness" / f"{label}.fp")
        answer = {"✓": ("PASS",), "✗": ("FAIL",)}.get(verdicts.get(name, ""), ())
        command = fencepost("robust", path, "--against", run, "--json")
        return Case(name, tuple(command), verdicts=answer, fp=path if run == "ra" else "", model=run)

    return _answered("rocker-fig7", build)


def bounded() -> list[Case]:
    """Tables 3 and 4 of the Power2SC paper: within its bounds, and without a bound of contexts."""
    return _answered("power2sc-tables", _bounded)


def bounded_scaling() -> list[Case]:
    """Tables 5 to 8 of the Power2SC paper: more loop rounds, more contexts."""
    return _answered("power2sc-scaling", _bounded)


@cache
def _contexts() -> dict[str, int]:
    """CB of each program of Tables 3 and 4."""
    return {label: int(cb) for table in tables("power2sc-tables") for label, cb in table.column("CB").items()}


_BOUNDS = re.compile(r"CB(?:\+(\d))?, LB (\d+)")


def _bounded(label: str, run: str) -> Case:
    """`CB+1, LB 8`: by `bounded`, with one context more than CB and loops of 8 rounds; `power`: all executions. A
    bound on loops that is reached makes the latter BOUNDED where nothing was found."""
    name, path = case_name(label, run), str(HERE / "bounded" / f"{label.replace(' ', '-')}.c")
    unsafe = label.endswith(" unsafe")
    if (found := _BOUNDS.fullmatch(run)) is None:
        command = fencepost("check", path, "--model", run, *WHOLE, "--unroll", "8", "--json")
        return Case(
            name, tuple(command), None, ("FAIL",) if unsafe else ("PASS", "BOUNDED", "UNKNOWN"), c=(path,), model=run
        )
    contexts = _contexts()[label] + int(found[1] or 0)
    command = fencepost("bounded", path, "--contexts", str(contexts), "--unroll", found[2], "--json")
    target = (10.0 if unsafe else 300.0) if run == "CB, LB 8" else None
    return Case(
        name, tuple(command), None, ("FAIL" if unsafe else "BOUNDED",), target, c=(path,), model="power",
        limit=_PATIENCE.get(name),
    )  # fmt: skip


#: Seconds for what is worth more of them: the paper's tool finishes none of these.
_PATIENCE = {
    "dijkstra safe CB+1, LB 8": 120.0, "dijkstra safe CB+2, LB 8": 240.0, "dijkstra safe CB+3, LB 8": 300.0,
}  # fmt: skip


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


_RUN = re.compile(r"^// fencepost: model=(\S+)(?: flags=(\S+))?(?: unroll=(\d+))? expect=(pass|fail)", re.MULTILINE)


def algorithms() -> list[Case]:
    """The algorithms in C, each under the models and with the flags that its first lines name."""
    cases = []
    for path in sorted((HERE / "algorithms").rglob("*.c")):
        for model, flags, unroll, expect in _RUN.findall(path.read_text(encoding="utf-8")):
            bound = ("--unroll", unroll) if unroll else ()
            command = fencepost("check", str(path), "--model", model, *bound, "--json", "--", *flags.split(","))
            name = f"{path.stem} {model} {flags}".strip()
            cases.append(Case(name, tuple(c for c in command if c), verdicts=(expect.upper(),), model=model))
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
    """readers(8) with a first thread that writes many other locations before: 256 executions of many events. What is
    too large for the core is UNKNOWN."""
    for model in ("rc11", "power"):
        for n in (10, 20, 50, 100, 200, 500, 1000, 2000):
            text = f"var x, a[{n}]\nthread W {{ for i in 0..{n - 1} {{ a[i] := 1 }}; x.rel := 1 }}\n"
            text += "thread R(i in 1..8) { r := x.acq }\n"
            path = _program(f"events-{n}", text)
            command = fencepost("check", path, "--model", model, *WHOLE, "--json")
            yield Case(f"{n} events {model}", tuple(command), 256, ("PASS", "UNKNOWN"), model=model,
                       series=f"events, {model}", x=n)  # fmt: skip


def _threads() -> Iterator[Case]:
    """Two threads with 48 620 executions, and more threads that each write a place of their own: as many executions."""
    for model in ("rc11", "power"):
        for n in (2, 3, 4, 6, 8, 10, 12, 14, 16):
            text = f"var x, y[{n}]\nthread W {{ for i in 1..9 {{ x := i }} }}\n"
            text += "thread R { for i in 1..9 { r := x } }\n"
            text += f"thread T(i in 1..{n - 2}) {{ y[i] := 1 }}\n" if n > 2 else ""
            command = fencepost("check", _program(f"threads-{n}", text), "--model", model, *WHOLE, "--json")
            yield Case(f"{n} threads {model}", tuple(command), 48620, model=model, series=f"threads, {model}", x=n)


def _executions() -> Iterator[Case]:
    path = str(HERE / "programs" / "readers.fp")
    for n in (10, 13, 16, 18, 20, 22, 24):
        command = fencepost("check", path, "--model", "rc11", *WHOLE, "--json", "--", f"-DN={n}")
        yield Case(f"2^{n} executions", tuple(command), 2**n, model="rc11", series="executions, rc11", x=2.0**n)


SUITES: dict[str, Callable[[], list[Case]]] = {
    "rcmc-tables": rcmc,
    "rsmc-table1": rsmc,
    "rocker-fig7": robustness,
    "power2sc-tables": bounded,
    "power2sc-scaling": bounded_scaling,
    "litmus": litmus,
    "algorithms": algorithms,
    "scaling": scaling,
}


def profiled() -> dict[str, list[str]]:
    """The commands whose hot path the results page shows: one relaxed, one SC-heavy, one POWER."""

    def check(name: str, program: str, model: str, *defines: str) -> tuple[str, list[str]]:
        path = str(HERE / "programs" / f"{program}.fp")
        return name, fencepost("check", path, "--model", model, *WHOLE, "--json", "--", *defines)

    return dict([
        check("relaxed: binc(5) under rc11", "binc", "rc11", "-DN=5"),
        check("SC-heavy: fib_bench(4) under sc", "fib_bench", "sc", "-DK=4", "-DLIMIT=55"),
        check("POWER: fib_bench(3), plain accesses", "fib_bench-plain", "power", "-DK=3", "-DLIMIT=21"),
    ])  # fmt: skip
