"""Results as a Markdown page with plots, and the comparison with an earlier run."""

from __future__ import annotations

from math import log
from pathlib import Path
from statistics import median
from typing import Any

from bench.papers import tables
from bench.plot import line_plot
from bench.tables import EXPLANATION, paper_table, ratio
from bench.workloads import listed

Row = dict[str, Any]
#: A run counts as slower when its best time is beyond the earlier best by this much and by the spread of both.
NOISE = 0.15
#: What a peer's figure means that is written down in targets.toml.
ELSEWHERE = (
    "(elsewhere): GenMC 0.11, Nidhugg 0.4 and herd 7.58, measured once, before 2026-11-16, on another machine of this "
    "kind (AMD EPYC, two processors), without their start-up. No ratio: neither machine nor day is the same."
)
REDUCTIONS = (
    "[What reductions save](how/reductions.md#what-it-saves): executions and seconds with them and without, GenMC's "
    "figures beside, largest first. [What one execution costs](how/exploration.md#what-one-execution-costs): growth "
    "with events and with threads."
)


def markdown(results: dict[str, Any], folder: Path, notes: dict[str, str] | None = None, plots: str = "") -> str:
    """The page; plots are written to `folder`, which the page calls `plots`. `notes` are paragraphs by their place."""
    m, notes = results["machine"], notes or {}
    lines = [
        "# Results",
        "",
        f"{m['cpu']}, {m['processors']} processors, Python {m['python']}, {m['date']}. CPU seconds of a whole command "
        f"with start-up, best of at most {results['repeats']}; spread is (worst - best) / best. The papers' times are "
        "those of their machines: only the order of magnitude counts.",
        "",
        EXPLANATION,
        *(["", f"**{results['note']}**"] if results.get("note") else []),
        *_note(notes, "head"),
        *_targets(results, notes),
        "",
        "## Reductions and growth",
        "",
        REDUCTIONS,
    ]
    for suite, rows in results["suites"].items():
        lines += ["", f"## {suite}", *_when(results.get("dates", {}).get(suite), m["processors"]), *_note(notes, suite)]
        if not rows:
            lines += ["", "No cases: what it measures is not installed or not there."]
            continue
        shown = [paper_table(t, {r["case"]: r for r in rows}) for t in tables(suite)]
        lines += [line for table in shown for line in table] + listed(suite)
        lines += [*(["", f"### Every run of {suite}"] if any(shown) else []), *_table(rows), *_peers(rows)]
        if any(r.get("x") for r in rows):
            lines += _plots(rows, folder, plots)
    lines += _instructions(results) + _profiles(results, notes)
    return "\n".join(lines) + "\n"


def _when(ran: dict[str, Any] | None, processors: int) -> list[str]:
    """When a suite was measured, which peers were there, and what the machine did besides."""
    if ran is None:
        return []
    load, older = ran.get("load"), ran.get("older", 0)
    busy = "" if load is None else f" The load was {load:.1f} on {processors} processors"
    busy += "" if load is None else ", which makes CPU seconds longer." if load > processors else "."
    kept = f" {older} of its rows are older." if older else ""
    return ["", f"Measured {ran['date']}; peers on PATH: {', '.join(ran['peers']) or 'none asked'}.{busy}{kept}"]


def _note(notes: dict[str, str], place: str) -> list[str]:
    return ["", notes[place].strip()] if place in notes else []


def taken(r: Row) -> float:
    """The seconds that count against the target."""
    return float(r["wall"] if r.get("by_wall") else r["best"])


def _targets(results: dict[str, Any], notes: dict[str, str]) -> list[str]:
    """What we wanted, and where we miss it by how much and why."""
    rows = [r for suite in results["suites"].values() for r in suite if r.get("target") is not None]
    missed = [r for r in rows if taken(r) > r["target"] or r["result"] == "timeout"]
    lines = ["", "## Targets", "", f"{len(rows) - len(missed)} of {len(rows)} targets are met."]
    for r in missed:
        by = f"{taken(r):.2f} s instead of {r['target']} s"
        lines.append(f"- {r['case']} takes {by}. {notes.get('missed ' + r['case'], '')}".rstrip())
    return lines


def _table(rows: list[Row]) -> list[str]:
    """The details of every case."""
    head = {"case": True, "executions": "executions", "result": True, "seconds": True, "spread": True, "MiB": True,
            "target": "target", "peers": "peers"}  # fmt: skip
    used = [u is True or any(r.get(u) for r in rows) for u in head.values()]
    lines = ["", "| " + " | ".join(h for h, u in zip(head, used, strict=True) if u) + " |", "|" + "---|" * sum(used)]
    for r in rows:
        lines.append("| " + " | ".join(c for c, u in zip(_cells(r), used, strict=True) if u) + " |")
    return lines


def _cells(r: Row) -> list[str]:
    met = "" if r.get("target") is None else f"{r['target']} {'met' if taken(r) <= r['target'] else 'MISSED'}"
    over = "over " if r["result"] == "timeout" else ""
    waited = f" ({r['wall']:.1f} waited)" if r.get("by_wall") else ""
    spread = "one run" if r.get("runs") == 1 else f"{100 * r['spread']:.0f}%"
    shown = [
        r["case"], r.get("executions"), r["result"], f"{over}{r['best']:.2f}{waited}", spread,
        f"{r['memory']:.0f}", met, ", ".join(_peer(name, p, r) for name, p in r["peers"].items()),
    ]  # fmt: skip
    return [str(c) if c is not None else "" for c in shown]


def _is_elsewhere(found: dict[str, Any]) -> bool:
    """Whether a peer's figure was not measured in this run; then nothing is divided by ours."""
    return bool(found.get("elsewhere", "answer" not in found))


def _peer(name: str, found: dict[str, Any], r: Row) -> str:
    if _is_elsewhere(found):
        return f"{name} {found['cpu']:.1f} s (elsewhere)"
    over = bool(found.get("over"))
    count = found.get("executions")
    counted = f", {count:,} {found['counted']}" if count is not None and found.get("counted") else ""
    answer = f", DISAGREES: {found['answer']}" if found.get("answer") not in (None, r["result"]) else ""
    answer += f", {found['agree']:,} as expected" if "agree" in found else ""
    times = ratio(found["cpu"], r["best"], over)
    return f"{name} {'over ' if over else ''}{found['cpu']:.1f} s{counted}{answer} (×{times})"


def _peers(rows: list[Row]) -> list[str]:
    """How each peer that ran beside us compares on the median case."""
    lines = ["", ELSEWHERE] if any(_is_elsewhere(p) for r in rows for p in r["peers"].values()) else []
    for name in dict.fromkeys(n for r in rows for n, p in r["peers"].items() if not _is_elsewhere(p)):
        ran = [r for r in rows if name in r["peers"] and not _is_elsewhere(r["peers"][name])]
        ratios = [r["peers"][name]["cpu"] / r["best"] for r in ran]
        cut = sum(bool(r["peers"][name].get("over")) for r in ran)
        short = f" In {cut} of them it was stopped at its time limit, and that time counts." if cut else ""
        lines += ["", f"{name} takes {median(ratios):.1f} times our CPU time on the median of {len(ratios)} cases, "
                  f"{min(ratios):.1f} at the least.{short}"]  # fmt: skip
    return lines


def _plots(rows: list[Row], folder: Path, plots: str) -> list[str]:
    lines = []
    folder.mkdir(parents=True, exist_ok=True)
    for kind in ("events", "threads", "executions"):
        chosen = [r for r in rows if r["series"].startswith(kind) and r.get("executions")]
        if len(chosen) < 2:
            continue
        names = dict.fromkeys(r["series"] for r in chosen)
        cost = {n: [(r["x"], _per_execution(r)) for r in chosen if r["series"] == n] for n in names}
        memory = {n: [(r["x"], r["memory"]) for r in chosen if r["series"] == n] for n in names}
        for what, unit, series in (("time", "µs per execution", cost), ("memory", "MiB", memory)):
            name = f"{kind}-{what}.svg"
            named = {n.partition(", ")[2]: points for n, points in series.items()}
            (folder / name).write_text(line_plot(f"{what} against {kind}", kind, unit, named), encoding="utf-8")
            lines += ["", f"![{what} against {kind}]({plots}{name})"]
        lines += ["", *[f"- {n}: {_growth(cost[n], kind)}; {_memory(memory[n])}." for n in names]]
    return lines


def _per_execution(r: Row) -> float:
    return max(1e6 * float(r["seconds"]) / r["executions"], 1e-4)


def _growth(points: list[tuple[float, float]], kind: str) -> str:
    """The exponent of the best power law through the upper half of the points."""
    upper = points[len(points) // 2 :]
    xs, ys = [log(p[0]) for p in upper], [log(p[1]) for p in upper]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / sum((x - mean_x) ** 2 for x in xs)
    ends = f"{_round(upper[0][1])} µs at {upper[0][0]:,.0f}, {_round(upper[-1][1])} µs at {upper[-1][0]:,.0f}"
    return f"time per execution grows as the power {slope:.2f} of the number of {kind} ({ends})"


def _round(value: float) -> str:
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def _memory(points: list[tuple[float, float]]) -> str:
    low, high = min(p[1] for p in points), max(p[1] for p in points)
    return (
        f"memory stays at {high:.0f} MiB" if high < 1.15 * low + 2 else f"memory goes from {low:.0f} to {high:.0f} MiB"
    )


def _instructions(results: dict[str, Any]) -> list[str]:
    rows = [r for suite in results["suites"].values() for r in suite if r.get("instructions")]
    if not rows:
        return []
    lines = ["", "## Instructions", "", "By callgrind, the whole command: the same on every run, unlike the clock.", ""]
    return [*lines, *(f"- {r['case']}: {r['instructions']:,}" for r in rows)]


def _profiles(results: dict[str, Any], notes: dict[str, str]) -> list[str]:
    profiles = results.get("profiles", {})
    if not profiles:
        return []
    lines = [
        "",
        "## Where the time goes",
        "",
        "The share of the core's instructions by function (callgrind).",
        *_note(notes, "profiles"),
    ]
    for name, rows in profiles.items():
        lines += [
            "",
            f"### {name}",
            "",
            "| share | function |",
            "|---|---|",
            *(f"| {s:.1f}% | `{f}` |" for s, f in rows),
        ]
        lines += _note(notes, f"profile {name}")
    return lines


def compare(now: dict[str, Any], before: dict[str, Any]) -> list[str]:
    """One line per case that became slower or faster beyond noise, or whose result changed."""
    old = {(s, r["case"]): r for s, rows in before["suites"].items() for r in rows}
    lines = []
    for suite, rows in now["suites"].items():
        for r in rows:
            was = old.get((suite, r["case"]))
            if was is None:
                continue
            if (r["result"], r.get("executions")) != (was["result"], was.get("executions")):
                before_, now_ = (f"{x['result']} {x.get('executions')}" for x in (was, r))
                lines.append(f"CHANGED {suite} {r['case']}: {before_} -> {now_}")
            if r.get("instructions") and was.get("instructions") and r["instructions"] > 1.02 * was["instructions"]:
                lines.append(
                    f"SLOWER {suite} {r['case']}: {was['instructions']:,} -> {r['instructions']:,} instructions"
                )
            margin = NOISE + r["spread"] / 2 + was["spread"] / 2
            if r["best"] > was["best"] * (1 + margin) + 0.02:
                lines.append(f"SLOWER {suite} {r['case']}: {was['best']:.2f} s -> {r['best']:.2f} s")
            elif r["best"] < was["best"] * (1 - margin) - 0.02:
                lines.append(f"faster {suite} {r['case']}: {was['best']:.2f} s -> {r['best']:.2f} s")
    return lines
