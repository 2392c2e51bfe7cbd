"""The pytest plugin: `.litmus`, `.fp` and `.c` files that say what they expect are tests.

A header comment makes a file a test; several make several:

    // fencepost: model=rc11 expect=pass unroll=4
    (* fencepost: model=tso expect=fail *)

`expect` is pass, fail, unknown or a kind of error; `flags` go to the compiler, separated by commas; everything else is
an option of `fencepost check`. A failure prints the witness.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from fencepost.testing.headers import headers, read_header


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if not headers(file_path):
        return None
    return CheckedFile.from_parent(parent, path=file_path)


class HeaderError(Exception):
    """A header that makes no sense: file, line and what is wrong."""


class CheckedFile(pytest.File):
    def collect(self) -> Iterable[pytest.Item]:
        for line, header in headers(self.path):
            try:
                settings = read_header(header)
            except ValueError as problem:
                raise HeaderError(f"{self.path}:{line}: {problem}") from None
            yield CheckItem.from_parent(self, name=header or "fencepost", settings=settings, line=line)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, HeaderError):
            return f"error: {excinfo.value}"
        return super().repr_failure(excinfo)


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
