"""Its presence puts this folder on the path, so that tests can import `corpus` and other helpers beside it."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--promote", action="store_true", help="accept what golden tests find as what they expect")
