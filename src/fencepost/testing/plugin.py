"""The pytest plugin: `.litmus`, `.fp` and `.c` files that say what they expect are tests.

A header comment makes a file a test; several make several:

    // fencepost: model=rc11 expect=pass unroll=4
    (* fencepost: model=tso expect=fail *)

`expect` is pass, fail, unknown or a kind of error; `flags` go to the compiler, separated by commas; everything else is
an option of `fencepost check`. A failure prints the witness.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest

SUFFIXES = frozenset({".litmus", ".fp", ".c", ".cc", ".cpp", ".cxx"})
_HEADER = re.compile(rb"(?://|/\*|\(\*)\s*fencepost:([^\n*]*)")
_HEAD_BYTES = 4096


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix not in SUFFIXES or not _head(file_path):
        return None
    return CheckedFile.from_parent(parent, path=file_path)


def _head(path: Path) -> list[tuple[int, str]]:
    """The headers at the top of a file with their lines. Only the head is read: most files are no tests."""
    try:
        with path.open("rb") as stream:
            text = stream.read(_HEAD_BYTES)
    except OSError:
        return []
    found = ((text.count(b"\n", 0, m.start()) + 1, m.group(1)) for m in _HEADER.finditer(text))
    return [(line, header.decode("utf-8", "replace").strip()) for line, header in found]


class HeaderError(Exception):
    """A header that makes no sense: file, line and what is wrong."""


class CheckedFile(pytest.File):
    def collect(self) -> Iterable[pytest.Item]:
        for line, header in _head(self.path):
            try:
                settings = read_header(header)
            except ValueError as problem:
                raise HeaderError(f"{self.path}:{line}: {problem}") from None
            yield CheckItem.from_parent(self, name=header or "fencepost", settings=settings, line=line)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, HeaderError):
            return f"error: {excinfo.value}"
        return super().repr_failure(excinfo)


def read_header(header: str) -> dict[str, Any]:
    """`model=rc11 expect=pass unroll=4` as keyword arguments of `assert_verdict`. Raises ValueError."""
    from fencepost.options import CheckOptions

    hints = get_type_hints(CheckOptions)
    known = [f.name for f in fields(CheckOptions)]
    settings: dict[str, Any] = {"expect": "pass"}
    for word in header.split():
        name, equals, value = word.partition("=")
        name = name.replace("-", "_")
        if name == "flags":
            settings["flags"] = tuple(value.split(","))
        elif name == "expect":
            settings["expect"] = value.lower()
        elif name in known:
            settings[name] = _value(hints[name], value if equals else "true", name)
        else:
            raise ValueError(f"there is no setting {name!r}; expected expect, flags, {', '.join(known)}")
    return settings


def _value(hint: Any, text: str, name: str) -> Any:
    """The value that an option's type makes of a word."""
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


class CheckItem(pytest.Item):
    def __init__(self, *, settings: dict[str, Any], line: int, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.settings, self.line = settings, line

    def runtest(self) -> None:
        from fencepost.testing import assert_verdict

        settings = dict(self.settings)
        assert_verdict(self.path, settings.pop("expect"), **settings)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        from fencepost.errors import FencepostError
        from fencepost.testing import UnexpectedVerdictError

        if isinstance(excinfo.value, UnexpectedVerdictError | FencepostError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.line - 1, f"{self.path.name}: {self.name}"
