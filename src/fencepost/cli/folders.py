"""Checks each of many files that say what is expected of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fencepost.cli.frame import Reply
from fencepost.cli.headers import put_aside
from fencepost.cli.reports import write_reports
from fencepost.errors import FencepostError, UsageError
from fencepost.options import CheckOptions, ReportOptions
from fencepost.records import dataclass, fields
from fencepost.testing import UnexpectedVerdictError, assert_verdict
from fencepost.testing.headers import SUFFIXES, headers, runs
from fencepost.verdict import ExitCode, Verdict


@dataclass(frozen=True, slots=True)
class Row:
    """One run: its place, its header, whether it gave what the header expects, and what it said otherwise."""

    place: str
    header: str
    met: bool
    story: str = ""
    verdict: Verdict | None = None


def check_folders(
    paths: Sequence[Path], options: CheckOptions, reports: ReportOptions, flags: Sequence[str] = (),
    explicit: frozenset[str] = frozenset(), models: Sequence[str] = (),
) -> Reply:  # fmt: skip
    """What a file's own line says counts more than `options`, but for the `explicit` ones of the command line; one of
    these is `models`."""
    rows = list(_rows(paths, _Given(options, tuple(flags), explicit, tuple(models))))
    if not rows:
        raise UsageError(
            "none of these files has a line such as `// fencepost: model=rc11 expect=pass` near its top "
            f"({', '.join(sorted(SUFFIXES))}); write one, or check one file without it"
        )
    write_reports(reports, [(r.place, r.verdict) for r in rows if r.verdict is not None])
    lines = [f"{'ok    ' if r.met else 'FAILED'}  {r.place}  {r.header}" for r in rows]
    failed = [r for r in rows if not r.met]
    stories = [f"\n{r.place}\n{r.story}" for r in failed]
    summary = f"\n{len(rows)} run{'s' * (len(rows) != 1)}, {len(failed)} failed"
    data = {"runs": [{"place": r.place, "header": r.header, "met": r.met, "story": r.story} for r in rows]}
    return Reply("\n".join([*lines, *stories, summary]), data, ExitCode.FAIL if failed else ExitCode.PASS)


@dataclass(frozen=True, slots=True)
class _Given:
    """What the command line says, and the settings of the project."""

    options: CheckOptions
    flags: tuple[str, ...]
    explicit: frozenset[str]
    models: tuple[str, ...]

    def runs(self, header: str) -> list[dict[str, Any]]:
        """The settings of each run of a header. Raises ValueError."""
        values = {f.name: getattr(self.options, f.name) for f in fields(self.options)}
        changed = {f.name: values[f.name] for f in fields(self.options) if values[f.name] != f.default}
        aside = put_aside(self.explicit)
        said = {name: values[name] for name in self.explicit if name in values}
        found = [{k: v for k, v in own.items() if k not in aside} | said for own in runs(header, **changed)]
        if "model" in aside:
            found = [found[0] | {"model": name} for name in self.models or (self.options.model,)]
        return found


def _rows(paths: Sequence[Path], given: _Given) -> Iterator[Row]:
    for file in paths:
        for line, header in headers(file):
            yield from _runs(file, f"{file}:{line}", header, given)


def _runs(file: Path, place: str, header: str, given: _Given) -> Iterator[Row]:
    try:
        found = given.runs(header)
    except ValueError as problem:
        yield Row(place, header, False, str(problem))
        return
    for settings in found:
        model = f" [{settings['model']}]" if len(found) > 1 or "model" in put_aside(given.explicit) else ""
        yield _run(file, place, header + model, settings, given.flags)


def _run(file: Path, place: str, header: str, settings: dict[str, Any], flags: Sequence[str]) -> Row:
    try:
        own = (*settings.pop("flags", ()), *flags)
        verdict = assert_verdict(file, settings.pop("expect"), flags=own, **settings)
    except UnexpectedVerdictError as problem:
        return Row(place, header, False, str(problem), problem.verdict)
    except FencepostError as problem:
        return Row(place, header, False, str(problem))
    return Row(place, header, True, verdict=verdict)
