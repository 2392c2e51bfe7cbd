"""docs/architecture.md is true: its hops come from real runs, its rooms are those of the layers, and no comment or page
points to a page that is not there. FENCEPOST_PROMOTE=1 writes the hops of today."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import fencepost
from fencepost.frontends import read_text
from hops import rooms_of

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
FAILS = 'var x, y\nthread P { x := 1; r := y }\nthread Q { y := 1; s := x; assert(s == 1, "seen") }'
VERBS: dict[str, Callable[[], object]] = {
    "check": lambda: fencepost.check(read_text(FAILS, "t.fp"), model="rc11"),
    "outcomes": lambda: fencepost.outcomes(read_text(FAILS + "\nobserve P:r", "t.fp"), model="rc11"),
    "robust": lambda: fencepost.robust(read_text(FAILS, "t.fp"), against="ra"),
    "bounded": lambda: fencepost.bounded(read_text(FAILS, "t.fp"), contexts="1"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_the_hops_are_those_of_a_real_run(verb: str) -> None:
    hops = " → ".join(f"`{room}`" for room in rooms_of(VERBS[verb]))
    text = PAGE.read_text(encoding="utf-8")
    section = re.compile(rf"(<!-- hops {verb} -->\n).*?(<!-- end -->)", re.DOTALL)
    fresh = section.sub(lambda m: f"{m[1]}{hops}\n{m[2]}", text)
    assert section.search(text), verb
    if os.environ.get("FENCEPOST_PROMOTE"):
        PAGE.write_text(fresh, encoding="utf-8")
    else:
        assert fresh == text, "FENCEPOST_PROMOTE=1 accepts the change"


def test_every_room_is_on_the_map() -> None:
    rooms = tomllib.loads((ROOT / "tests" / "layers.toml").read_text())["python"]
    text = PAGE.read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `([\w.]+)` \|", text, re.MULTILINE))
    assert told == set(rooms) - {"__init__", "__main__", "_core", "_loading", "_version"}


_POINTER = re.compile(r"docs/[\w./-]*\w")
FILES = [p for folder in ("src", "native", "tests", "docs", "benchmarks") for p in sorted((ROOT / folder).rglob("*"))
         if p.suffix in (".py", ".hpp", ".cpp", ".md", ".cat", ".toml") and p.is_file()]  # fmt: skip


def test_no_comment_points_to_a_page_that_is_not_there() -> None:
    dead = [f"{p.relative_to(ROOT)}: {m}" for p in FILES for m in _POINTER.findall(p.read_text(encoding="utf-8"))
            if p != Path(__file__) and not any((ROOT / f"{m}{end}").exists() for end in ("", ".md"))]  # fmt: skip
    assert not dead, dead
