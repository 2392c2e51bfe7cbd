"""Witnesses: executions as data that can be told, explained, saved, replayed and judged again."""
