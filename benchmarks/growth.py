"""How the cost of one execution grows: with the number of its events and with the number of its threads.

    python benchmarks/growth.py [--write]

prints a table of CPU seconds in the core per execution and per event; with --write it goes into
docs/how/exploration.md, between its marks, with two plots. Each program has exactly one execution, visited
with every reduction off, so nothing but the cost of adding events is measured."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from bench.plot import Points, line_plot

from fencepost import _core
from fencepost.explore.begin import begin
from fencepost.explore.native import native_options
from fencepost.frontends import pseudo
from fencepost.models.registry import find
from fencepost.options import CheckOptions

ROOT = Path(__file__).parents[1]
PAGE, PLOTS = ROOT / "docs" / "how" / "exploration.md", ROOT / "docs" / "plots"
BEGIN, END = "<!-- measured: benchmarks/growth.py --write -->\n", "<!-- end -->\n"
MODELS = ("sc", "rc11")
EVENTS = (10, 30, 100, 300, 1000, 3000, 10_000)
THREADS = (2, 4, 8, 16, 32, 64, 100)
_EACH = 20  # events of a thread


def program(threads: int, each: int, mode: str) -> str:
    """Threads that read and write a variable of their own: one execution."""
    names = [f"x{n}" for n in range(threads)]
    pair = "r := {0}{1}; {0}{1} := r + 1"
    lines = [
        f"thread T{n} {{ for k in 1..{max(each // 2, 1)} {{ {pair.format(x, mode)} }} }}" for n, x in enumerate(names)
    ]
    return "\n".join([f"var {', '.join(names)}", *lines]) + "\n"


def seconds(threads: int, each: int, model: str, mode: str) -> float:
    """The least of seven."""
    made, known = pseudo.read(program(threads, each, mode), "growth.fp"), find(model)
    options = CheckOptions(model=model, reductions=False, max_events=20_000)
    prepared, engine = begin(made, known, options)
    assert prepared is not None, "these models should be explored"
    found = []
    for _ in range(7):
        exploration = _core.Exploration(prepared.bytecode, native_options(prepared, known, engine, options, 0))
        before = time.process_time()
        exploration.run(60.0, 1 << 60, 1)
        found.append(time.process_time() - before)
        assert exploration.results().executions == 1, "there should be one execution"
    return min(found)


def rows(sizes: tuple[int, ...], by_threads: bool) -> tuple[list[str], dict[str, Points]]:
    lines, series = [], {}
    for model in MODELS:
        for mode in ("", ".sc"):
            name = f"{model}{', SC accesses' if mode else ''}"
            points: Points = []
            for size in sizes:
                threads, each = (size, _EACH) if by_threads else (2, size // 2)
                taken = max(seconds(threads, each, model, mode), 1e-6)
                points.append((float(size), taken))
                lines.append(f"| {name} | {size:,} | {1000 * taken:.3f} | {1e6 * taken / (threads * each):.2f} |")
                print(lines[-1], flush=True)
            series[name] = points
    return lines, series


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    text = ""
    for what, sizes, by_threads in (("events", EVENTS, False), ("threads", THREADS, True)):
        lines, series = rows(sizes, by_threads)
        head = [f"| model | {what} | ms an execution | µs an event |", "|---|---|---|---|"]
        text += "\n".join([*head, *lines]) + f"\n\n![{what}](../plots/growth-{what}.svg)\n\n"
        if write:
            plot = line_plot(f"one execution: time against {what}", what, "CPU seconds", series)
            (PLOTS / f"growth-{what}.svg").write_text(plot, encoding="utf-8")
    if write:
        page = PAGE.read_text(encoding="utf-8")
        start, end = page.index(BEGIN) + len(BEGIN), page.index(END)
        PAGE.write_text(page[:start] + text + page[end:], encoding="utf-8")


if __name__ == "__main__":
    main()
