"""fencepost relax: what a program does not need."""

from __future__ import annotations

from fencepost import api
from fencepost.cli.frame import Reply
from fencepost.cli.headers import with_header
from fencepost.cli.patches import reply
from fencepost.cli.program import Files
from fencepost.options import RelaxOptions
from fencepost.report.repairs import relax_text


def relax(
    files: Files, options: RelaxOptions, flags: tuple[str, ...] = (), explicit: frozenset[str] = frozenset()
) -> Reply:
    """Find the weakest orders and the fewest fences with which a program still passes, place by place, as a patch."""
    asked = with_header(files, options, flags, explicit)
    found = api.relax(files, flags=asked.flags, options=asked.options)
    return reply(found, relax_text(found), options, asked.note)
