"""Holds the explorer, the reference algorithms and enumeration against each other, as long as wanted.

    python tests/fuzz/compare.py everything                   # 24 500 programs under the language-level models: 60 min
    python tests/fuzz/compare.py random --models rc11 tso --shape c11 --seeds 0 20000
    python tests/fuzz/compare.py random --models power --shape power --seconds 600
    python tests/fuzz/compare.py random --models sc rc11 --shape blocks --ways explorer enumeration
    python tests/fuzz/compare.py corpus                       # execution counts of the POWER corpus, by the reference
    python tests/fuzz/compare.py corpus --way explorer

A disagreement is printed with the seed and the smallest program that still shows it, in the text form; exit code 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from oracles import WAYS, compare, look, shrink  # noqa: E402

from corpus import CORPUS, table  # noqa: E402 - needs the path above
from fencepost.frontends import litmus  # noqa: E402
from fencepost.generate.random_programs import SHAPES, random_program  # noqa: E402
from fencepost.program.printer import print_program  # noqa: E402

#: What `everything` runs: shape, programs out of 20 000, models.
EVERYTHING = (
    ("c11", 10_000, ("sc", "tso", "pso", "ra", "rc11", "rc11-cpp20", "wrc11")),
    ("relaxed", 4_000, ("rc11", "ra", "wrc11")),
    ("x86", 3_000, ("sc", "tso", "pso")),
    ("ra", 2_000, ("sc", "ra")),
    ("c11-racy", 1_000, ("rc11", "ra", "wrc11")),
)
#: And with atomic blocks, which the reference does not know.
BLOCKS = (
    ("blocks", 2_000, ("sc", "tso", "pso", "ra", "rc11")),
    ("blocks-relaxed", 2_000, ("sc", "tso", "pso", "ra", "rc11", "rc11-cpp20")),
    ("blocks-racy", 500, ("rc11", "ra")),
)


def everything(options: argparse.Namespace) -> int:
    bad = 0
    for shape, share, models in (*EVERYTHING, *BLOCKS):
        options.ways = ("explorer", "enumeration") if shape.startswith("blocks") else WAYS
        options.shape, options.models, options.seeds = shape, models, (0, share * options.programs // 20_000)
        print(f"{shape}, {options.seeds[1]} programs, {' '.join(models)}:", flush=True)
        bad |= random_programs(options)
    return bad


def random_programs(options: argparse.Namespace) -> int:
    start, bad, done = time.monotonic(), 0, 0
    ways = tuple(options.ways)
    first, last = options.seeds
    seed = first
    for seed in range(first, last):
        if options.seconds and time.monotonic() - start > options.seconds:
            break
        program = random_program(seed, SHAPES[options.shape], size=options.size)
        for model in options.models:
            found = compare(program, model, ways)
            done += 1
            if found is None:
                continue
            bad += 1
            small = shrink(program, model, ways)
            print(f"seed {seed}, {model}: {found.text} {found.counts}\n{print_program(small)}", flush=True)
        if bad >= options.stop_after:
            break
    print(
        f"{done} comparisons, {bad} disagreements, {time.monotonic() - start:.0f} s, next seed {seed + 1}", flush=True
    )
    return int(bad > 0)


def corpus(options: argparse.Namespace) -> int:
    start, bad, done = time.monotonic(), 0, 0
    for path, (executions, _) in sorted(table("PPC.power.executions.csv").items()):
        if int(executions) > options.largest:
            continue
        found = look(options.way, litmus.read((CORPUS / path).read_text(), path), "power")
        done += 1
        if found is None or len(found.keys) != int(executions) or len(set(found.keys)) != len(found.keys):
            bad += 1
            print(f"{path}: {executions} executions, {options.way} found {len(found.keys) if found else 0}")
    print(f"{done} tests, {bad} disagreements, {time.monotonic() - start:.0f} s")
    return int(bad > 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    a = verbs.add_parser("everything")
    a.add_argument("--programs", type=int, default=20_000)
    a.set_defaults(run=everything, size=6, ways=WAYS, seconds=0, stop_after=3)
    r = verbs.add_parser("random")
    r.add_argument("--models", nargs="+", default=["rc11"])
    r.add_argument("--shape", choices=SHAPES, default="c11")
    r.add_argument("--size", type=int, default=6, help="accesses and fences of a program, at most")
    r.add_argument("--seeds", type=int, nargs=2, default=(0, 1_000_000_000), metavar=("FIRST", "END"))
    r.add_argument("--seconds", type=float, default=0)
    r.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    r.add_argument("--stop-after", type=int, default=3, help="disagreements")
    r.set_defaults(run=random_programs)
    c = verbs.add_parser("corpus")
    c.add_argument("--way", choices=WAYS, default="reference")
    c.add_argument("--largest", type=int, default=1000, help="leave out tests with more executions")
    c.set_defaults(run=corpus)
    options = parser.parse_args()
    return int(options.run(options))


if __name__ == "__main__":
    sys.exit(main())
