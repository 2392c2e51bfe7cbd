"""The tables of the papers in their own shape, with our figures in every cell."""

from __future__ import annotations

from typing import Any

from bench.papers import Column, Table, Value, case
from bench.workloads import is_same

Row = dict[str, Any]
EXPLANATION = (
    "Tables have the shape that they have in their paper. A cell with seconds is: theirs on their machine / **ours** (×"
    " how many times ours). The ratio is there only where both ran the same workload; a row marked `own` is a version"
    " of ours, and only the answers can be compared. A cell with a number of executions or states: theirs / **ours**."
    " t/o: they needed more than their time limit. \\*: a violation was found. A struck out figure belongs to an answer"
    " that the paper calls wrong. A dash: the paper has no figure. UNKNOWN: ours ended without an answer."
)


def paper_table(table: Table, rows: dict[str, Row]) -> list[str]:
    """`rows`: what was measured, by case."""
    if not any(case(label, run) in rows for label, run in table.asked()):
        return []
    lines = ["", f"### {table.title}", *(["", table.note] if table.note else []), ""]
    lines += ["| | " + " | ".join(c.head for c in table.columns) + " |", "|---|" + "---|" * len(table.columns)]
    for label, values in table.rows:
        cells = [
            _cell(table, label, c, v, rows.get(case(label, c.run))) for c, v in zip(table.columns, values, strict=True)
        ]
        mark = "" if is_same(table.suite, label) else " `own`"
        lines.append(f"| {label}{mark} | " + " | ".join(cells) + " |")
    return lines


def _cell(table: Table, label: str, column: Column, value: Value, row: Row | None) -> str:
    if column.what == "text":
        return str(value)
    ours = "not run" if row is None else _ours(column.what, row)
    shown = _theirs(table, value)
    timed = column.what == "seconds" and row is not None and is_same(table.suite, label, column.run)
    return f"{shown} / **{ours}**" + (_times(table, value, row) if timed and row else "")


def _ours(what: str, row: Row) -> str:
    if row["result"] == "timeout":
        return f"over {row['best']:.0f}"
    if what == "seconds":
        return f"{'' if _answered(row) else 'UNKNOWN in '}{row['best']:.2f}"
    if what == "verdict":
        return {"PASS": "✓", "FAIL": "✗"}.get(row["result"], row["result"])
    figure = row.get({"wasted": "blocked", "states": "states", "duplicates": "duplicates"}.get(what, "executions"))
    return "?" if figure is None else f"{figure:,}"


def _answered(row: Row) -> bool:
    """Also a case that should have an answer may have none, and is marked for that."""
    return "UNKNOWN" not in row["result"]


def _theirs(table: Table, value: Value) -> str:
    if value == "":
        return "–"
    if value == "t/o":
        return f"t/o {table.limit:.0f}"
    if isinstance(value, str):
        return f"~~{value[1:]}~~" if value.startswith("~") else value.replace("*", "\\*")
    return f"{value:,}"


def _times(table: Table, value: Value, row: Row) -> str:
    theirs, over = table.seconds(value) if value != "" else (None, False)
    if not theirs or row["result"] == "timeout" or not _answered(row):
        return ""
    return f" (×{ratio(theirs, row['best'], over)})"


def ratio(theirs: float, ours: float, over: bool = False) -> str:
    times = theirs / ours
    return f"{'>' if over else ''}{times:.1f}" if times < 10 else f"{'>' if over else ''}{times:,.0f}"
