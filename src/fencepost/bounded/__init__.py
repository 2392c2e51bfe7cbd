"""Context-bounded checking under POWER: translate to a sequential program with guesses, ask a solver, replay."""

from fencepost.bounded.check import Progress, check_bounded, emit

__all__ = ["Progress", "check_bounded", "emit"]
