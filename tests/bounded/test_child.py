"""Work in a child process: answers, errors, time limits, and the end by a signal."""

from __future__ import annotations

import os
import signal
import time

import pytest

from fencepost.bounded.child import in_child
from fencepost.errors import UnsupportedError


def test_what_the_child_returns_comes_back_whole() -> None:
    large = list(range(200_000))  # more than a pipe holds
    assert in_child(lambda: (os.getpid(), large), None) != (os.getpid(), large)
    found = in_child(lambda: large, 60.0)
    assert found == large


def test_what_the_child_raises_is_raised() -> None:
    def work() -> None:
        raise UnsupportedError("a mixed access")

    with pytest.raises(UnsupportedError, match="a mixed access"):
        in_child(work, None)


def test_a_child_that_does_not_come_to_an_end_is_ended() -> None:
    started = time.monotonic()
    assert in_child(lambda: time.sleep(60), 0.1) is None
    assert time.monotonic() - started < 40


def test_a_killed_child_is_no_answer() -> None:
    with pytest.raises(UnsupportedError, match=f"signal {signal.SIGKILL.value}"):
        in_child(lambda: os.kill(os.getpid(), signal.SIGKILL), None)


def test_an_interrupt_ends_the_wait() -> None:
    """The alarm stands for Ctrl-C: it comes while the parent waits."""
    hears = signal.signal(signal.SIGINT, signal.default_int_handler)
    rings = signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    started = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            in_child(lambda: time.sleep(60), None)
        assert time.monotonic() - started < 40
    finally:
        signal.signal(signal.SIGALRM, rings)
        signal.signal(signal.SIGINT, hears)
