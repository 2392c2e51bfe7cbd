"""All candidate executions of a program, filtered by a cat model: the independent oracle."""

from fencepost.enumerate.enumeration import Enumeration, enumerate_executions, enumerate_program

__all__ = ["Enumeration", "enumerate_executions", "enumerate_program"]
