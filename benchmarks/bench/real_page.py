"""The page about programs of public libraries, made from stored results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

Row = dict[str, Any]
DECIDED = ("PASS", "FAIL")
_HEAD = """\
# Public libraries

Programs that use public libraries, unmodified, as the libraries build them. This page is written by

    python benchmarks/real_code.py libvsync=PATH ck=PATH urcu=PATH SPSCQueue=PATH ...

from checkouts that the caller names. libvsync brings its own clients, with its own flags; the others are in
`benchmarks/real`. Decided is PASS or FAIL; a FAIL is an error of the program under that model, and the notes say what
it is. Times are CPU seconds of the whole command, with compilation; a program is given up after {limit} CPU
seconds.

| library | model | decided | PASS | FAIL | not decided |
|---|---|---|---|---|---|
"""
_SEEDS = """
## Seeded bugs

One memory order made relaxed, or one fence removed, at a time. Not used means that the program which is checked is the
same, instruction by instruction, with the change and without it: what `main` can come to does not use the line.

| program | model | changes | found | not used | pass | not decided |
|---|---|---|---|---|---|---|
{counts}
{found} of {total} are found. Those that pass though they change the program, and why:

| program | place | change | verdict | why |
|---|---|---|---|---|
"""


def page(
    stored: dict[str, Any], explained: Mapping[str, str] | None = None, places: Mapping[str, str] | None = None
) -> str:
    rows: list[Row] = sorted((_noted(r, places or {}) for r in stored["rows"]), key=_group)
    limits = sorted({r.get("limit", 60) for r in rows})
    parts = [_HEAD.format(limit=" or ".join(f"{limit:g}" for limit in limits))]
    parts += [_summary(*key, list(found)) for key, found in groupby(rows, _group)]
    parts.append(f"\nMeasured on {_machine(stored['machine'])}. {stored.get('remark', '')}".rstrip() + "\n")
    for library, found in groupby(rows, lambda r: r["library"]):
        parts.append(_library(str(library), list(found)))
    parts.append(_mutants(stored.get("seeds", []), explained or {}))
    return "".join(parts)


def _noted(row: Row, places: Mapping[str, str]) -> Row:
    return row | {"note": row["note"] or places.get(row.get("at") or "", "")}


def _machine(about: Any) -> str:
    return about if isinstance(about, str) else ", ".join(f"{key} {value}" for key, value in about.items())


def _group(row: Row) -> tuple[str, str]:
    return row["library"], row["model"]


def _summary(library: str, model: str, rows: list[Row]) -> str:
    counts = {v: sum(r["verdict"] == v for r in rows) for v in DECIDED}
    decided = sum(counts.values())
    return (f"| {library} | {model} | {decided} of {len(rows)} | {counts['PASS']} | {counts['FAIL']} "
            f"| {len(rows) - decided} |\n")  # fmt: skip


def _library(library: str, rows: list[Row]) -> str:
    head = f"\n## {library}\n\n| program | model | verdict | executions | CPU s | why |\n|---|---|---|---|---|---|\n"
    return head + "".join(_line(r) for r in rows)


def _line(row: Row) -> str:
    why = "" if row["verdict"] == "PASS" else _cell([row["why"], row["at"] if row.get("at") else "", row["note"]])
    name = row["name"] + (f" `{row['options']}`" if row["options"] else "")
    executions = "" if row["executions"] is None else row["executions"]
    return f"| {name} | {row['model']} | {row['verdict']} | {executions} | {row['cpu']:.1f} | {why} |\n"


def _cell(parts: Iterable[str]) -> str:
    return "; ".join(p.replace("|", "\\|") for p in parts if p)


def _mutants(seeds: list[Row], explained: Mapping[str, str]) -> str:
    if not seeds:
        return ""
    seeds = sorted(seeds, key=lambda s: (s["library"], s["name"], s["model"]))
    by_program = groupby(seeds, lambda s: (s["name"], s["model"]))
    counts = "".join(_count(name, model, list(found)) for (name, model), found in by_program)
    caught = sum(s["verdict"] == "FAIL" for s in seeds)
    head = _SEEDS.format(found=caught, total=sum(not s.get("unused") for s in seeds), counts=counts)
    return head + "".join(_seed(s, explained) for s in seeds if s["verdict"] != "FAIL" and not s.get("unused"))


def _count(name: str, model: str, seeds: list[Row]) -> str:
    found = sum(s["verdict"] == "FAIL" for s in seeds)
    unused = sum(bool(s.get("unused")) for s in seeds)
    passed = sum(s["verdict"] == "PASS" for s in seeds) - unused
    rest = len(seeds) - found - unused - passed
    return f"| {name} | {model} | {len(seeds)} | {found} | {unused} | {passed} | {rest} |\n"


def why_passed(seed: Row, explained: Mapping[str, str]) -> str:
    """The argument for a planted bug that passes; empty where there is none."""
    return explained.get(f"{seed['name']} {seed['place']}") or explained.get(seed["place"], "")


def _seed(seed: Row, explained: Mapping[str, str]) -> str:
    why = why_passed(seed, explained) or "not explained"
    return f"| {seed['name']} | {seed['place']} | {_cell([seed['change']])} | {seed['verdict']} | {_cell([why])} |\n"
