"""Stateless model checking: every execution of a program under a memory model, once."""

from fencepost.explore.driver import executions, explore, outcomes

__all__ = ["executions", "explore", "outcomes"]
