"""Stateless model checking: every execution of a program under a memory model, once."""

from fencepost.explore.driver import estimate, executions, explore, knows, outcomes

__all__ = ["estimate", "executions", "explore", "knows", "outcomes"]
