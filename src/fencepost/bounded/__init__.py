"""Checking within bounds: translate to a sequential program with guesses, ask a solver, replay. Under POWER the number
of contexts is bounded, under RA and RC11 only that of the rounds of loops."""

from fencepost.bounded.check import POWER, Progress, analyse, check_bounded, emit

__all__ = ["POWER", "Progress", "analyse", "check_bounded", "emit"]
