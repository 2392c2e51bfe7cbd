"""fencepost diff: two results, side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from fencepost.cli.arguments import Argument
from fencepost.cli.frame import Reply
from fencepost.errors import InputError
from fencepost.verdict import ExitCode

Old = Annotated[str, Argument(metavar="OLD", help="What `fencepost ... --json` printed before.")]
New = Annotated[str, Argument(metavar="NEW", help="What it prints now.")]
#: They differ from run to run and say nothing about the program.
_PASSING = frozenset({"seconds"})
#: What results have: verdicts and patches, outcomes, suites and folders, tables by model, findings, errors.
_HEADS = frozenset({"schema", "verdict", "states", "results", "runs", "models", "tests", "findings", "error"})
_EXPECTED = "what `fencepost VERB --json` prints"


def diff(old: Old, new: New) -> Reply:
    """Compare two results that --json printed. Exit code 1 where they differ."""
    rows = list(_differences("", _load(old), _load(new)))
    lines = [f"{path}: {_short(a)} -> {_short(b)}" for path, a, b in rows]
    data = {"differences": [{"path": path, "old": a, "new": b} for path, a, b in rows]}
    return Reply("\n".join(lines) or "no difference", data, ExitCode.FAIL if rows else ExitCode.PASS)


def _load(file: str) -> object:
    try:
        found: object = json.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=file) from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"is no JSON: {error}", file=file, expected=_EXPECTED) from None
    if not isinstance(found, dict) or _HEADS.isdisjoint(found):
        raise InputError("is no result of ours", file=file, expected=_EXPECTED)
    return found


def _differences(path: str, old: object, new: object) -> list[tuple[str, object, object]]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        keys = [k for k in {**old, **new} if k not in _PASSING]
        return [d for k in keys for d in _differences(f"{path}.{k}" if path else k, old.get(k), new.get(k))]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [d for k, (a, b) in enumerate(zip(old, new, strict=True)) for d in _differences(f"{path}[{k}]", a, b)]
    return [] if old == new else [(path, old, new)]


def _short(value: object) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 100 else f"{text[:97]}..."
