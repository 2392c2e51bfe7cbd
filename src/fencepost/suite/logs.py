"""herd's log read back: what it found for each test, state by state, to compare ours with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from fencepost.errors import InputError
from fencepost.records import dataclass

_HEXADECIMAL = re.compile(r"-?\b0x[0-9a-fA-F]+\b")  # alone, or in an array
_TEST = re.compile(r"Test (?P<name>\S+) (?:Allowed|Forbidden|Required)\b")
_STATES = re.compile(r"States (\d+)")
_VERDICTS = {"Ok": True, "No": False}


@dataclass(frozen=True, slots=True)
class Expected:
    """What a test should give: whether its condition holds and, where a log says so, its final states."""

    holds: bool | None
    states: frozenset[str] | None = None


def is_log(text: str) -> bool:
    return any(_TEST.match(line) for line in text.splitlines())


def read_log(text: str, file: str) -> dict[str, Expected]:
    """By the name of the test. A test that herd gave up has no states, so it expects nothing."""
    found: dict[str, Expected] = {}
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if m := _TEST.match(line):
            found[m["name"]] = _block(lines, number + 1, file)
    return found


def _block(lines: list[str], start: int, file: str) -> Expected:
    count = _STATES.match(lines[start]) if start < len(lines) else None
    if count is None:
        raise InputError("no states follow this test", file=file, line=start, expected="a line such as 'States 4'")
    end = start + 1 + int(count[1])
    verdict = _VERDICTS.get(lines[end].strip()) if end < len(lines) else None
    return Expected(verdict, frozenset(normal(line) for line in lines[start + 1 : end]))


def normal(state: str) -> str:
    """A state whose parts are in one order and in one form: `x=1` and `[x]=1` are the same, and so are 0x1 and 1."""
    parts = (part.strip() for part in state.split(";"))
    return "; ".join(sorted(_part(part) for part in parts if part))


def _part(part: str) -> str:
    place, _, value = part.partition("=")
    return f"{_unbracketed(place.strip())}={_HEXADECIMAL.sub(lambda m: str(int(m[0], 16)), value.strip())}"


def _unbracketed(place: str) -> str:
    return place[1:-1] if place.startswith("[") and place.endswith("]") else place


def states_of(text: str) -> frozenset[str]:
    """The states of one block of our own output."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if _STATES.match(line)), len(lines))
    count = _STATES.match(lines[start]) if start < len(lines) else None
    return frozenset(normal(line) for line in lines[start + 1 : start + 1 + (int(count[1]) if count else 0)])


def named(files: Iterable[str], log: Mapping[str, Expected]) -> dict[str, Expected]:
    """The expectations by path: a test is found by the name on its first line, or by that of its file."""
    found = {}
    for file in files:
        for name in (_name(file), Path(file).stem):
            if name in log:
                found[file] = log[name]
                break
    return found


def _name(file: str) -> str:
    try:
        with Path(file).open(encoding="utf-8", errors="replace") as opened:
            words = opened.readline().split()
    except OSError:
        return ""
    return words[1] if len(words) > 1 else ""


def difference(ours: frozenset[str], theirs: frozenset[str]) -> str:
    """What only one of the two has; empty where they agree."""
    more, fewer = sorted(ours - theirs), sorted(theirs - ours)
    parts = ([f"{len(more)} more, such as {more[0]}"] if more else []) + (
        [f"{len(fewer)} fewer, such as {fewer[0]}"] if fewer else []
    )
    return ", ".join(parts)
