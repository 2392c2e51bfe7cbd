"""What the names of well-known bugs mean: a page of the documentation that travels with the program."""

from __future__ import annotations

import re
from functools import cache

from fencepost.report.svg import asset

TOPIC = "bugs"  # of `fencepost help`


@cache
def meanings() -> dict[str, str]:
    """Name -> what it means, in the order of the page."""
    parts = re.split(r"^## (.*)$", asset("bugs.md"), flags=re.MULTILINE)[1:]
    return {name: text.strip() for name, text in zip(parts[::2], parts[1::2], strict=True)}


def page() -> str:
    return asset("bugs.md")


def meaning(name: str) -> str:
    """Empty where no bug has this name."""
    return meanings().get(name, "")
