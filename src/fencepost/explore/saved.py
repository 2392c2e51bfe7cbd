"""Saved explorations: what was found and what is left, in a file that survives a crash in the middle of writing it.

The file is a line that names its form, a checksum over all that follows, and JSON. It is for exactly one question: the
fingerprint covers the program, the model and every option that changes what an exploration means.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from dataclasses import fields
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from fencepost import _core
from fencepost._version import __version__
from fencepost.errors import UsageError
from fencepost.explore.prepare import Prepared
from fencepost.records import dataclass

if TYPE_CHECKING:
    from fencepost.models.registry import Model
    from fencepost.options import ExploreOptions

_FORM = b"fencepost exploration 2\n"
_DIGEST = sha256().digest_size

#: Options that say how long, where and how loud; all others change the meaning of what is counted.
_HARMLESS = frozenset({
    "model", "max_executions", "time_limit", "memory", "jobs", "save", "resume", "accept_bounds", "deepen",
})  # fmt: skip

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Saved:
    """`cuts`: where the program of the exploration is cut."""

    fingerprint: str
    results: _core.CoreResults
    remaining: tuple[bytes, ...]
    cuts: tuple[int, ...]


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
    return sha256(repr(parts).encode()).hexdigest()


# --- files


def save(file: Path, state: Saved) -> None:
    """Writes beside the file and renames, so that a crash in the middle leaves the older state. The name is that of the
    process: another run may be saving to the same file."""
    data = {
        "fingerprint": state.fingerprint,
        "results": _encode(state.results),
        "remaining": [base64.b64encode(piece).decode("ascii") for piece in state.remaining],
        "cuts": list(state.cuts),
    }
    payload = json.dumps(data, separators=(",", ":")).encode()
    fresh = _beside(file)
    try:
        fresh.write_bytes(_FORM + sha256(payload).digest() + payload)
        fresh.replace(file)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


def load(file: Path) -> Saved:
    """Raises UsageError for a file that is not whole, or none of ours."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UsageError(f"--resume {file}: {error.strerror}") from None
    if not content.startswith(_FORM):
        raise UsageError(f"--resume {file}: this is not a saved exploration of this version of fencepost")
    body = content[len(_FORM) :]
    digest, payload = body[:_DIGEST], body[_DIGEST:]
    if sha256(payload).digest() != digest:
        raise UsageError(f"--resume {file}: the file is damaged: its checksum does not fit")
    try:
        return _state(json.loads(payload))
    except (KeyError, TypeError, AttributeError, ValueError):
        raise UsageError(f"--resume {file}: this is not a saved exploration") from None


def _state(data: Mapping[str, Json]) -> Saved:
    pieces, cuts = data["remaining"], data["cuts"]
    if not isinstance(pieces, list) or not isinstance(cuts, list):
        raise TypeError("lists expected")
    return Saved(
        str(data["fingerprint"]), _decode(_core.CoreResults, data["results"]),
        tuple(base64.b64decode(str(piece), validate=True) for piece in pieces),
        tuple(int(str(cut)) for cut in cuts),
    )  # fmt: skip


def refuse_other(file: Path, state: Saved, wanted: str) -> None:
    """Raises UsageError where it was saved for another question."""
    if state.fingerprint != wanted:
        raise UsageError(f"--resume {file}: it was saved for another program, model, option or version of fencepost")


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


# --- the structs of the core as JSON

#: The members of each, and of what kind those members are that are structs themselves.
_MEMBERS: dict[type, dict[str, type | None]] = {
    _core.CoreEvent: dict.fromkeys(
        ("thread", "index", "kind", "mode", "fence", "rmw", "exclusive", "size", "address", "value", "position",
         "reads_from", "joined", "address_deps", "data_deps", "control_deps")
    ),
    _core.CoreStuck: dict.fromkeys(("thread", "position", "kind")),
    _core.CoreExecution: {
        "events": _core.CoreEvent, "coherence": None, "outcome": None, "stuck": _core.CoreStuck, "spawned_by": None,
    },
    _core.CoreFinding: {
        "kind": None, "message": None, "position": None, "thread": None, "count": None, "events": None,
        "execution": _core.CoreExecution,
    },
    _core.CoreResults: {
        "executions": None, "blocked": None, "erroneous": None, "duplicates": None, "dead_ends": None,
        "unstable": None, "unjustified": None, "doubt": None,
        "may_miss": None, "outcomes": None, "flags": None, "assumed": None,
        "findings": _core.CoreFinding, "kept": _core.CoreExecution, "cuts": None,
    },
}  # fmt: skip


def _encode(value: object) -> Json:
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, list | tuple):
        return [_encode(v) for v in value]
    return {name: _encode(getattr(value, name)) for name in _MEMBERS[type(value)]}


def _decode(kind: type[_T], data: Json) -> _T:
    if not isinstance(data, dict):
        raise TypeError(f"an object expected for {kind.__name__}")
    made = kind()
    for name, inner in _MEMBERS[kind].items():
        value = data[name]
        if inner is None:
            setattr(made, name, value)
        else:
            setattr(
                made, name, [_decode(inner, v) for v in value] if isinstance(value, list) else _decode(inner, value)
            )
    return made


def total(before: _core.CoreResults | None, now: _core.CoreResults) -> _core.CoreResults:
    """The results of two runs of one exploration."""
    if before is None:
        return now
    both = _core.CoreResults()
    both.merge(before)
    both.merge(now)
    return both
