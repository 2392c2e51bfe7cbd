"""Commit-before functions as cat relations: what must be committed before an event, for exploration by RSMC.

A file defines `cb`; it is closed under transitivity, and dependencies and reads-from belong to it in any case. A
model's own file may define `cb` beside its axioms. RSMC finds every trace if cb is acyclic in every consistent
execution (valid) and every event that may be committed has a parameter (deadlock free); see docs/how/power.md.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from fencepost.errors import InputError, UsageError
from fencepost.models.cat.plan import Op, Plan
from fencepost.models.registry import DIRECTORY, Model

COMMIT_BEFORE = Path(DIRECTORY) / "commit-before"
_DEFINITION = re.compile(r"^\s*(?:let|and)(?:\s+rec)?\s+cb\s*=", re.MULTILINE)
#: Models that take the function of another.
_LIKE = {"armv8-2018": "armv8"}
_CHECK = "\nacyclic cb as commit-before\n"


def ours() -> tuple[str, ...]:
    """The commit-before functions that come with us."""
    return tuple(sorted(path.stem for path in COMMIT_BEFORE.glob("*.cat")))


def find(name: str | None, model: Model) -> Plan:
    """The plan whose last check is about cb: of this name or file; else the model's own; else the one for its name."""
    path, source = _source(name, model)
    if not _DEFINITION.search(source):
        raise InputError("no definition of commit-before: expected `let cb = ...`", file=str(path))
    judged = replace(model, file=str(path), source=source + _CHECK, variants=frozenset())
    plan = judged.plan
    if plan is None:
        raise UsageError(f"{path}: commit-before must be a plain relation: {judged.why_no_plan}")
    *others, last = plan.operations
    return replace(plan, operations=(*(o for o in others if o[0] != Op.CHECK), last), static=0)


def _source(name: str | None, model: Model) -> tuple[Path, str]:
    if name is None and _DEFINITION.search(model.source):
        return model.path, model.source
    path = COMMIT_BEFORE / f"{name or _LIKE.get(model.name, model.name)}.cat"
    if not path.is_file():
        path = Path(name or model.name)
    if name is None and not path.is_file():
        raise UsageError(
            f"RSMC needs a commit-before function for {model.name}: define cb in its file, or give --commit-before"
            f" one of {', '.join(ours())} or the path of a .cat file"
        )
    try:
        return path, path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(ours())
        raise UsageError(
            f"--commit-before {name}: {error}; there are {known}, or give the path of a .cat file"
        ) from None
