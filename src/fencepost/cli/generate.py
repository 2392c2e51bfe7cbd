"""fencepost generate: litmus tests from cycles of relations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fencepost import api
from fencepost.cli.arguments import Option
from fencepost.cli.frame import Reply
from fencepost.errors import UsageError

_ARCH = "ppc, x86, aarch64, riscv, c; lkmm: C of the Linux kernel; fp: the .fp language."
_CYCLE = 'One test from its edges, such as "SyncdWW Rfe DpAddrdR Fre".'
_SIZE = "Every critical cycle of at most N edges."
_EDGES = "The edges that --size combines; a * stands for R and W."
_THREADS = "With --size: at most N threads."
_OUTPUT = "Write each test to a file of its name in DIRECTORY."


def generate(
    arch: Annotated[str, Option("--arch", metavar="ARCH", help=_ARCH)] = "ppc",
    cycle: Annotated[str | None, Option("--cycle", metavar="EDGES", help=_CYCLE)] = None,
    name: Annotated[str, Option("--name", metavar="NAME", help="Call the test of --cycle so.")] = "",
    size: Annotated[int | None, Option("--size", metavar="N", minimum=2, help=_SIZE)] = None,
    edges: Annotated[str | None, Option("--edges", metavar="EDGES", help=_EDGES)] = None,
    threads: Annotated[int | None, Option("--threads", metavar="N", minimum=2, help=_THREADS)] = None,
    limit: Annotated[int | None, Option("--limit", metavar="N", minimum=1, help="Stop after N tests.")] = None,
    output: Annotated[Path | None, Option("--output", metavar="DIRECTORY", help=_OUTPUT)] = None,
) -> Reply:
    """Generate litmus tests: one from a cycle of edges, or all critical cycles up to a size."""
    if (cycle is None) == (size is None):
        raise UsageError("say what to generate: --cycle EDGES, or --size N")
    tests = api.generate(arch, cycle=cycle, name=name, size=size, edges=edges, threads=threads, limit=limit)
    data = {"tests": [{"name": t.name, "arch": t.arch, "cycle": t.cycle, "text": t.text} for t in tests]}
    if output is None:
        return Reply("\n".join(t.text for t in tests), data)
    output.mkdir(parents=True, exist_ok=True)
    for test in tests:
        (output / test.file_name).write_text(test.text, encoding="utf-8")
    return Reply(f"{len(tests)} test{'s' * (len(tests) != 1)} in {output}", data)
