"""The algorithms behind the tables of the RSMC and Power2SC papers, written as they were published, and what comes out:
python benchmarks/natural/table.py [--limit SECONDS] [--page docs/natural.md]

The papers do not print their programs. The ones of benchmarks/power and benchmarks/bounded were written towards the
papers' figures; these were not. So the figures of the papers stand beside ours without a ratio.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import fencepost.api as api
from fencepost.errors import FencepostError
from fencepost.reasons import Code
from fencepost.verdict import Answer, Verdict

HERE = Path(__file__).parent
_WHY = {Code.LIMIT: "time", Code.BOUND: "every execution reaches the bound of a loop"}
LARGEST = 4


@dataclass(frozen=True, slots=True)
class Row:
    """`bound`: of the loops. `traces`: of the RSMC paper's fenced version. `contexts`: CB of the Power2SC one; `tried`:
    the contexts to look for a violation in. `source`: where it is, if not here."""

    name: str
    bound: int = 8
    unsafe: tuple[str, ...] = ()
    safe: tuple[str, ...] = ("-DFENCED",)
    traces: str = "–"
    contexts: str = "–"
    tried: str = f"1..{LARGEST}"
    source: str = ""

    @property
    def path(self) -> Path:
        return HERE / (self.source or f"{self.name}.c")


ROWS = (
    Row("bakery", contexts="3"),
    Row("burns", contexts="3"),
    Row("dcl", 7, traces="7", source="../power/dcl_singleton.c", tried=""),
    Row("dekker", 10, traces="246", contexts="2"),
    Row("dijkstra", contexts="3"),
    Row("fib", unsafe=("-DUNSAFE", "-DJOIN"), safe=("-DJOIN",), traces="19,404", contexts="6", tried="10"),
    Row("indexer", 20, safe=(), traces="19", source="../power/indexer.c", tried=""),
    Row("lamport", traces="50", contexts="3"),
    Row("parker", 5, traces="1,126", source="../power/parker.c", tried=""),
    Row("peterson", traces="10", contexts="3"),
    Row("peterson3", contexts="4"),
    Row("pgsql", traces="16", contexts="2"),
    Row("pgsql_bnd", unsafe=("-DROUNDS=2",), safe=("-DFENCED", "-DROUNDS=2"), traces="> 36,211", contexts="2",
        source="pgsql.c"),
    Row("simple_dekker", contexts="2"),
    Row("stack", unsafe=("-DUNSAFE",), safe=(), traces="1,005", tried=""),
    Row("szymanski", traces="226", contexts="4"),
)  # fmt: skip


def _told(verdict: Verdict) -> str:
    """The answer with its figures: `PASS 4 + 6` has 4 executions and 6 blocked ones; where there is none, why."""
    blocked = f" + {verdict.blocked:,}" if verdict.blocked else ""
    codes = {reason.code for reason in verdict.reasons} if verdict.answer is Answer.UNKNOWN else set()
    why = next((f" ({_WHY[code]})" for code in _WHY if code in codes), "")
    return f"{verdict.answer.value} {verdict.executions:,}{blocked}{why}"


def checked(row: Row, flags: tuple[str, ...], limit: float, *, waits: bool) -> str:
    started = process_time()
    verdict = api.check(
        row.path, flags=flags, model="power", unroll=row.bound, spin_detection=waits, time_limit=limit, fix=False
    )
    return f"{_told(verdict)}, {process_time() - started:.1f} s"


def smallest(row: Row, limit: float) -> str:
    """The smallest number of contexts within which the program without fences fails."""
    if not row.tried:
        return "–"
    verdict = api.bounded(row.path, flags=row.unsafe, contexts=row.tried, unroll=row.bound, time_limit=limit)
    answer = verdict.answer.value
    return f"{verdict.extra['contexts']}" if answer == "FAIL" else f"{answer} up to {verdict.extra['contexts']}"


def held(row: Row, contexts: str, limit: float) -> str:
    if not contexts.isdigit():
        return "–"
    verdict = api.bounded(row.path, flags=row.safe, contexts=contexts, unroll=row.bound, time_limit=limit)
    return f"{verdict.answer.value}, {verdict.seconds:.0f} s"


HEAD = (
    "| program | loop bound | without fences | fenced, waiting loops wait | fenced, every loop unrolled"
    " | traces in the RSMC paper | contexts that it takes | fenced within them | CB in the Power2SC paper |\n|"
    + "---|"
    * 9
)


def line(row: Row, limit: float) -> str:
    contexts = smallest(row, limit)
    cells = [
        row.name, str(row.bound), checked(row, row.unsafe, limit, waits=True),
        checked(row, row.safe, limit, waits=True), checked(row, row.safe, limit, waits=False), row.traces,
        contexts, held(row, contexts, limit), row.contexts,
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def with_rows(page: str, found: dict[str, str]) -> str:
    """The page with these rows; those of other programs stay."""
    before, _, rest = page.partition("<!-- table -->\n")
    table, _, after = rest.partition("<!-- end -->")
    old = {cells[1].strip(): text for text in table.splitlines()[2:] if len(cells := text.split("|")) > 1}
    rows = [known[row.name] for known in [old | found] for row in ROWS if row.name in known]
    return before + "<!-- table -->\n" + "\n".join([HEAD, *rows]) + "\n<!-- end -->" + after


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each question")
    parser.add_argument("--only", default="", help="one program")
    parser.add_argument("--page", type=Path, help="write the table into this page, between its two marks")
    options = parser.parse_args()
    found = {}
    print(HEAD, flush=True)
    for row in ROWS:
        if options.only in ("", row.name):
            try:
                found[row.name] = line(row, options.limit)
            except FencepostError as error:
                found[row.name] = f"| {row.name} | | {error} |"
            print(found[row.name], flush=True)
    if options.page:
        text = options.page.read_text(encoding="utf-8")
        options.page.write_text(with_rows(text, found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
