"""Results as a Markdown page with plots, and the comparison with an earlier run."""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import Any

from bench.plot import line_plot

Row = dict[str, Any]
#: A run counts as slower when its best time is beyond the earlier best by this much and by the spread of both.
NOISE = 0.15


def markdown(results: dict[str, Any], folder: Path) -> str:
    """The page; plots are written beside it."""
    m = results["machine"]
    lines = [
        "# Results",
        "",
        f"{m['cpu']}, {m['processors']} processors, Python {m['python']}, {m['date']}. CPU seconds of a whole command "
        f"with start-up, best of {results['repeats']}; spread is (worst - best) / best.",
    ]
    for suite, rows in results["suites"].items():
        lines += ["", f"## {suite}", ""]
        lines += _table(rows) if rows else ["No cases: what it measures is not installed or not there."]
        if any(r.get("x") for r in rows):
            lines += _plots(rows, folder)
    return "\n".join(lines) + "\n"


def _table(rows: list[Row]) -> list[str]:
    head = ["case", "executions", "result", "seconds", "spread", "MiB", "target", "paper", "ratio", "peers"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for r in rows:
        ratio = f"{r['paper'] / r['best']:.0f}x" if r.get("paper") else ""
        peers = ", ".join(f"{name} {p['cpu']:.2f} s ({p['cpu'] / r['best']:.0f}x)" for name, p in r["peers"].items())
        met = "" if r.get("target") is None else f"{r['target']} {'met' if r['best'] <= r['target'] else 'MISSED'}"
        cells = [
            r["case"], r.get("executions", ""), r["result"], f"{r['best']:.2f}", f"{100 * r['spread']:.0f}%",
            f"{r['memory']:.0f}", met, r.get("paper") or "", ratio, peers,
        ]  # fmt: skip
        lines.append("| " + " | ".join(str(c) if c is not None else "" for c in cells) + " |")
    counted = [f"- {r['case']}: {r['instructions']:,} instructions" for r in rows if r.get("instructions")]
    return [*lines, *(["", "By callgrind:", "", *counted] if counted else [])]


def _plots(rows: list[Row], folder: Path) -> list[str]:
    lines = []
    for kind in ("events", "threads", "executions"):
        chosen = [r for r in rows if r["series"].startswith(kind) and r.get("executions")]
        if len(chosen) < 2:
            continue
        names = dict.fromkeys(r["series"] for r in chosen)
        cost = {n: [(r["x"], _per_execution(r)) for r in chosen if r["series"] == n] for n in names}
        memory = {n: [(r["x"], r["memory"]) for r in chosen if r["series"] == n] for n in names}
        for what, unit, series in (("time", "µs per execution", cost), ("memory", "MiB", memory)):
            name = f"{kind}-{what}.svg"
            (folder / name).write_text(line_plot(f"{what} against {kind}", kind, unit, series))
            lines += ["", f"![{what} against {kind}]({name})"]
        lines += ["", *[f"- {n}: {_growth(p)}" for n, p in cost.items()]]
    return lines


def _per_execution(r: Row) -> float:
    return max(1e6 * float(r["seconds"]) / r["executions"], 1e-4)


def _growth(points: list[tuple[float, float]]) -> str:
    """The exponent of the best power law through the upper half of the points."""
    upper = points[len(points) // 2 :]
    xs, ys = [log(p[0]) for p in upper], [log(p[1]) for p in upper]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / sum((x - mean_x) ** 2 for x in xs)
    return f"time per execution grows as the power {slope:.2f}"


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
