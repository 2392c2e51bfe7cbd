"""Options that a project sets once: `[tool.fencepost]` in pyproject.toml, or fencepost.toml, in this folder or above.

    [tool.fencepost]
    model = "rc11"
    unroll = 4

    [tool.fencepost.bounded]      # for one verb only
    contexts = "1..4"

They stand where a default would: the command line overrides them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from fencepost import paths
from fencepost.cli.arguments import Option, Parameter
from fencepost.errors import InputError

_FILES = (("fencepost.toml", ()), ("pyproject.toml", ("tool", "fencepost")))


def with_settings(verb: str, parameters: list[Parameter]) -> list[Parameter]:
    """The parameters with the project's settings as their defaults."""
    found = find(paths.here())
    if found is None:
        return parameters
    file, table = found
    own = table.get(verb, {})
    if not isinstance(own, Mapping):
        raise InputError(f"[{verb}] is {own!r}", file=file, expected="a table of options")
    shared = {k: v for k, v in table.items() if not isinstance(v, Mapping)}
    known = {p.name: p for p in parameters if isinstance(p.details, Option)}
    _refuse_unknown(file, own, known)
    values = {k.replace("-", "_"): v for k, v in (shared | dict(own)).items()}
    return [
        p._replace(default=_value(file, p, values[p.name])) if p.name in known and p.name in values else p
        for p in parameters
    ]


def find(folder: str) -> tuple[str, Mapping[str, object]] | None:
    """The nearest file with settings, and its table."""
    while True:
        for name, keys in _FILES:
            file = f"{folder.rstrip(os.sep)}{os.sep}{name}"
            table = _table(file, keys)
            if table is not None:
                return file, table
        if paths.above(folder) == folder:
            return None
        folder = paths.above(folder)


def _table(file: str, keys: Sequence[str]) -> Mapping[str, object] | None:
    if not paths.is_file(file):
        return None
    try:
        text = paths.content(file).decode()
        if keys and f"[{'.'.join(keys)}" not in text:
            return None
        import tomllib

        table: Any = tomllib.loads(text)
    except (OSError, ValueError) as error:  # not text, or not TOML
        raise InputError(f"cannot be read: {error}", file=file) from None
    for key in keys:
        table = table.get(key, {})
    return table if isinstance(table, Mapping) else {}


def _refuse_unknown(file: str, own: Mapping[str, object], known: Mapping[str, Parameter]) -> None:
    for name in own:
        if name.replace("-", "_") not in known:
            from difflib import get_close_matches

            near = get_close_matches(name.replace("-", "_"), known, 1)
            hint = f"did you mean {near[0]}?" if near else ""
            raise InputError(f"there is no option {name!r}", file=file, hint=hint)


def _value(file: str, parameter: Parameter, value: object) -> object:
    kind = parameter.value_type
    values = value if isinstance(value, list) else [value]
    for one in values:
        fits = isinstance(one, kind) and (kind is bool or not isinstance(one, bool))
        if not fits and not (kind is float and isinstance(one, int)):
            raise InputError(f"{parameter.name} = {value!r}", file=file, expected=f"a value of type {kind.__name__}")
    return values if parameter.several else values[0]
