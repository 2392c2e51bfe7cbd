"""Its presence puts this folder on the path, so that tests can import `corpus` and other helpers beside it."""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--promote", action="store_true", help="accept what golden tests find as what they expect")


def pytest_configure(config: pytest.Config) -> None:
    """The option and the variable FENCEPOST_PROMOTE mean the same."""
    if config.getoption("--promote"):
        os.environ["FENCEPOST_PROMOTE"] = "1"
    elif os.environ.get("FENCEPOST_PROMOTE"):
        config.option.promote = True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests also run outside the checkout, from a wheel (`python tools/from_wheel.py`)."""
    if not (Path(__file__).parent.parent / "native").is_dir():
        for item in items:
            if item.get_closest_marker("source"):
                item.add_marker(pytest.mark.skip(reason="the source tree is not here"))


def pytest_collection_finish() -> None:
    """What thousands of collected tests consist of is no garbage, and need not be looked through again and again."""
    gc.collect()
    gc.freeze()


os.environ["FENCEPOST_CACHE"] = "off"  # tests look at the code, not at what an earlier one answered

# How long an example takes says more about the machine than about us.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

# A shell that starts us in the background lets us ignore Ctrl-C, and so would every command that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
