"""Stateless model checking: every execution of a program under a memory model, once."""

from fencepost.explore.driver import executions, explore, knows, outcomes

__all__ = ["executions", "explore", "knows", "outcomes"]
