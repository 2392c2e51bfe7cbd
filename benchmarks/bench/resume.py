"""What an earlier run measured of the same code and the same question need not be measured again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import fencepost._core
from bench.suites import ROOT, Case

Row = dict[str, Any]
Measured = dict[tuple[str, str], Row]  # by suite and case


@cache
def code() -> str:
    """The package and its core: with another one, everything is measured anew."""
    package = Path(fencepost.__file__).parent
    parts = sorted(p for p in package.rglob("*") if p.is_file() and p.suffix != ".pyc")
    return _digest([*parts, Path(fencepost._core.__file__)])


def key(case: Case, peers: Iterable[str]) -> str:
    """Stands for a question: the code, the command, the files that it reads, and who is asked besides."""
    words = case.command[1:]  # the first is the interpreter
    named = [Path(a) for a in words if a.startswith("/") and Path(a).is_file()]
    beside = {h for f in named for h in f.parent.glob("*.h")}
    asked = [a.replace(str(ROOT), "") for a in words]
    text = json.dumps([code(), asked, case.limit, sorted(peers), _digest(sorted({*named, *beside}))])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def rows_of(results: dict[str, Any] | None) -> Measured:
    """The rows of an earlier run that say what they answer."""
    suites = results["suites"] if results else {}
    return {(suite, r["case"]): r for suite, rows in suites.items() for r in rows if r.get("key")}


def _digest(files: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for file in files:
        found.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()
