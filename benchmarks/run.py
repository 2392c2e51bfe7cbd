"""Runs the benchmarks and writes results.json, results.md and plots.

    python benchmarks/run.py rcmc-tables rsmc-table1            # some suites
    python benchmarks/run.py --all --repeats 5 --out benchmarks/results
    python benchmarks/run.py rcmc-tables --against earlier.json # exit code 1 where something became slower or wrong
    python benchmarks/run.py --list

A case whose count or verdict is not what it must be is marked WRONG, and the exit code is 1. Peers (genmc, nidhugg) run
beside us where they are on PATH. --instructions adds callgrind counts for a few fixed cases. Times are CPU seconds of
the whole command: on a machine that does nothing else they are the time one waits.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from bench import peers
from bench.measure import instructions, machine, parsed, run_once
from bench.report import compare, markdown
from bench.suites import HERE, SUITES, Case


def measure(case: Case, options: argparse.Namespace) -> dict[str, Any]:
    samples = [run_once(case.command, options.timeout)]
    while len(samples) < options.repeats and samples[0].wall < options.timeout / 4:
        samples.append(run_once(case.command, options.timeout))
    best = min(samples, key=lambda s: s.cpu)
    found = parsed(best.output)
    known = {n: {"cpu": s, "executions": None} for n, s in case.peers.items()}
    row = {
        "case": case.name, "best": best.cpu, "wall": min(s.wall for s in samples), "memory": best.memory,
        "spread": (max(s.cpu for s in samples) - best.cpu) / best.cpu,
        "seconds": found.get("seconds", best.wall), "executions": found.get("executions"),
        "blocked": found.get("blocked"), "result": _result(case, best.code, found), "target": case.target,
        "paper": case.paper, "series": case.series, "x": case.x,
        "peers": known | peers.measure(case, options.timeout),
    }  # fmt: skip
    if options.instructions and case.count_instructions:
        row["instructions"] = instructions(case.command)
    return row


def _result(case: Case, code: int, found: dict[str, Any]) -> str:
    if code == -9:
        return "timeout"
    verdict = str(found.get("verdict", f"exit {code}"))
    right = case.executions in (None, found.get("executions")) and case.verdict in (None, verdict)
    return verdict if right else f"WRONG ({verdict}; expected {case.verdict or ''} {case.executions or ''})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"any of {', '.join(SUITES)}")
    parser.add_argument("--all", action="store_true", help="every suite")
    parser.add_argument("--list", action="store_true", help="only list the cases")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one run")
    parser.add_argument("--instructions", action="store_true", help="callgrind counts for the cases that ask for them")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    parser.add_argument("--against", type=Path, help="an earlier results.json")
    options = parser.parse_args()
    unknown = [s for s in options.suites if s not in SUITES]
    if unknown or not (options.suites or options.all or options.list):
        parser.error(f"no suite {', '.join(unknown)}" if unknown else "name a suite, or --all")
    chosen = options.suites or list(SUITES)
    if options.list:
        for suite in chosen:
            print(suite, *[f"  {c.name}" for c in SUITES[suite]()], sep="\n")
        return 0
    return run(chosen, options)


def run(chosen: list[str], options: argparse.Namespace) -> int:
    results: dict[str, Any] = {"machine": machine(), "repeats": options.repeats, "suites": {}}
    for suite in chosen:
        rows = results["suites"][suite] = []
        for case in SUITES[suite]():
            rows.append(measure(case, options))
            r = rows[-1]
            print(f"{suite:16} {r['case']:32} {r['best']:8.2f} s {r['executions'] or '':>9} {r['result']}", flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    (options.out / "results.md").write_text(markdown(results, options.out))
    changes = compare(results, json.loads(options.against.read_text())) if options.against else []
    print(*changes, sep="\n", end="\n" if changes else "")
    wrong = any(r["result"].startswith("WRONG") for rows in results["suites"].values() for r in rows)
    return int(wrong or any(line.startswith(("SLOWER", "CHANGED")) for line in changes))


if __name__ == "__main__":
    sys.exit(main())
