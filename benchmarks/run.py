"""Runs the benchmarks and writes results.json, results.md and plots.

    python benchmarks/run.py --quick --page                     # every table of the papers, and docs/results.md
    python benchmarks/run.py rcmc-tables rsmc-table1            # some suites
    python benchmarks/run.py --all --repeats 5 --out benchmarks/results
    python benchmarks/run.py rcmc-tables --against earlier.json # exit code 1 where something became slower or wrong
    python benchmarks/run.py rcmc-tables --with-peers           # the same sources through the tools on PATH, in turn
    python benchmarks/run.py --quick --page --resume            # goes on where a run ended
    python benchmarks/run.py --list

A case whose count or verdict is not what it must be is marked WRONG, and the exit code is 1. With --with-peers genmc,
nidhugg, herd7, spin, cbmc and dartagnan run beside us where they are on PATH. --instructions adds callgrind counts for
a few fixed cases and profiles of three. Times are CPU seconds of the whole command: on a machine that does nothing else
they are the time one waits. Ctrl-C ends the run and keeps what was measured (exit code 130); so does a kill, but for
the last seconds. --resume measures only what was not measured yet of this code; every row keeps its date. --quick
begins no case after 20 minutes (--minutes): the rows of the others stay, and the page counts them as older.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import tomllib
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from bench import peers, resume
from bench.measure import Sample, instructions, machine, parsed, profile, run_once
from bench.report import compare, markdown
from bench.suites import HERE, ROOT, SUITES, Case, profiled

STORED = HERE / "results.json"  # what docs/results.md shows
INTERRUPTED = 130
QUICK_MINUTES = 20.0
_SAVED_EVERY = 5.0  # seconds


class BadResultsError(Exception):
    """A file that should hold earlier results does not."""


def earlier(path: Path) -> dict[str, Any]:
    """The results of an earlier run."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise BadResultsError(f"{path}: {getattr(problem, 'strerror', None) or problem}") from None
    if not text.strip():
        raise BadResultsError(f"{path} is empty: expected the results.json of an earlier run")
    try:
        found = json.loads(text)
    except json.JSONDecodeError as problem:
        raise BadResultsError(f"{path}:{problem.lineno}:{problem.colno}: not JSON: {problem.msg}") from None
    suites = found.get("suites") if isinstance(found, dict) else None
    rows = [r for s in suites.values() for r in s] if isinstance(suites, dict) else None
    needed = {"case", "best", "spread", "result", "memory", "peers"}
    if rows is None or not all(isinstance(r, dict) and needed <= r.keys() for r in rows):
        raise BadResultsError(
            f"{path}: not the results of an earlier run: expected suites of rows, as --out writes them"
        )
    return found


def measure(case: Case, options: argparse.Namespace, enough: float) -> dict[str, Any]:
    """One case: ourselves and the peers in turn, several times each."""
    limit = case.limit or options.timeout
    samples: list[Sample] = []
    known = {n: {"cpu": s, "executions": None, "elsewhere": True} for n, s in case.peers.items()}
    with tempfile.TemporaryDirectory(prefix="fencepost-") as folder:
        asked = peers.prepared(case, Path(folder)) if options.with_peers else []
        answers: dict[str, list[dict[str, Any]]] = {peer.name: [] for peer, _ in asked}
        while not samples or (len(samples) < options.repeats and sum(s.cpu for s in samples) < enough):
            samples.append(run_once(case.command, limit))
            for peer, command in asked:
                if sum(a["cpu"] for a in answers[peer.name]) < max(enough, options.peer_timeout):
                    answers[peer.name].append(peers.ask(peer, command, case, options.peer_timeout))
    best = min(samples, key=lambda s: s.cpu)
    found = parsed(best.output)
    row = {
        "case": case.name, "best": best.cpu, "wall": min(s.wall for s in samples), "memory": best.memory,
        "spread": (max(s.cpu for s in samples) - best.cpu) / best.cpu, "runs": len(samples),
        "seconds": found.get("seconds", best.wall), "executions": found.get("executions"),
        "blocked": found.get("blocked"), "result": _result(case, best, limit, found), "target": case.target,
        "date": time.strftime("%Y-%m-%d %H:%M"), "load": os.getloadavg()[0], "key": resume.key(case, options.asked),
        "states": found.get("states"), "duplicates": found.get("duplicates"),
        "by_wall": case.wall, "series": case.series, "x": case.x,
        "peers": known | {name: min(runs, key=lambda a: a["cpu"]) for name, runs in answers.items()},
    }  # fmt: skip
    if options.instructions and case.count_instructions:
        row["instructions"] = instructions(case.command)
    return row


def _result(case: Case, sample: Sample, limit: float, found: dict[str, Any]) -> str:
    verdict = str(found.get("verdict") or ("PASS" if sample.code == 0 else f"exit {sample.code}"))
    # a limit may also end a process that the command started, such as a solver; then the command says UNKNOWN
    if sample.code == -9 or (verdict == "UNKNOWN" and sample.cpu >= limit):
        return "timeout"
    counted = (case.executions, found.get("executions")), (case.duplicates, found.get("duplicates"))
    right = all(a in (None, b) for a, b in counted) and (not case.verdicts or verdict in case.verdicts)
    stopped = verdict not in ("PASS", "BOUNDED")  # a run that fails or gives up stops counting
    if right or (stopped and verdict in case.verdicts):
        return verdict
    expected = " or ".join(case.verdicts) + (f" {case.executions}" if case.executions is not None else "")
    return f"WRONG ({verdict} {found.get('executions')}; expected {expected})"


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"any of {', '.join(SUITES)}")
    parser.add_argument("--all", action="store_true", help="every suite")
    parser.add_argument("--quick", action="store_true", help="every suite, but few repeats and short limits")
    parser.add_argument("--page", action="store_true",
                        help="store the results of the suites that ran and rewrite docs/results.md")  # fmt: skip
    parser.add_argument("--render", action="store_true", help="only rewrite docs/results.md from the stored results")
    parser.add_argument("--only", default="", metavar="TEXT", help="the cases whose name contains this")
    parser.add_argument("--list", action="store_true", help="only list the cases")
    parser.add_argument("--repeats", type=_positive(int), help="runs of a case, of which the best counts (3)")
    parser.add_argument("--enough", type=_positive(float), default=20.0,
                        help="CPU seconds of one case after which no repeat begins")  # fmt: skip
    parser.add_argument("--timeout", type=_positive(float), default=120.0, help="seconds for one run")
    parser.add_argument("--peer-timeout", type=_positive(float), default=60.0, help="seconds for one run of a peer")
    parser.add_argument("--minutes", type=_positive(float),
                        help=f"begin no case after so many minutes (with --quick {QUICK_MINUTES:.0f})")  # fmt: skip
    parser.add_argument("--resume", action="store_true",
                        help="keep what an earlier run measured of the same code, with its date")  # fmt: skip
    parser.add_argument("--with-peers", action="store_true", help="run the peers on PATH beside us")
    parser.add_argument("--instructions", action="store_true", help="callgrind counts and profiles")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    parser.add_argument("--against", type=Path, help="an earlier results.json")
    return parser


def _positive(kind: type[int] | type[float]) -> Any:
    def read(text: str) -> float:
        value = kind(text)
        if not value > 0:
            raise argparse.ArgumentTypeError(f"{text}: must be positive")
        return value

    read.__name__ = "whole number" if kind is int else "number"  # what argparse calls it in its message
    return read


def main() -> int:
    parser = arguments()
    options = parser.parse_args()
    unknown = [s for s in options.suites if s not in SUITES]
    if unknown or not (options.suites or options.all or options.list or options.quick or options.render):
        parser.error(f"no suite {', '.join(unknown)}" if unknown else "name a suite, or --all, or --quick")
    try:
        before = earlier(options.against) if options.against else None
        if options.render:
            render()
            return 0
    except BadResultsError as problem:
        parser.error(str(problem))
    options.repeats = options.repeats or 3
    if options.quick:
        options.enough = 0.3
        options.minutes = options.minutes or QUICK_MINUTES
        options.timeout, options.peer_timeout = min(options.timeout, 20.0), min(options.peer_timeout, 12.0)
    if options.with_peers:
        there = peers.installed()
        print(*(f"{name}: {where}" for name, where in there.items()), sep="\n", end="\n" if there else "")
        if not there:
            parser.error(f"none of {', '.join(p.program for p in peers.PEERS)} is on PATH")
    chosen = {s: [c for c in SUITES[s]() if options.only in c.name] for s in options.suites or SUITES}
    if options.only and not any(chosen.values()):
        parser.error(f"no case of {', '.join(chosen)} has {options.only!r} in its name")
    if options.list:
        for suite, cases in chosen.items():
            print(suite, *[f"  {c.name}" for c in cases], sep="\n")
        return 0
    return run(chosen, options, before)


def run(chosen: dict[str, list[Case]], options: argparse.Namespace, before: dict[str, Any] | None) -> int:
    options.asked = there = sorted(peers.installed()) if options.with_peers else []
    results: dict[str, Any] = {"machine": machine(), "repeats": options.repeats, "peers": there, "suites": {}}
    done = _earlier_rows(options.out) if options.resume else {}
    try:
        _measure_all(chosen, options, results, done)
        interrupted = False
    except KeyboardInterrupt:
        interrupted = True
        print("\ninterrupted: what was measured is kept", flush=True)
    changes = compare(results, before) if before else []
    store(results, options, whole=not interrupted)
    print(*changes, sep="\n", end="\n" if changes else "")
    wrong = [r for rows in results["suites"].values() for r in rows if r["result"].startswith("WRONG")]
    print(*(f"WRONG {r['case']}: {r['result']}" for r in wrong), sep="\n", end="\n" if wrong else "")
    if interrupted:
        return INTERRUPTED
    return int(bool(wrong) or any(line.startswith(("SLOWER", "CHANGED")) for line in changes))


def _earlier_rows(out: Path) -> resume.Measured:
    """What the page shows and what the last run measured, the latter counting more."""
    return {k: r for f in (STORED, out / "results.json") if f.exists() for k, r in resume.rows_of(earlier(f)).items()}


def _measure_all(
    chosen: dict[str, list[Case]], options: argparse.Namespace, results: dict[str, Any], before: resume.Measured
) -> None:
    """Fills `results` case by case, so that an interruption loses one case at most, and a kill a few."""
    total, done, started = sum(map(len, chosen.values())), 0, time.monotonic()
    saved, left_out = started, 0
    for suite, cases in chosen.items():
        rows = results["suites"][suite] = []
        enough = 0 if options.quick and suite == "algorithms" else options.enough  # many, and no targets
        for case in cases:
            r = before.get((suite, case.name))
            done += 1
            if kept := r is not None and r["key"] == resume.key(case, options.asked):
                assert r is not None, "what is kept should be there"
            elif options.minutes and time.monotonic() - started > 60 * options.minutes:
                left_out += 1
                continue
            else:
                r = measure(case, options, enough)
            rows.append(r)
            spent = time.monotonic() - started
            print(f"[{done:3}/{total} {spent:5.0f} s] {suite:16} {r['case']:38} {r['best']:8.2f} s "
                  f"{r['executions'] or '':>9} {r['result']}{' (kept)' if kept else ''}", flush=True)  # fmt: skip
            if time.monotonic() - saved > _SAVED_EVERY:
                _save(results, options.out)
                saved = time.monotonic()
    if left_out:
        print(f"{left_out} cases were left out after {options.minutes:.0f} minutes; --resume measures them", flush=True)
    if options.instructions:
        for name, command in profiled().items():
            found = profile(command)
            if found:
                results.setdefault("profiles", {})[name] = found
    results["load"] = os.getloadavg()[1]


def _save(results: dict[str, Any], out: Path) -> None:
    """Whole or not at all."""
    out.mkdir(parents=True, exist_ok=True)
    fresh = out / "results.json.new"
    fresh.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    fresh.replace(out / "results.json")


def store(results: dict[str, Any], options: argparse.Namespace, whole: bool) -> None:
    """Only a whole run replaces the page."""
    _save(results, options.out)
    page = markdown(results, options.out, notes())
    (options.out / "results.md").write_text(page, encoding="utf-8")
    print("\n" + page)
    if options.page and whole:
        merged = with_stored(results, earlier(STORED) if STORED.exists() else None)
        STORED.write_text(json.dumps(merged, indent=1) + "\n", encoding="utf-8")
        render()


def with_stored(results: dict[str, Any], before: dict[str, Any] | None) -> dict[str, Any]:
    """The results with those of the suites and cases that did not run this time; `dates` says when each suite ran, with
    which peers, what else the machine did, and how many of its rows are older."""
    ran, stored = {}, before["suites"] if before else {}
    suites = dict(stored)
    for suite, rows in results["suites"].items():
        if not rows and suite in stored:
            continue  # what it measures is not here, or the time was over: the figures stay as they are
        measured = {r["case"] for r in rows}
        kept = [r for r in stored.get(suite, []) if r["case"] not in measured and r["case"] in _names(suite)]
        suites[suite] = sorted([*rows, *kept], key=lambda r: _names(suite).get(r["case"], 0))
        ran[suite] = {"date": _dates(rows) or results["machine"]["date"], "load": _load(rows, results),
                      "peers": results["peers"], "older": len(kept)}  # fmt: skip
    if before is None:
        return results | {"dates": ran}
    dates = {s: {"date": before["machine"]["date"], "peers": []} for s in stored} | before.get("dates", {})
    return before | results | {"suites": {s: suites[s] for s in SUITES if s in suites}, "dates": dates | ran}


def _dates(rows: list[dict[str, Any]]) -> str:
    """When the rows were measured, from the first to the last."""
    dates = sorted(r["date"] for r in rows if "date" in r)
    return " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else ""


def _load(rows: list[dict[str, Any]], results: dict[str, Any]) -> float | None:
    """What the machine did on the whole while the rows were measured."""
    loads = [r["load"] for r in rows if "load" in r]
    return median(loads) if loads else results.get("load")


@cache
def _names(suite: str) -> dict[str, int]:
    """The cases of a suite, with their place in it."""
    return {c.name: n for n, c in enumerate(SUITES[suite]())}


def notes() -> dict[str, str]:
    found: dict[str, str] = tomllib.loads((HERE / "notes.toml").read_text(encoding="utf-8"))
    return found


def render(docs: Path = ROOT / "docs") -> None:
    """docs/results.md and its plots, from the stored results."""
    page = markdown(earlier(STORED), docs / "plots", notes(), "plots/")
    (docs / "results.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
