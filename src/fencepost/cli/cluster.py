"""fencepost cluster: a scheduler and workers on this machine, or more workers for one elsewhere."""

from __future__ import annotations

import sys

from fencepost import api
from fencepost.cli.frame import Reply
from fencepost.options import ClusterOptions


def cluster(options: ClusterOptions) -> Reply:
    """Start a scheduler and workers for --cluster on this machine, and say how others join; Ctrl-C ends them."""
    api.start_cluster(ready=_tell, options=options)
    return Reply("", {})


def _tell(lines: list[str]) -> None:
    print("\n".join(lines), flush=True)
    if sys.stdout.isatty():
        print("Ctrl-C ends it.", flush=True)
