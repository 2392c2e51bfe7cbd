"""fencepost compare: a test that tells two memory models apart."""

from __future__ import annotations

from typing import Annotated

from fencepost import api
from fencepost.cli.arguments import Argument, Option
from fencepost.cli.frame import Reply
from fencepost.verdict import Answer

_MODEL = "A name that `fencepost models` lists, or the path of a .cat file."
_ARCH = "Tests for ppc, x86, aarch64, riscv or c. Default: what both models judge."
_SIZE = "Cycles of at most N edges."
_TIME = "Stop after S seconds."


def compare(
    first: Annotated[str, Argument(metavar="MODEL_A", help=_MODEL)],
    second: Annotated[str, Argument(metavar="MODEL_B", help=_MODEL)],
    arch: Annotated[str | None, Option("--arch", metavar="ARCH", help=_ARCH)] = None,
    size: Annotated[int, Option("--size", metavar="N", minimum=2, help=_SIZE)] = 5,
    time_limit: Annotated[float, Option("--time-limit", metavar="S", help=_TIME)] = 60.0,
) -> Reply:
    """Search generated tests for one that one model allows to end as the other forbids. Exit code 1: found; 3: none."""
    found = api.compare(first, second, arch=arch, size=size, time_limit=time_limit)
    answer = Answer.UNKNOWN if found.difference is None else Answer.FAIL
    return Reply(found.text(), found.data(), answer.exit_code)
