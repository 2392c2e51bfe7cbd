"""The pytest plugin: `.litmus`, `.fp` and `.c` files that say what they expect are tests.

A header comment makes a file a test; several make several:

    // fencepost: model=rc11 expect=pass unroll=4
    // fencepost: models=sc,tso expect=pass
    (* fencepost: model=tso expect=fail *)

`expect` is pass, fail, unknown or a kind of error; `flags` go to the compiler, separated by commas; everything else is
an option of `fencepost check`. A failure prints the witness. `--fencepost-bound N`, or `fencepost_bound = N` in the
settings of pytest, bounds the loops of files that do not say `unroll` themselves; the fixture `fencepost_bound` has the
number.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from fencepost.testing.headers import headers, runs


def pytest_addoption(parser: pytest.Parser) -> None:
    what = "fencepost: how often each loop may go round, in files that do not say it"
    parser.addoption("--fencepost-bound", type=int, metavar="N", help=what)
    parser.addini("fencepost_bound", what)


def bound_of(config: pytest.Config) -> int | None:
    given: int | None = config.getoption("--fencepost-bound")
    text = str(config.getini("fencepost_bound")).strip()
    if given is None and text:
        if not text.isdigit() or text == "0":
            raise pytest.UsageError(f"fencepost_bound = {text}: expected a whole number from 1")
        given = int(text)
    return given


@pytest.fixture(scope="session")
def fencepost_bound(pytestconfig: pytest.Config) -> int | None:
    """How often each loop may go round: `assert_safe("queue.c", unroll=fencepost_bound)`."""
    return bound_of(pytestconfig)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if not headers(file_path):
        return None
    return CheckedFile.from_parent(parent, path=file_path)


class HeaderError(Exception):
    """A header that makes no sense: file, line and what is wrong."""


class CheckedFile(pytest.File):
    def collect(self) -> Iterable[pytest.Item]:
        for line, header in headers(self.path):
            bound = bound_of(self.config)
            try:
                found = runs(header, **({"unroll": bound} if bound is not None else {}))
            except ValueError as problem:
                raise HeaderError(f"{self.path}:{line}: {problem}") from None
            for settings in found:
                model = f" [{settings['model']}]" if len(found) > 1 else ""
                yield CheckItem.from_parent(self, name=f"{header or 'fencepost'}{model}", settings=settings, line=line)

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
