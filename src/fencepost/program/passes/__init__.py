"""Passes: each takes a Program and returns a new one."""
