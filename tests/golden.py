"""Golden files: `assert_golden(path, text)` compares; with FENCEPOST_PROMOTE=1 it accepts what is there now."""

from __future__ import annotations

import os
from pathlib import Path


def assert_golden(path: Path, text: str) -> None:
    if os.environ.get("FENCEPOST_PROMOTE"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.exists(), f"{path} is missing: look at the output, then run again with FENCEPOST_PROMOTE=1"
    assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; FENCEPOST_PROMOTE=1 accepts the change"
