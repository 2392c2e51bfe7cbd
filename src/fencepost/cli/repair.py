"""fencepost repair: the cheapest changes after which a program passes."""

from __future__ import annotations

from fencepost import api
from fencepost.cli.frame import Reply
from fencepost.cli.headers import with_header
from fencepost.cli.patches import reply
from fencepost.cli.program import Files
from fencepost.options import RepairOptions
from fencepost.report.repairs import repair_text


def repair(
    files: Files, options: RepairOptions, flags: tuple[str, ...] = (), explicit: frozenset[str] = frozenset()
) -> Reply:
    """Find the cheapest set of stronger orders and added fences after which a program passes, as a patch of its source
    that was checked again."""
    asked = with_header(files, options, flags, explicit)
    found = api.repair(files, flags=asked.flags, options=asked.options)
    return reply(found, repair_text(found), options, asked.note)
