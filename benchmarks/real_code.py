"""Checks programs of public libraries and writes docs/real-code.md.

    python benchmarks/real_code.py libvsync=PATH ck=PATH urcu=PATH ...     # check, store, write the page
    python benchmarks/real_code.py libvsync=PATH --only listset --limit 10 # some programs, nothing stored
    python benchmarks/real_code.py libvsync=PATH --undecided --store       # again what was not decided
    python benchmarks/real_code.py libvsync=PATH --jobs 2                  # two programs at a time
    python benchmarks/real_code.py libvsync=PATH --resume --store          # go on with a run that was cut off
    python benchmarks/real_code.py taskflow=PATH ... --seeds               # plant bugs in a copy, one at a time; stored
    python benchmarks/real_code.py --render                                # only write the page again

Nothing is fetched: each PATH is a checkout of the library. libvsync brings its own clients (its CMake files say how to
compile them, so cmake must be on PATH); those for the other libraries are in benchmarks/real. Times are CPU seconds of
the whole command, compilation included. A run with --only or --limit stores nothing unless --store is given.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from bench.measure import fencepost, machine, run_once
from bench.real import CLIENTS, CheckoutError, Client, clients, explained, known, noted, seeded
from bench.real_page import DECIDED, page
from bench.seeds import copied, seeds

from fencepost.cache import code

STORED = CLIENTS / "results.json"
PAGE = CLIENTS.parent.parent / "docs" / "real-code.md"
LIMIT = 60.0
#: Where a checkout was matters to nobody: files go by their names.
_FOLDERS = re.compile(r"(?<![\w.+-])/(?:[\w.+-]+/)+(?=[\w.+-]+:\d)")


def check(client: Client, model: str, limit: float, extra: Sequence[str]) -> dict[str, Any]:
    """One program under one model, as a user would check it. The limit is of CPU seconds alone: what else the machine
    does changes no verdict."""
    options = ["check", "--reductions", "--no-cache", "--json", "--no-fix", "--model", model, *client.options, *extra]
    command = fencepost(*options, *client.files, "--", *client.flags)
    sample = run_once(command, limit, patience=100)
    row = {"library": client.library, "name": client.name, "model": model, "cpu": round(sample.cpu, 2),
           "options": " ".join(client.options), "note": client.note, "limit": limit, "version": code()}  # fmt: skip
    return row | _verdict(sample.output, sample.code)


def _verdict(output: str, code: int) -> dict[str, Any]:
    try:
        found = json.loads(output)
    except json.JSONDecodeError:
        why = "not done at the limit" if code == -9 else output.strip().splitlines()[0] if output.strip() else ""
        return {"verdict": "UNKNOWN" if code == -9 else f"exit {code}", "executions": None, "why": why}
    if "verdict" not in found:  # what the compiler says
        return {"verdict": f"exit {code}", "executions": None, "why": str(found.get("error", ""))[:200]}
    error = next(iter(found.get("errors") or []), None)
    reasons = found.get("reasons") or [{}]
    why = without_folders(error["message"] if error else found.get("reason") or "")
    at = (error or {}).get("at") or reasons[0].get("at")
    place = f"{Path(at['file']).name}:{at['line']}" if isinstance(at, dict) and at.get("file") else ""
    return {
        "verdict": found.get("verdict"), "executions": found.get("executions"), "blocked": found.get("blocked"),
        "code": error["kind"] if error else reasons[0].get("code"), "why": next(iter(why.splitlines()), ""),
        "at": place,
    }  # fmt: skip


def without_folders(text: str) -> str:
    return _FOLDERS.sub("", text)


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="*", metavar="LIBRARY=PATH", help=f"any of {', '.join(known())}")
    parser.add_argument("--only", default="", metavar="TEXT", help="the programs whose name contains this")
    parser.add_argument("--model", action="append", help="instead of the models of the catalogue; may be repeated")
    parser.add_argument("--limit", type=float, help=f"CPU seconds for one program ({LIMIT:.0f})")
    parser.add_argument("--option", action="append", default=[], help="one more option for the checker")
    parser.add_argument("--undecided", action="store_true", help="only what has no PASS or FAIL in the stored results")
    parser.add_argument("--resume", action="store_true", help="leave out what is stored of this very code")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many programs at a time (1)")
    parser.add_argument("--list", action="store_true", help="only list the programs, with their commands")
    parser.add_argument("--seeds", action="store_true", help="plant bugs in a copy of the library, and check those")
    parser.add_argument("--store", action="store_true", help="store a partial run, too")
    parser.add_argument("--remark", metavar="TEXT", help="what the page says of how it was measured, from now on")
    parser.add_argument("--render", action="store_true", help="only write the page from the stored results")
    return parser


def main() -> int:
    parser = arguments()
    options = parser.parse_args()
    if options.remark is not None:
        write(stored() | {"remark": options.remark})
    if options.render:
        render()
        return 0
    wanted = dict(c.partition("=")[::2] for c in options.checkouts)
    if not wanted or not all(wanted.values()):
        parser.error("name checkouts, for example libvsync=../libvsync")
    try:
        chosen = [c for c in clients({k: Path(v) for k, v in wanted.items()}) if options.only in c.name]
    except CheckoutError as problem:
        parser.error(str(problem))
    if options.list:
        for c in chosen:
            print(f"{c.library:10} {c.name:40} fencepost check {' '.join([*c.options, *c.files, '--', *c.flags])}")
        return 0
    if options.seeds:
        for library, path in wanted.items():
            plant(library, Path(path), options)
        render()
        return 0
    rows = run(chosen, options)
    whole = not (options.only or options.limit or options.model or options.option or options.undecided)
    if options.store or whole:
        store(rows)
        render()
    return 0


def run(chosen: Sequence[Client], options: argparse.Namespace) -> list[dict[str, Any]]:
    rows = []
    done = {(r["library"], r["name"], r["model"]) for r in stored()["rows"] if is_done(r, options)}
    todo = [(c, model) for c in chosen for model in options.model or c.models]
    for row in checked([(c, m) for c, m in todo if (c.library, c.name, m) not in done], options):
        rows.append(row)
        if options.store:
            store([row])  # a run that is cut off has stored what it did
        print(f"{row['library']:10} {row['name']:55} {row['model']:8} {row['verdict']:8} "
              f"{row['executions'] or '':>9} {row['cpu']:7.2f} s  {row['why'][:150]}", flush=True)  # fmt: skip
    decided = sum(r["verdict"] in DECIDED for r in rows)
    print(f"{decided} of {len(rows)} decided")
    return rows


def checked(todo: Sequence[tuple[Client, str]], options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The rows of these programs, each as soon as it is there."""
    limit = options.limit or LIMIT
    if options.jobs == 1:
        yield from (check(client, model, limit, options.option) for client, model in todo)
        return
    with ProcessPoolExecutor(options.jobs) as pool:
        for one in as_completed([pool.submit(check, c, model, limit, options.option) for c, model in todo]):
            yield one.result()


def is_done(row: dict[str, Any], options: argparse.Namespace) -> bool:
    """Whether a run with these options leaves out what this row is of."""
    decided = options.undecided and row["verdict"] in DECIDED
    return decided or (options.resume and row.get("version") == code())


def plant(library: str, path: Path, options: argparse.Namespace) -> None:
    """Checks the clients of a library for each bug in a copy of it, and stores each result."""
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["FENCEPOST_CACHE"] = f"{scratch}/cache"  # what the bug does not touch is compiled once
        copy = copied(path, Path(scratch) / library)
        named = {c.name: c for c in clients({library: copy})}
        for name, file in seeded(library):
            if options.only in name:
                plant_in(named[name], copy / file, options)


def plant_in(client: Client, file: Path, options: argparse.Namespace) -> None:
    """A change that leaves the program as it is has the verdict that the program has; the others are checked."""
    whole, meant = file.read_text(encoding="utf-8"), meaning(client)
    model, limit = client.models[0], options.limit or LIMIT
    unchanged = check(client, model, limit, options.option)
    for seed in seeds(file):
        seed.plant()
        same = meaning(client) == meant
        row = unchanged if same else check(client, model, limit, options.option)
        row |= {"place": f"{file.name}:{seed.line}", "change": seed.change, "unused": same}
        if not row["verdict"].startswith("exit"):  # else the name is not that of an order here
            store([], [row])
        print(f"{client.library:10} {client.name:32} {row['place']:36} {seed.change:60} {row['verdict']:8} "
              f"{'not used' if same else row['cpu']:8}", flush=True)  # fmt: skip
        file.write_text(whole, encoding="utf-8")


def meaning(client: Client) -> list[str]:
    """The functions of the program that is checked, without their places in the source and the texts of asserts."""
    sample = run_once(fencepost("program", *client.files, "--", *client.flags), LIMIT)
    lines = [line for line in sample.output.splitlines() if not line.startswith(("global ", "file "))]
    return [re.sub(r' message=".*"| !\d+:\d+:\d+', "", line) for line in lines]


def stored() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {"rows": []}
    return found


def store(rows: list[dict[str, Any]], planted: Sequence[dict[str, Any]] = ()) -> None:
    """A program that was checked again replaces its earlier row; notes on seeds that pass are kept."""
    earlier = stored()
    fresh = {(r["library"], r["name"], r["model"]): r for r in [*earlier["rows"], *rows]}
    seeds_ = {(s["name"], s["place"], s["change"]): s for s in [*earlier.get("seeds", []), *planted]}
    content = {
        "machine": machine(),
        "remark": earlier.get("remark", ""),
        "rows": list(fresh.values()),
        "seeds": list(seeds_.values()),
    }
    write(content)


def write(content: dict[str, Any]) -> None:
    text = json.dumps(content, indent=0, ensure_ascii=False)
    STORED.write_text(text + "\n", encoding="utf-8")


def render() -> None:
    PAGE.write_text(page(stored(), explained(), noted()), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
