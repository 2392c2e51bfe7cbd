"""fencepost repair: the cheapest changes after which a program passes."""

from __future__ import annotations

from fencepost import api
from fencepost.cli.frame import Reply
from fencepost.cli.patches import reply
from fencepost.cli.program import Files
from fencepost.options import RepairOptions
from fencepost.report.repairs import repair_text


def repair(files: Files, options: RepairOptions, flags: tuple[str, ...] = ()) -> Reply:
    """Find the cheapest set of stronger orders and added fences after which a program passes, as a patch of its source
    that was checked again."""
    found = api.repair(files, flags=flags, options=options)
    return reply(found, repair_text(found), options)
