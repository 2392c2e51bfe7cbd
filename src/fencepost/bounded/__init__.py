"""Context-bounded checking under POWER: translate to a sequential program with guesses, ask a solver, replay."""

from fencepost.bounded.check import POWER, Progress, analyse, check_bounded, emit

__all__ = ["POWER", "Progress", "analyse", "check_bounded", "emit"]
