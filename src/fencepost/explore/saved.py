"""Saved explorations are for exactly one question: the fingerprint covers the program, the model and every option that
changes what an exploration means."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fencepost import _core
from fencepost._version import __version__
from fencepost.errors import UsageError
from fencepost.explore.journal import Saved
from fencepost.prepare.encoded import Prepared
from fencepost.records import fields

if TYPE_CHECKING:
    from fencepost.models.registry import Model
    from fencepost.options import ExploreOptions

#: Options that say how long, where and how loud; all others change the meaning of what is counted.
_HARMLESS = frozenset({
    "model", "max_executions", "time_limit", "memory", "jobs", "save", "resume", "accept_bounds", "deepen",
    "cluster", "certificates",
})  # fmt: skip


def fingerprint(prepared: Prepared, model: Model, options: ExploreOptions) -> str:
    """Of all that changes the meaning of an exploration. The model is taken by its text and by what that was compiled
    to, which covers the files that it includes."""
    program, encoded = prepared.program, prepared.encoded
    asked = {f.name: getattr(options, f.name) for f in fields(options) if f.name not in _HARMLESS}
    parts = (
        __version__, model.name, model.source, sorted(model.variants), model.plan,
        type(options).__name__, sorted(asked.items()),
        encoded.words, encoded.strings, encoded.positions, program.observations, program.condition,
    )  # fmt: skip
    from hashlib import sha256

    return sha256(repr(parts).encode()).hexdigest()


def refuse_other(file: Path, state: Saved, wanted: str) -> None:
    """Raises UsageError where it was saved for another question."""
    if state.fingerprint != wanted:
        raise UsageError(f"--resume {file}: it was saved for another program, model, option or version of fencepost")


def lost_note(file: Path, state: Saved) -> list[str]:
    """What is said about the end of a file that was being written when something crashed."""
    return [f"{file}: the last {state.lost} bytes are no whole record; what they told is explored again"] * bool(
        state.lost
    )


def total(before: _core.CoreResults | None, now: _core.CoreResults) -> _core.CoreResults:
    """The results of two runs of one exploration."""
    if before is None:
        return now
    both = _core.CoreResults()
    both.merge(before)
    both.merge(now)
    return both
