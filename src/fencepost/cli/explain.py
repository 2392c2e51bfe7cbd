"""fencepost explain: why an outcome can or cannot be."""

from __future__ import annotations

from typing import Annotated

from fencepost import api
from fencepost.cli.arguments import Option
from fencepost.cli.frame import Reply
from fencepost.cli.program import Files
from fencepost.options import ExplainOptions

_HELP = "Registers and locations at the end, as in 'P0:r1=1 /\\ x=2'; without it, what the program's condition asks."
Outcome = Annotated[str | None, Option("--outcome", metavar="OUTCOME", help=_HELP)]


def explain(files: Files, options: ExplainOptions, outcome: Outcome = None, flags: tuple[str, ...] = ()) -> Reply:
    """Say why an outcome is allowed (an execution that shows it) or forbidden (the cycle in each candidate)."""
    found = api.explain(files, outcome, flags=flags, options=options)
    return Reply(found.text(), found.data())
