"""The campaign: compares all kinds of programs for as long as wanted, and goes on where it stopped.

    python tests/lab/campaign.py --minutes 10
    python tests/lab/campaign.py --minutes 10 --state lab.json        # go on there, and keep the counts
    python tests/lab/campaign.py --minutes 1 --only "machines" --seed 7000000
    python tests/lab/campaign.py --minutes 60 --jobs 2                # so many processes
    python tests/lab/campaign.py --minutes 1 --cpu                    # minutes of processor time: for busy machines
    python tests/lab/campaign.py --minutes 10 --cluster tls://head:8786 --certificates certs   # workers see this folder
    python tests/lab/campaign.py --table --state lab.json             # the table so far, as Markdown
    python tests/lab/campaign.py --minutes 60 --state lab.json --write docs/how/oracles.md   # ... into this page

A disagreement is printed with its seed and a small program; exit code 1. Ctrl-C ends it with what was done.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from other_core import use_core  # before anything of fencepost is imported

use_core(sys.argv)

from kinds import Kind, kinds  # noqa: E402
from pages import put_between  # noqa: E402

from fencepost import _core  # noqa: E402
from fencepost.explore import native  # noqa: E402


def at_once(exploration: _core.Exploration, seconds: float, executions: int, jobs: int, _: object) -> _core.Progress:
    """The core on this thread: to start one that only hears Ctrl-C takes longer than most of these programs."""
    exploration.allow()
    return exploration.run(seconds, executions, jobs)


native._wait = at_once  # type: ignore[assignment]


class Campaign:
    """Counts per kind and model, and the next seed of each; a file holds them between runs."""

    def __init__(self, path: Path | None, seed: int) -> None:
        self.path, self.seed = path, seed
        self.done: dict[str, int] = {}
        self.bad: list[str] = []
        if path is not None and path.exists():
            kept = json.loads(path.read_text(encoding="utf-8"))
            self.done, self.bad, self.seed = kept["done"], kept["bad"], kept["seed"]

    def save(self) -> None:
        if self.path is not None:
            fresh = self.path.with_suffix(".part")
            fresh.write_text(json.dumps({"done": self.done, "bad": self.bad, "seed": self.seed}), encoding="utf-8")
            fresh.replace(self.path)

    def ask(self, kind: Kind) -> bool:
        """One comparison; false where it fails."""
        name = f"{kind.name} | {kind.model}"
        (seed,) = self.take(name, 1)
        return self.told(name, seed, judged(kind, seed))

    def take(self, name: str, count: int) -> range:
        """The next seeds of a kind."""
        first = self.seed + self.done.get(name, 0)
        self.done[name] = self.done.get(name, 0) + count
        return range(first, first + count)

    def told(self, name: str, seed: int, found: str | None) -> bool:
        if found is not None:
            self.bad.append(f"{name} | seed {seed}")
            print(f"\n{name}, seed {seed}: {found}", flush=True)
        return found is None

    def table(self) -> str:
        """A row for each kind, with how often it was asked about each model."""
        rows: dict[str, list[tuple[str, int]]] = {}
        for name, count in sorted(self.done.items()):
            kind, _, model = name.partition(" | ")
            rows.setdefault(kind, []).append((model, count))
        lines = ["| kind | models | comparisons |", "|---|---|---|"]
        for kind, models in rows.items():
            told = ", ".join(f"{model} {count:,}" for model, count in models)
            lines.append(f"| {kind} | {told} | {sum(count for _, count in models):,} |")
        return "\n".join([*lines, f"| **all** | | **{sum(self.done.values()):,}** |"])

    def report(self) -> str:
        """What stands in the page on oracles."""
        return (
            f"The last campaign made {sum(self.done.values()):,} comparisons on commit {commit()},"
            f" seeds from {self.seed:,}: {len(self.bad)} disagreements.\n\n{self.table()}"
        )


def commit() -> str:
    """The state of the sources, and whether they were changed since."""
    asked = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=10"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
    )
    return asked.stdout.strip() or "unknown"


BEGIN, END = "<!-- campaign -->", "<!-- end of campaign -->"


def judged(kind: Kind, seed: int) -> str | None:
    try:
        return kind.judge(seed)
    except Exception as problem:  # whatever goes wrong is a finding
        return f"{type(problem).__name__}: {problem}"


def judge_remotely(content: bytes) -> bytes:
    """On a worker: some seeds of one kind. It travels by value; what it imports is in the folder that is named."""
    import json
    import sys

    asked = json.loads(content)
    sys.path.insert(0, asked["folder"])
    from kinds import kinds

    kind = next(k for k in kinds() if f"{k.name} | {k.model}" == asked["name"])
    found = {}
    for seed in asked["seeds"]:
        try:
            found[seed] = kind.judge(seed)
        except Exception as problem:  # whatever goes wrong is a finding
            found[seed] = f"{type(problem).__name__}: {problem}"
    return json.dumps(found).encode()


def run_remotely(
    campaign: Campaign, chosen: list[Kind], seconds: float, stop_after: int, where: tuple[str, str | None]
) -> None:
    """Rounds of all kinds, shared by the workers of a cluster; a round is not cut short."""
    import os

    from fencepost.cluster.batch import share

    end, before = time.monotonic() + seconds, len(campaign.bad)
    address, certificates = where
    while time.monotonic() < end and len(campaign.bad) - before < stop_after:
        asked = []
        for kind in chosen:
            name = f"{kind.name} | {kind.model}"
            seeds = list(campaign.take(name, 10 * kind.weight))
            asked.append({"folder": str(Path(__file__).parent), "name": name, "seeds": seeds})
        items = [json.dumps(a).encode() for a in asked]
        workers = len(os.sched_getaffinity(0))
        for number, content in share(address, certificates, workers, judge_remotely, items):
            found = json.loads(content) if content is not None else {asked[number]["seeds"][0]: "its workers died"}
            for seed, problem in found.items():
                campaign.told(asked[number]["name"], int(seed), problem)
        campaign.save()
        print(f"{sum(campaign.done.values()):,} comparisons, {len(campaign.bad)} disagreements", flush=True)


def run(campaign: Campaign, chosen: list[Kind], clock: Clock, stop_after: int, count: int | None) -> None:
    """Each kind in turn, as often as its weight says."""
    shown, fails, asked = time.monotonic(), 0, 0
    while True:
        for kind in chosen:
            for _ in range(kind.weight):
                if clock.over() or fails >= stop_after or asked == count:
                    return
                fails += not campaign.ask(kind)
                asked += 1
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            campaign.save()
            print(f"{sum(campaign.done.values()):,} comparisons, {len(campaign.bad)} disagreements", flush=True)


class Clock:
    """Says when the time is over, by the clock on the wall or by what the processor has done for us."""

    def __init__(self, seconds: float, *, cpu: bool) -> None:
        self.now = time.process_time if cpu else time.monotonic
        self.end = self.now() + seconds

    def over(self) -> bool:
        return self.now() >= self.end


Batch = tuple[str, range]
SHARE = 50  # seeds that a process is given at once
KINDS: dict[str, Kind] = {}  # of a process that was forked


def judge_batch(batch: Batch) -> tuple[str, dict[int, str]]:
    """What is wrong with which seeds of one kind."""
    name, seeds = batch
    return name, {seed: found for seed in seeds if (found := judged(KINDS[name], seed)) is not None}


def run_in_processes(campaign: Campaign, chosen: list[Kind], clock: Clock, stop_after: int, jobs: int) -> None:
    """The same in several processes. What was handed out before the end is judged to its end."""
    before = len(campaign.bad)
    KINDS.update({f"{k.name} | {k.model}": k for k in chosen})

    def batches() -> Iterator[Batch]:
        while True:
            for kind in chosen:
                name = f"{kind.name} | {kind.model}"
                if clock.over() or len(campaign.bad) - before >= stop_after:
                    return
                for first in range(0, kind.weight, SHARE):  # small ones: nobody waits for the other's last
                    yield name, campaign.take(name, min(SHARE, kind.weight - first))

    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        waiting, shown = [], time.monotonic()
        for batch in batches():
            waiting.append(pool.apply_async(judge_batch, (batch,)))
            while len(waiting) > 16 * jobs:
                _gather(campaign, waiting.pop(0).get())
            if time.monotonic() - shown > 10:
                shown = time.monotonic()
                campaign.save()
                print(f"{sum(campaign.done.values()):,} comparisons, {len(campaign.bad)} disagreements", flush=True)
        for last in waiting:
            _gather(campaign, last.get())


def _gather(campaign: Campaign, found: tuple[str, dict[int, str]]) -> None:
    name, problems = found
    for seed, problem in problems.items():
        campaign.told(name, seed, problem)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--seed", type=int, default=0, help="the first seed of a new campaign")
    parser.add_argument("--only", default="", help="kinds whose name contains this")
    parser.add_argument("--stop-after", type=int, default=10, help="disagreements")
    parser.add_argument("--count", type=int, help="so many comparisons at most (with one process)")
    parser.add_argument("--core", type=Path, help="the folder of another build, whose core is asked")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--cpu", action="store_true", help="the minutes are processor time (with one process)")
    parser.add_argument("--write", type=Path, help="put the table into this page, between its marks")
    parser.add_argument("--cluster", help="local, or the address of a scheduler whose workers see this folder")
    parser.add_argument("--certificates", help="for a tls:// cluster")
    parser.add_argument("--table", action="store_true", help="only print the table")
    options = parser.parse_args()
    campaign = Campaign(options.state, options.seed)
    chosen = [k for k in kinds() if options.only in f"{k.name} | {k.model}"]
    if not chosen:
        parser.error(f"no kind is called {options.only!r}; there are: {', '.join(sorted({k.name for k in kinds()}))}")
    before = len(campaign.bad)
    if not options.table:
        try:
            if options.cluster is not None:
                where = options.cluster, options.certificates
                run_remotely(campaign, chosen, 60 * options.minutes, options.stop_after, where)
            elif options.jobs > 1:
                clock = Clock(60 * options.minutes, cpu=False)
                run_in_processes(campaign, chosen, clock, options.stop_after, options.jobs)
            else:
                run(campaign, chosen, Clock(60 * options.minutes, cpu=options.cpu), options.stop_after, options.count)
        except KeyboardInterrupt:
            print("stopped")
        campaign.save()
    print(campaign.report())
    if options.write is not None:
        put_between(options.write, BEGIN, END, campaign.report())
    return int(len(campaign.bad) > before)


if __name__ == "__main__":
    sys.exit(main())
