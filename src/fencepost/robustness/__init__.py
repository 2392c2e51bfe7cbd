"""Robustness: does a program behave under a weaker model as if memory were sequentially consistent?"""

import fencepost._loading  # noqa: F401 - before anything that uses the core
from fencepost.robustness.check import check_robustness

__all__ = ["check_robustness"]
