"""What is measured. A suite is a list of cases; a case is a command and what its result should be."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench.measure import fencepost

HERE = Path(__file__).parent.parent
ROOT = HERE.parent
CORPUS = Path(os.environ.get("FENCEPOST_CORPUS", ROOT.parent / "shared" / "corpus" / "litmus"))


@dataclass(frozen=True, slots=True)
class Case:
    """`executions` and `verdict` are what must come out (None: no expectation). `target`: the seconds we want. `paper`
    and `peers`: seconds that others took, where that is known. `c`: the same program in C, for peers. `x`: the place
    on the horizontal axis, where the suite is a plot."""

    name: str
    command: tuple[str, ...]
    executions: int | None = None
    verdict: str | None = None
    target: float | None = None
    paper: float | None = None
    peers: dict[str, float] = field(default_factory=dict)
    c: tuple[str, ...] = ()
    model: str = ""
    series: str = ""
    x: float | None = None
    count_instructions: bool = False


def from_table(name: str) -> list[Case]:
    """The cases of targets.toml under this suite; their counts come from counts.toml."""
    counts = tomllib.loads((HERE / "counts.toml").read_text())["case"]
    cases = []
    for row in tomllib.loads((HERE / "targets.toml").read_text())[name]:
        defines = [f"-D{k}={v}" for k, v in row["with"].items()]
        expected = [
            c["counts"].get(row["model"]) for c in counts if (c["program"], c["with"]) == (row["program"], row["with"])
        ]
        command = fencepost(
            "check", str(HERE / "programs" / f"{row['program']}.fp"), "--model", row["model"], "--json", "--", *defines
        )
        source = HERE / "programs" / "c" / f"{row['program']}.c"
        inside = ",".join(str(v) for k, v in row["with"].items() if k not in ("LIMIT",))
        cases.append(
            Case(
                f"{row['program']}({inside}) {row['model']}", tuple(command), expected[0] if expected else None, None,
                row.get("target"), row.get("paper"), row.get("peers", {}),
                (str(source), *defines) if source.exists() else (), row["model"],
                count_instructions=row.get("instructions", False),
            )
        )  # fmt: skip
    return cases


def table1() -> list[Case]:
    """Table 1 of the RSMC paper: counted programs, and C programs with and without fences."""
    cases = from_table("rsmc-table1")
    for row in tomllib.loads((HERE / "power" / "table1.toml").read_text())["program"]:
        flags = row.get("flags", [])
        unroll = ["--unroll", str(row["bound"])] if "bound" in row else []
        source = str(HERE / "power" / f"{row['source']}.c")
        command = fencepost("check", source, "--model", "power", *unroll, "--json", "--", *flags)
        cases.append(
            Case(
                row["name"], tuple(command), row.get("executions"), row["verdict"], None, row.get("paper"), {},
                (source, *flags), "power",
            )
        )  # fmt: skip
    return cases


def litmus() -> list[Case]:
    """Whole tables of the corpus, each in one command."""
    cases = []
    for table in sorted(CORPUS.glob("*.expected.csv")):
        arch, model = table.name.split(".")[:2]
        command = fencepost("litmus", "--model", model, "--expected", str(table), "--quiet", "--json")
        cases.append(Case(f"{arch} under {model}", tuple(command), model=model))
    return cases


#: Fig. 7 of the Rocker paper: what is not robust against release/acquire; every other program of the folder is.
NOT_ROBUST = frozenset({
    "dekker-sc", "peterson-sc", "peterson-tso", "peterson-ra-bratosz", "lamport2-sc", "lamport2-tso",
    "cilk-the-wsq-sc", "chase-lev-sc", "chase-lev-tso", "sb", "iriw", "2+2w", "barrier-busy",
})  # fmt: skip


def robustness() -> list[Case]:
    cases = []
    for path in sorted((HERE / "robustness").glob("*.fp")):
        verdict = "FAIL" if path.stem in NOT_ROBUST else "PASS"
        cases.append(Case(path.stem, tuple(fencepost("robust", str(path), "--json")), verdict=verdict))
    return cases


def bounded() -> list[Case]:
    """Tables 3 and 4 of the Power2SC paper; the rows are those of bounded/tables.py."""
    from bounded.tables import LOOP_BOUND, ROWS

    cases = []
    for name, contexts, unsafe, safe in ROWS:
        for kind, verdict, seconds in (("unsafe", "FAIL", unsafe), ("safe", "PASS", safe)):
            path = str(HERE / "bounded" / f"{name}-{kind}.c")
            limits = ("--contexts", str(contexts), "--unroll", str(LOOP_BOUND))
            paper = float(seconds) if seconds.isdigit() else None
            command = fencepost("bounded", path, *limits, "--json")
            cases.append(Case(f"{name} {kind}", tuple(command), verdict=verdict, paper=paper))
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
    """readers(8) with a first thread that writes many other locations before: 256 executions of many events."""
    for model in ("rc11", "power"):
        for n in (10, 20, 50, 100, 200, 500, 1000, 2000):
            text = f"var x, a[{n}]\nthread W {{ for i in 0..{n - 1} {{ a[i] := 1 }}; x.rel := 1 }}\n"
            text += "thread R(i in 1..8) { r := x.acq }\n"
            path = _program(f"events-{n}", text)
            command = fencepost("check", path, "--model", model, "--json")
            yield Case(f"{n} events {model}", tuple(command), 256, model=model, series=f"events, {model}", x=n)


def _threads() -> Iterator[Case]:
    path = str(HERE / "programs" / "readers.fp")
    for n in (2, 3, 4, 6, 8, 10, 12, 14, 16):
        command = fencepost("check", path, "--model", "rc11", "--json", "--", f"-DN={n - 1}")
        yield Case(f"{n} threads", tuple(command), 2 ** (n - 1), model="rc11", series="threads, rc11", x=n)


def _executions() -> Iterator[Case]:
    path = str(HERE / "programs" / "readers.fp")
    for n in (10, 13, 16, 18, 20, 22, 23):
        command = fencepost("check", path, "--model", "rc11", "--json", "--", f"-DN={n}")
        yield Case(f"2^{n} executions", tuple(command), 2**n, model="rc11", series="executions, rc11", x=2.0**n)


SUITES: dict[str, Callable[[], list[Case]]] = {
    "rcmc-tables": lambda: from_table("rcmc-tables"),
    "rsmc-table1": table1,
    "rocker-fig7": robustness,
    "power2sc-tables": bounded,
    "litmus": litmus,
    "algorithms": algorithms,
    "scaling": scaling,
}
