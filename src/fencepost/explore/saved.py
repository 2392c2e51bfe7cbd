"""Saved explorations: what was found and what is left, in a file that survives a crash in the middle of writing it."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

from fencepost import _core
from fencepost._version import __version__
from fencepost.errors import UsageError
from fencepost.explore.prepare import Prepared


def _fingerprint(prepared: Prepared, model: str) -> tuple[str, str, bytes]:
    return (__version__, model, prepared.encoded.words)


def save(
    exploration: _core.Exploration, prepared: Prepared, model: str, before: dict[str, Any] | None, file: Path
) -> None:
    """Writes beside the file and renames, so that a crash in the middle leaves the older state. The name is that of the
    process: another run may be saving to the same file."""
    state = {
        "fingerprint": _fingerprint(prepared, model),
        "results": add(before, exploration.results()),
        "remaining": exploration.remaining(),
        "cuts": list(prepared.program.cuts),
    }
    fresh = _beside(file)
    try:
        fresh.write_bytes(pickle.dumps(state))
        fresh.replace(file)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


def refuse_unwritable(file: Path) -> None:
    """Raises UsageError where nothing can be saved: before an hour of work, not after it."""
    if file.exists() and not file.is_file():
        raise UsageError(f"--save {file}: this is not a file")
    try:
        fresh = _beside(file)
        fresh.touch()
        fresh.unlink()
    except OSError as error:
        raise UsageError(f"--save {file}: {error.strerror}") from None


def _beside(file: Path) -> Path:
    return file.with_name(f"{file.name}.{os.getpid()}.new")


class _PlainUnpickler(pickle.Unpickler):
    """A saved exploration holds plain values only: nothing in it may name a class."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name} has no place in a saved exploration")


def cuts(file: Path) -> list[int]:
    """Where the program of a saved exploration is cut."""
    found: list[int] = _load(file)[3]
    return found


def resume(exploration: _core.Exploration, prepared: Prepared, model: str, file: Path) -> dict[str, Any]:
    """Lets the exploration go on from a file; what was found until then."""
    fingerprint, results, remaining, _ = _load(file)
    if fingerprint != _fingerprint(prepared, model):
        raise UsageError(f"--resume {file}: it was saved for another program, model, option or version of fencepost")
    exploration.set_remaining(remaining)
    saved: dict[str, Any] = results
    return saved


def _load(file: Path) -> tuple[Any, Any, Any, Any]:
    try:
        with file.open("rb") as stream:
            state = _PlainUnpickler(stream).load()
        return state["fingerprint"], state["results"], state["remaining"], state["cuts"]
    except OSError as error:
        raise UsageError(f"--resume {file}: {error.strerror}") from None
    except (pickle.UnpicklingError, EOFError, KeyError, TypeError, AttributeError, ValueError):
        raise UsageError(f"--resume {file}: this is not a saved exploration") from None


def visited(results: dict[str, Any] | None) -> int:
    return 0 if results is None else int(results["executions"] + results["blocked"])


def add(before: dict[str, Any] | None, now: dict[str, Any]) -> dict[str, Any]:
    """The results of two runs as one."""
    if before is None:
        return now
    summed = ("executions", "blocked", "erroneous", "duplicates", "dead_ends", "kept", "cuts")
    total = {k: before[k] + now[k] for k in summed}
    states: dict[tuple[int, ...], int] = {}
    for values, count in [*before["outcomes"], *now["outcomes"]]:
        states[tuple(values)] = states.get(tuple(values), 0) + count
    total["flags"] = sorted({*before["flags"], *now["flags"]})
    total["may_miss"] = before["may_miss"] or now["may_miss"]
    total["outcomes"] = [(list(values), count) for values, count in states.items()]
    known = {(f["kind"], f["position"]) for f in before["findings"]}
    total["findings"] = before["findings"] + [f for f in now["findings"] if (f["kind"], f["position"]) not in known]
    return total
