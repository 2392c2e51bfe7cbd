"""Checks every file of a folder that says what is expected of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from fencepost.cli.frame import Reply
from fencepost.errors import FencepostError, UsageError
from fencepost.records import dataclass
from fencepost.testing import UnexpectedVerdictError, assert_verdict
from fencepost.testing.headers import SUFFIXES, headers, read_header
from fencepost.verdict import ExitCode


@dataclass(frozen=True, slots=True)
class Row:
    """One run: its place, its header, whether it gave what the header expects, and what it said otherwise."""

    place: str
    header: str
    met: bool
    story: str = ""


def check_folders(paths: Sequence[Path]) -> Reply:
    rows = list(_rows(paths))
    if not rows:
        raise UsageError(
            f"{paths[0]}: no file below has a `// fencepost: model=... expect=...` line near its top "
            f"({', '.join(sorted(SUFFIXES))})"
        )
    lines = [f"{'ok    ' if r.met else 'FAILED'}  {r.place}  {r.header}" for r in rows]
    failed = [r for r in rows if not r.met]
    stories = [f"\n{r.place}\n{r.story}" for r in failed]
    summary = f"\n{len(rows)} runs, {len(failed)} failed"
    data = {"runs": [{"place": r.place, "header": r.header, "met": r.met, "story": r.story} for r in rows]}
    return Reply("\n".join([*lines, *stories, summary]), data, ExitCode.FAIL if failed else ExitCode.PASS)


def _rows(paths: Sequence[Path]) -> Iterator[Row]:
    for path in paths:
        files = sorted(p for p in path.rglob("*") if p.suffix in SUFFIXES) if path.is_dir() else [path]
        for file in files:
            for line, header in headers(file):
                yield _run(file, f"{file}:{line}", header)


def _run(file: Path, place: str, header: str) -> Row:
    try:
        settings = read_header(header)
        assert_verdict(file, settings.pop("expect"), **settings)
    except (UnexpectedVerdictError, FencepostError, ValueError) as problem:
        return Row(place, header, False, str(problem))
    return Row(place, header, True)
