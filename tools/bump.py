"""Makes a new version: `python tools/bump.py 0.2.0` writes it into the package and the date into the changelog.

Nothing is committed or tagged: read `git diff` first. `--next 0.3.0` afterwards opens the section of the version that
comes after it.
"""

from __future__ import annotations

import argparse
import re
import sys
from datetime import date
from pathlib import Path

VERSION = Path("src/fencepost/_version.py")
CHANGELOG = Path("CHANGELOG.md")
OPEN = re.compile(r"^## (\S+) \(not released yet\)$", re.MULTILINE)
FORM = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")


class MistakeError(Exception):
    """What the caller should do otherwise."""


def numbers(version: str) -> tuple[int, ...]:
    """For comparing versions: 0.2.0rc1 comes before 0.2.0."""
    release, letter, part = re.fullmatch(r"([\d.]+)(a|b|rc)?(\d*)", version).groups()  # type: ignore[union-attr] # see FORM
    return *(int(n) for n in release.split(".")), {"a": 0, "b": 1, "rc": 2, None: 3}[letter], int(part or 0)


def release(root: Path, version: str, day: date) -> None:
    """The version that is open in the changelog becomes this one, of this day."""
    text = (root / CHANGELOG).read_text()
    headings = OPEN.findall(text)
    if len(headings) != 1:
        raise MistakeError(f"{CHANGELOG} should have one section that is not released yet, and has {len(headings)}")
    older = [v for v in re.findall(r"^## (\S+) \(\d{4}-", text, re.MULTILINE) if numbers(v) >= numbers(version)]
    if older:
        raise MistakeError(f"{version} should be later than {older[0]}, which is released")
    (root / CHANGELOG).write_text(OPEN.sub(f"## {version} ({day.isoformat()})", text))
    write_version(root, version)


def begin(root: Path, version: str) -> None:
    """A section for what comes next."""
    text = (root / CHANGELOG).read_text()
    if OPEN.search(text):
        raise MistakeError(f"{CHANGELOG} has a section that is not released yet: release it first")
    first = text.index("\n## ") + 1
    (root / CHANGELOG).write_text(f"{text[:first]}## {version} (not released yet)\n\n{text[first:]}")
    write_version(root, version)


def write_version(root: Path, version: str) -> None:
    text = (root / VERSION).read_text()
    (root / VERSION).write_text(re.sub(r'__version__ = ".*"', f'__version__ = "{version}"', text))


def main(words: list[str] | None = None, root: Path = Path()) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", help="X.Y.Z, or X.Y.Zrc1")
    parser.add_argument("--next", action="store_true", help="open the section of this version instead")
    given = parser.parse_args(words)
    try:
        if not FORM.fullmatch(given.version):
            raise MistakeError(f"{given.version} is no version: expected X.Y.Z, X.Y.Za1, X.Y.Zb1 or X.Y.Zrc1")
        begin(root, given.version) if given.next else release(root, given.version, date.today())
    except MistakeError as mistake:
        print(f"bump: {mistake}", file=sys.stderr)
        return 2
    print(f"{VERSION} and {CHANGELOG} say {given.version}; now: git diff, commit, and the rest of CONTRIBUTING.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
