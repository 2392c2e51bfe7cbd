"""Stateless model checking: every execution of a program under a memory model, once."""

import fencepost._loading  # noqa: F401 - before anything that uses the core
from fencepost.explore.driver import estimate, executions, explore, knows, outcomes

__all__ = ["estimate", "executions", "explore", "knows", "outcomes"]
