"""The examples menu: programs that the package carries, with their titles."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_LANGUAGES = {".c": "c", ".cpp": "cpp", ".fp": "fp", ".litmus": "litmus"}


@cache
def examples() -> list[dict[str, str]]:
    """The title stands in a comment on the second line, below what the file expects."""
    found = []
    for group, folder in (("Small ones", "small"), ("From real life", "gallery")):
        place = files("fencepost") / "examples" / folder
        for file in sorted(place.iterdir(), key=lambda f: f.name):
            suffix = "." + file.name.rpartition(".")[2]
            if suffix in _LANGUAGES:
                text = file.read_text(encoding="utf-8")
                language = _LANGUAGES[suffix]
                found.append(
                    {"group": group, "name": file.name, "title": _title(text), "language": language, "text": text}
                )
    return found


def _title(text: str) -> str:
    lines = [line.strip("/*() ") for line in text.splitlines()]
    return next((line for line in lines if line and not line.startswith("fencepost:")), "")
