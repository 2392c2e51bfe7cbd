"""What `repair` and `relax` have in common: print the answer or the patch, or write the files."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from fencepost.cli.frame import Reply
from fencepost.options import RelaxOptions
from fencepost.repair.result import Repair
from fencepost.report.repairs import repair_data
from fencepost.verdict import ExitCode


def reply(found: Repair, text: str, options: RelaxOptions, note: str = "") -> Reply:
    """`note`: where options came from."""
    text += f"{note}\n" if note else ""
    problem = _apply(found) if options.apply else ""
    if options.apply and problem:  # what was found may have taken long: it is shown
        sys.stderr.write(f"error: --apply: {problem}; nothing was written\n")
    elif options.apply:
        written = ", ".join(file for file, _ in found.texts)
        text += f"\nwritten  {written}\n" if written else ""
    exit_code = ExitCode.BAD_INPUT if problem else found.exit_code
    return Reply(found.patch if options.diff else text, repair_data(found), exit_code)


def _apply(found: Repair) -> str:
    """Writes all of the files or none, and each at once: a full disk or a Ctrl-C leaves the old text. What is in the
    way, if anything."""
    before, new = dict(found.before), [(Path(file).resolve(), text.encode("utf-8", "surrogateescape"))
                                       for file, text in found.texts]  # fmt: skip
    beside = [path.with_name(f".{path.name}.{os.getpid()}.new") for path, _ in new]
    try:
        for (file, _), (path, _) in zip(found.texts, new, strict=True):
            if problem := _in_the_way(file, path, before[file]):
                return problem
        for (path, text), copy in zip(new, beside, strict=True):
            copy.write_bytes(text)
            shutil.copymode(path, copy)
        for (path, _), copy in zip(new, beside, strict=True):
            copy.replace(path)
    except OSError as error:
        return f"{error.strerror} ({', '.join(file for file, _ in found.texts)})"
    finally:
        for copy in beside:
            copy.unlink(missing_ok=True)
    return ""


def _in_the_way(file: str, path: Path, before: str) -> str:
    if not os.access(path, os.W_OK):
        return f"{file} may not be written"
    changed = path.read_bytes() != before.encode("utf-8", "surrogateescape")
    return f"{file} was changed in the meantime" if changed else ""
