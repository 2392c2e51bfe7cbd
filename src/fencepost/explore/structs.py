"""The structs of the core as JSON."""

from __future__ import annotations

from typing import TypeVar

from fencepost import _core
from fencepost.explore.packed import Json

_T = TypeVar("_T")

#: The members of each, and of what kind those members are that are structs themselves.
MEMBERS: dict[type, dict[str, type | None]] = {
    _core.CoreEvent: dict.fromkeys(
        ("thread", "index", "kind", "mode", "fence", "rmw", "exclusive", "noreturn", "size", "address", "value",
         "position", "reads_from", "joined", "address_deps", "data_deps", "control_deps")
    ),
    _core.CoreStuck: dict.fromkeys(("thread", "position", "kind")),
    _core.CoreExecution: {
        "events": _core.CoreEvent, "coherence": None, "outcome": None, "stuck": _core.CoreStuck, "spawned_by": None,
    },
    _core.CoreFinding: {
        "kind": None, "message": None, "position": None, "thread": None, "count": None, "events": None,
        "execution": _core.CoreExecution,
    },
    _core.CoreBetween: dict.fromkeys(("kind", "size", "thread", "loop", "address", "without", "was")),
    _core.CoreLook: dict.fromkeys(
        ("kind", "size", "op", "bits", "thread", "address", "mask", "operand", "bytes", "follows")
    ),
    _core.CoreResults: {
        "executions": None, "blocked": None, "choices": None, "erroneous": None, "duplicates": None, "digest": None,
        "dead_ends": None,
        "unstable": None, "unjustified": None, "doubt": None,
        "representing": None, "uncounted": None, "late": None, "asymmetric": None, "irregular": None,
        "waits_in_block": None, "outcomes": None, "flags": None, "assumed": None,
        "findings": _core.CoreFinding, "kept": _core.CoreExecution, "cuts": None, "in_parts": None,
        "between": _core.CoreBetween, "looks": _core.CoreLook,
    },
}  # fmt: skip


def encode(value: object) -> Json:
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, list | tuple):
        return [encode(v) for v in value]
    return {name: encode(getattr(value, name)) for name in MEMBERS[type(value)]}


def decode(kind: type[_T], data: Json) -> _T:
    if not isinstance(data, dict):
        raise TypeError(f"an object expected for {kind.__name__}")
    made = kind()
    for name, inner in MEMBERS[kind].items():
        value = data[name]
        if inner is None:
            setattr(made, name, value)
        else:
            setattr(made, name, [decode(inner, v) for v in value] if isinstance(value, list) else decode(inner, value))
    return made
