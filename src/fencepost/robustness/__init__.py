"""Robustness: does a program behave under a weaker model as if memory were sequentially consistent?"""

import fencepost._loading  # noqa: F401 - before anything that uses the core
from fencepost.robustness.check import AGAINST, analyse, check_robustness, weaker_model

__all__ = ["AGAINST", "analyse", "check_robustness", "weaker_model"]
