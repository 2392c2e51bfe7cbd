"""The tables of the papers, as papers.toml has them: what they report, and which run of ours answers each column."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

Value = str | int | float
FILE = Path(__file__).parent.parent / "papers.toml"


@dataclass(frozen=True, slots=True)
class Column:
    """`what`: seconds; executions (which must be ours, too); explored and wasted (how many executions the other tool
    looked at, and how many of no use: a matter of its algorithm); duplicates (executions met again, which must be ours,
    too); verdict; states; text, which is only shown.
    `also`: other runs with the same number of executions."""

    head: str
    run: str = ""
    what: str = "seconds"
    also: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    suite: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, tuple[Value, ...]], ...]
    note: str = ""
    limit: float = 0.0

    def asked(self) -> Iterator[tuple[str, str]]:
        """Each row with each of the runs that answer it."""
        runs = dict.fromkeys(c.run for c in self.columns if c.run)
        return ((label, run) for label, _ in self.rows for run in runs)

    def expected(self, what: str) -> dict[str, Value]:
        """The values of this kind, by the case that must have them."""
        at = [(k, run) for k, c in enumerate(self.columns) if c.what == what for run in (c.run, *c.also.split())]
        return {case(label, run): v[k] for label, v in self.rows for k, run in at if v[k] not in ("", "✗⋆")}

    def column(self, head: str) -> dict[str, Value]:
        """One column, by the label of the row."""
        at = [c.head for c in self.columns].index(head)
        return {label: values[at] for label, values in self.rows}

    def seconds(self, value: Value) -> tuple[float | None, bool]:
        """Their seconds, and whether they needed more; a range counts as its middle."""
        if value == "t/o":
            return self.limit, True
        if isinstance(value, str):
            low, _, high = value.lstrip("*~").partition("-")
            return ((float(low) + float(high or low)) / 2 if low else None), False
        return float(value), False


def case(label: str, run: str) -> str:
    """The name of the case that answers a row by this run."""
    return f"{label} {run}"


@cache
def tables(suite: str) -> tuple[Table, ...]:
    found = tomllib.loads(FILE.read_text(encoding="utf-8"))["table"]
    return tuple(_table(dict(t)) for t in found if t["suite"] == suite)


def _table(t: dict[str, Any]) -> Table:
    columns = tuple(Column(**c) for c in t.pop("columns"))
    rows = tuple((r[0], tuple(r[1:])) for r in t.pop("rows"))
    for label, values in rows:
        assert len(values) == len(columns), f"{t['title']}, {label}: one value for each column"
    return Table(columns=columns, rows=rows, **t)
