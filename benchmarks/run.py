"""Runs the benchmarks and writes results.json, results.md and plots.

    python benchmarks/run.py --quick --page                     # every table, and docs/results.md: about ten minutes
    python benchmarks/run.py rcmc-tables rsmc-table1            # some suites
    python benchmarks/run.py --all --repeats 5 --out benchmarks/results
    python benchmarks/run.py rcmc-tables --against earlier.json # exit code 1 where something became slower or wrong
    python benchmarks/run.py --list

A case whose count or verdict is not what it must be is marked WRONG, and the exit code is 1. Peers (genmc, nidhugg,
herd7, spin, cbmc) run beside us where they are on PATH. --instructions adds callgrind counts for a few fixed cases and
profiles of three. Times are CPU seconds of the whole command: on a machine that does nothing else they are the time one
waits.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from bench import peers
from bench.measure import instructions, machine, parsed, profile, run_once
from bench.report import compare, markdown
from bench.suites import HERE, QUICK, ROOT, SUITES, Case, profiled

STORED = HERE / "results.json"  # what docs/results.md shows


def measure(case: Case, options: argparse.Namespace) -> dict[str, Any]:
    """One case: ourselves several times, the peers once."""
    limit = min(case.limit or options.timeout, options.timeout)
    samples = [run_once(case.command, limit)]
    while len(samples) < options.repeats and sum(s.cpu for s in samples) < options.enough:
        samples.append(run_once(case.command, limit))
    best = min(samples, key=lambda s: s.cpu)
    found = parsed(best.output)
    known = {n: {"cpu": s, "executions": None} for n, s in case.peers.items()}
    row = {
        "case": case.name, "best": best.cpu, "wall": min(s.wall for s in samples), "memory": best.memory,
        "spread": (max(s.cpu for s in samples) - best.cpu) / best.cpu, "runs": len(samples),
        "seconds": found.get("seconds", best.wall), "executions": found.get("executions"),
        "blocked": found.get("blocked"), "result": _result(case, best.code, found), "target": case.target,
        "by_wall": case.wall, "paper": case.paper, "traces": case.traces, "table": case.table, "note": case.note,
        "series": case.series, "x": case.x,
        "peers": known | ({} if options.no_peers else peers.measure(case, options.peer_timeout)),
    }  # fmt: skip
    if options.instructions and case.count_instructions:
        row["instructions"] = instructions(case.command)
    return row


def _result(case: Case, code: int, found: dict[str, Any]) -> str:
    if code == -9:
        return "timeout"
    verdict = str(found.get("verdict") or ("PASS" if code == 0 else f"exit {code}"))
    right = case.executions in (None, found.get("executions")) and case.verdict in (None, verdict)
    return verdict if right else f"WRONG ({verdict}; expected {case.verdict or ''} {case.executions or ''})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"any of {', '.join(SUITES)}")
    parser.add_argument("--all", action="store_true", help="every suite")
    parser.add_argument("--quick", action="store_true", help="every suite, but few repeats and short limits")
    parser.add_argument("--page", action="store_true", help="store the results and rewrite docs/results.md from them")
    parser.add_argument("--render", action="store_true", help="only rewrite docs/results.md from the stored results")
    parser.add_argument("--only", default="", metavar="TEXT", help="the cases whose name contains this")
    parser.add_argument("--list", action="store_true", help="only list the cases")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--enough", type=float, default=20, help="CPU seconds of one case after which no repeat begins")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one run")
    parser.add_argument("--peer-timeout", type=float, default=60, help="seconds for one run of a peer")
    parser.add_argument("--no-peers", action="store_true", help="do not run peers")
    parser.add_argument("--instructions", action="store_true", help="callgrind counts and profiles")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    parser.add_argument("--against", type=Path, help="an earlier results.json")
    options = parser.parse_args()
    unknown = [s for s in options.suites if s not in SUITES]
    if options.render:
        render()
        return 0
    if unknown or not (options.suites or options.all or options.list or options.quick):
        parser.error(f"no suite {', '.join(unknown)}" if unknown else "name a suite, or --all, or --quick")
    chosen = options.suites or list(SUITES)
    if options.quick:
        options.repeats, options.enough, options.instructions = 3, 0.8, True
        options.timeout, options.peer_timeout = 40, 12
        chosen = options.suites or list(QUICK)
    if options.list:
        for suite in chosen:
            print(suite, *[f"  {c.name}" for c in cases(suite, options)], sep="\n")
        return 0
    return run(chosen, options)


def cases(suite: str, options: argparse.Namespace) -> list[Case]:
    return [case for case in SUITES[suite]() if options.only in case.name]


def run(chosen: list[str], options: argparse.Namespace) -> int:
    results: dict[str, Any] = {"machine": machine(), "repeats": options.repeats, "suites": {}}
    for suite in chosen:
        rows = results["suites"][suite] = []
        for case in cases(suite, options):
            options.enough = 0 if options.quick and suite == "algorithms" else options.enough  # many, and no targets
            rows.append(measure(case, options))
            r = rows[-1]
            print(f"{suite:16} {r['case']:42} {r['best']:8.2f} s {r['executions'] or '':>9} {r['result']}", flush=True)
    if options.instructions:
        found = {name: profile(command) for name, command in profiled().items()}
        results["profiles"] = {name: rows for name, rows in found.items() if rows}
    changes = compare(results, json.loads(options.against.read_text())) if options.against else []
    store(results, options)
    print(*changes, sep="\n", end="\n" if changes else "")
    wrong = any(r["result"].startswith("WRONG") for rows in results["suites"].values() for r in rows)
    return int(wrong or any(line.startswith(("SLOWER", "CHANGED")) for line in changes))


def store(results: dict[str, Any], options: argparse.Namespace) -> None:
    options.out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, indent=1) + "\n"
    (options.out / "results.json").write_text(text)
    page = markdown(results, options.out, notes())
    (options.out / "results.md").write_text(page)
    print("\n" + page)
    if options.page:
        STORED.write_text(text)
        render()


def notes() -> dict[str, str]:
    found: dict[str, str] = tomllib.loads((HERE / "notes.toml").read_text(encoding="utf-8"))
    return found


def render(docs: Path = ROOT / "docs") -> None:
    """docs/results.md and its plots, from the stored results."""
    page = markdown(json.loads(STORED.read_text()), docs / "plots", notes(), "plots/")
    (docs / "results.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
