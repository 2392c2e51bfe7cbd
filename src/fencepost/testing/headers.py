"""Files that say what is expected of them: `// fencepost: model=rc11 expect=pass unroll=4` near the top."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_type_hints

from fencepost.records import fields

SUFFIXES = frozenset({".litmus", ".fp", ".c", ".cc", ".cpp", ".cxx"})
_HEADER = re.compile(rb"(?://|/\*|\(\*)\s*fencepost:([^\n*]*)")
_HEAD_BYTES = 4096


def headers(path: Path) -> list[tuple[int, str]]:
    """The headers at the top of a file with their lines. Only the head is read: most files are no tests."""
    if path.suffix not in SUFFIXES:
        return []
    try:
        with path.open("rb") as stream:
            text = stream.read(_HEAD_BYTES)
    except OSError:
        return []
    found = ((text.count(b"\n", 0, m.start()) + 1, m.group(1)) for m in _HEADER.finditer(text))
    return [(line, header.decode("utf-8", "replace").strip()) for line, header in found]


def read_header(header: str) -> dict[str, object]:
    """`model=rc11 expect=pass unroll=4` as keyword arguments of `assert_verdict`. Raises ValueError."""
    from fencepost.options import CheckOptions

    hints = get_type_hints(CheckOptions)
    known = [f.name for f in fields(CheckOptions)]
    settings: dict[str, object] = {"expect": "pass"}
    for word in header.split():
        name, equals, value = word.partition("=")
        name = name.replace("-", "_")
        if name == "flags":
            settings["flags"] = tuple(value.split(","))
        elif name == "expect":
            settings["expect"] = value.lower()
        elif name in known:
            settings[name] = value_of(hints[name], value if equals else "true", name)
        else:
            raise ValueError(f"there is no setting {name!r}; expected expect, flags, {', '.join(known)}")
    return settings


def runs(header: str, **defaults: Any) -> list[dict[str, object]]:
    """The settings of each run that a header asks for: `models=sc,tso` are two. What it does not say is as in
    `defaults`. Raises ValueError."""
    words = header.split()
    several = [w for w in words if w.startswith("models=")]
    rest = " ".join(w for w in words if w not in several)
    if several and re.search(r"\bmodel=", rest):
        raise ValueError("model= and models= say different things: give one of them")
    names = [m for w in several for m in w.removeprefix("models=").split(",") if m]
    if several and not names:
        raise ValueError("models= names no model; expected names separated by commas, such as models=sc,rc11")
    settings = defaults | read_header(rest)
    return [settings | {"model": name} for name in names] if names else [settings]


def value_of(hint: Any, text: str, name: str) -> Any:
    """The value that an option's type makes of a word. Raises ValueError."""
    shown = str(hint)
    if "tuple" in shown:
        return tuple(text.split(","))
    if hint is bool:
        if text not in ("true", "false"):
            raise ValueError(f"{name}={text}: expected true or false")
        return text == "true"
    for kind in (int, float):
        if kind.__name__ in shown:
            try:
                return kind(text)
            except ValueError:
                raise ValueError(f"{name}={text}: expected a number") from None
    return text
