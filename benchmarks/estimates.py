"""Holds estimates against the true numbers of executions.

    python benchmarks/estimates.py [--seconds 0.5] [--limit 20] [--write] [NAME ...]

With --write the table goes into docs/how/estimates.md. Each program is counted by `check` and estimated from nothing.
The first ones are the programs of the papers, on which the method was chosen; the others it had not seen: the
algorithms in C, and programs that are written here."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import fencepost
from fencepost.verdict import Answer, Estimate

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "how" / "estimates.md"
BEGIN, END = "<!-- measured: benchmarks/estimates.py --write -->\n", "<!-- end -->\n"
PAPERS = [
    ("readers", 18, "rc11"), ("lastzero", 13, "rc11"), ("binc", 5, "rc11"), ("binc", 6, "sc"), ("casw", 5, "rc11"),
    ("casw", 6, "rc11"), ("ainc", 9, "rc11"), ("indexer", 15, "rc11"), ("casrot", 9, "rc11"), ("fib_bench", 4, "rc11"),
    ("fib_bench", 4, "sc"), ("casw", 5, "wrc11"), ("lastzero", 12, "tso"), ("readers", 12, "ra"),
]  # fmt: skip
HARDWARE = [
    ("readers", 12, "power"), ("lastzero", 9, "armv8"), ("lastzero", 8, "power"), ("casw", 4, "armv8"),
    ("casw", 4, "riscv"), ("ainc", 6, "riscv"), ("binc", 4, "imm"), ("fib_bench", 3, "power"),
    ("fib_bench", 3, "armv8"), ("casrot", 6, "power"), ("indexer", 13, "armv7"),
]  # fmt: skip

OTHERS = {
    "adds": "var x\nthread T(i in 1..3) { for k in 1..5 { r := FADD(x, 1) } }\n",
    "stores": "var x\nthread T(i in 1..4) { x := i; x := 10 + i; r := x }\n",
    "two-locations": "var x, y\nthread A(i in 1..3) { x := i; r := y }\nthread B(i in 1..3) { y := i; r := x }\n",
    "chain": "var a, b, c\nthread A(i in 1..3) { a := i; r := b }\nthread B(i in 1..3) { b := i; r := c }\n"
    "thread C(i in 1..2) { c := i; r := a }\n",
    "exchanges": "var x\nthread T(i in 1..4) { r := XCHG(x, i); s := XCHG(x, 10 + i) }\n",
    "compare": "var x\nthread T(i in 1..5) { r := CAS(x, i - 1, i); s := x; x := 20 + i }\n",
    "many-reads": "var x\nthread A(i in 1..3) { x := i }\nthread B { r1 := x; r2 := x; r3 := x; r4 := x; r5 := x }\n"
    "thread C { s1 := x; s2 := x; s3 := x; s4 := x; s5 := x }\n",
    "waits": "var x, y\nthread A(i in 1..5) { x := i; r := y }\nthread B { wait(x == 2); y := 1 }\n"
    "thread C { y := 2 }\n",
    "mutexes": "var m, x\nthread T(i in 1..7) { BCAS(m, 0, 1); x := x + 1; m := 0 }\n",
}


def programs(folder: Path) -> Iterator[tuple[str, Path, list[str], str]]:
    for name, n, model in PAPERS + HARDWARE:
        flag = "K" if name == "fib_bench" else "N"
        yield f"{name}({n}) {model}", HERE / "programs" / f"{name}.fp", [f"-D{flag}={n}"], model
    for name, text in OTHERS.items():
        path = folder / f"{name}.fp"
        path.write_text(text)
        for model in ("rc11", "sc"):
            yield f"{name} {model}", path, [], model
    for path in sorted((HERE / "algorithms").glob("*/*.c")):
        yield path.stem, path, [], "rc11"


@dataclass
class Row:
    """A program that was counted; `found` is None where its estimate found nothing."""

    title: str
    true: int
    found: Estimate | None

    @property
    def guess(self) -> float:
        if self.found is None:
            return 0.0
        return self.found.low if self.found.executions is None else self.found.executions

    @property
    def factor(self) -> float:
        return max(self.guess / self.true, self.true / self.guess) if self.guess else float("inf")

    @property
    def trusted(self) -> bool:
        return self.found is not None and self.found.executions is not None

    @property
    def holds(self) -> bool:
        """Whether the truth is in the interval, or above the lower bound where that is all that is told."""
        return self.found is not None and self.found.low <= self.true <= (self.found.high or float("inf"))

    def __str__(self) -> str:
        off = f"{self.factor:.2f}" if self.guess else ""
        return f"| {self.title} | {self.true:,} | {self.found or 'none'} | {off} | {'yes' if self.holds else 'no'} |"


def compared(title: str, path: Path, flags: list[str], model: str, asked: argparse.Namespace) -> Row | None:
    """None where the program is small, or is not counted in the time."""
    verdict = fencepost.check(
        path, flags=flags, model=model, time_limit=asked.limit, fix=False, keep_going=True, reductions=False
    )  # an estimate is of all executions
    true = verdict.executions + verdict.blocked
    if true < 1000 or (verdict.answer is Answer.UNKNOWN and "estimate" in verdict.extra):
        return None
    return Row(title, true, fencepost.estimate(path, flags=flags, model=model, seconds=asked.seconds))


def summary(rows: list[Row]) -> str:
    trusted = [r for r in rows if r.trusted]
    return (
        f"{len(rows)} programs: {sum(r.factor <= 3 for r in rows)} within a factor of 3 (lower bounds included), "
        f"{sum(r.holds for r in rows)} with the truth in their interval or above their lower bound; {len(trusted)} "
        f"trusted, {sum(r.factor <= 3 for r in trusted)} of them within a factor of 3, "
        f"{sum(r.holds for r in trusted)} in their interval."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for title, path, flags, model in programs(Path(folder)):
            if asked.names and not any(name in title for name in asked.names):
                continue
            try:
                row = compared(title, path, flags, model, asked)
            except fencepost.FencepostError as error:
                print(f"{title}: {error}")
                continue
            if row is not None:
                rows.append(row)
                print(row, flush=True)
    print(summary(rows))
    if asked.write:
        rows.sort(key=lambda r: -r.true)
        lines = ["| program | executions | estimate | off by | holds |", "|---|---|---|---|---|", *map(str, rows)]
        text = f"{summary(rows)} Each estimate had {asked.seconds:g} seconds.\n\n" + "\n".join(lines) + "\n"
        page = PAGE.read_text(encoding="utf-8")
        start, end = page.index(BEGIN) + len(BEGIN), page.index(END)
        PAGE.write_text(page[:start] + text + page[end:], encoding="utf-8")


if __name__ == "__main__":
    main()
