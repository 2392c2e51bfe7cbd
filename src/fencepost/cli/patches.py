"""What `repair` and `relax` have in common: print the answer or the patch, or write the files."""

from __future__ import annotations

from pathlib import Path

from fencepost.cli.frame import Reply
from fencepost.options import RelaxOptions
from fencepost.repair.result import Repair
from fencepost.report.repairs import repair_data


def reply(found: Repair, text: str, options: RelaxOptions, note: str = "") -> Reply:
    """`note`: where options came from."""
    text += f"{note}\n" if note else ""
    if options.apply:
        for file, new in found.texts:
            Path(file).write_bytes(new.encode("utf-8", "surrogateescape"))
        written = ", ".join(file for file, _ in found.texts)
        text += f"\nwritten  {written}\n" if written else ""
    return Reply(found.patch if options.diff else text, repair_data(found), found.exit_code)
