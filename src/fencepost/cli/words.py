"""The words of a command line, by whom they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fencepost.cli.arguments import Parameter, plainly


class Parsed(NamedTuple):
    """The values of the parameters by their names, and which of them the command line gave."""

    values: dict[str, object]
    explicit: frozenset[str]


def parse(prog: str, summary: str, parameters: Sequence[Parameter], args: Sequence[str]) -> Parsed:
    """Whether anything is missing is not asked here. Raises UsageError; `--help` prints and raises SystemExit."""
    found = plainly(parameters, args)
    if found is None:
        from fencepost.cli.parser import by_argparse

        found = by_argparse(prog, summary, parameters, args)
    return Parsed({p.name: found.get(p.name, p.default) for p in parameters}, frozenset(found))
