"""Robustness: does a program behave under a weaker model as if memory were sequentially consistent?"""

from fencepost.robustness.check import check_robustness

__all__ = ["check_robustness"]
