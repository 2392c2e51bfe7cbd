"""Puts what a command of the laboratory found into a page."""

from __future__ import annotations

import re
from pathlib import Path


def put_between(page: Path, begin: str, end: str, text: str) -> None:
    """Puts a text between two marks."""
    whole = page.read_text(encoding="utf-8")
    if begin not in whole or end not in whole:
        raise SystemExit(f"{page} should have the lines {begin} and {end}")
    fresh = re.sub(f"{begin}.*{end}", lambda _: f"{begin}\n{text}\n{end}", whole, flags=re.DOTALL)
    page.write_text(fresh, encoding="utf-8")
