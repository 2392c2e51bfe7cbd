"""The expectations that stand in the first lines of C benchmarks:

    // fencepost: model=rc11 flags=-DN=3 unroll=4 expect=pass executions=66 blocked=0

`expect` is pass, fail, bounded or unknown; a fail also has its `kind` and may have its `line`. Each line is one run.
Counts are those of single executions, without reductions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from fencepost import api
from fencepost.verdict import Verdict

ROOT = Path(__file__).parent.parent
_LINE = re.compile(r"^// fencepost: (.*)$", re.MULTILINE)
_KNOWN = {"model", "flags", "unroll", "expect", "executions", "blocked", "kind", "line", "ignore"}


@dataclass(frozen=True)
class Run:
    path: Path
    settings: tuple[tuple[str, str], ...]

    @property
    def wanted(self) -> dict[str, str]:
        return dict(self.settings)

    def __str__(self) -> str:
        shown = " ".join(v for k, v in self.settings if k in ("model", "flags", "expect"))
        return f"{self.path.relative_to(ROOT / 'benchmarks')} {shown}"

    def check(self) -> Verdict:
        w = self.wanted
        flags = w["flags"].split(",") if "flags" in w else []
        ignore = tuple(w["ignore"].split(",")) if "ignore" in w else ()
        unroll = int(w["unroll"]) if "unroll" in w else None
        return api.check(
            self.path, flags=flags, model=w["model"], unroll=unroll, ignore=ignore, max_executions=400_000,
            reductions=False,
        )  # fmt: skip

    def complaint(self, verdict: Verdict) -> str | None:
        """What is not as expected."""
        w = self.wanted
        answer = verdict.answer.value.lower()
        if answer != w["expect"]:
            return f"{answer}: {verdict.reason}"
        for key, found in (("executions", verdict.executions), ("blocked", verdict.blocked)):
            if key in w and int(w[key]) != found:
                return f"{key}: {found}"
        if answer == "fail":
            error = verdict.errors[0]
            place = error.at.line if error.at is not None else 0
            if w["kind"] != error.kind.value or ("line" in w and int(w["line"]) != place):
                return f"{error.kind.value} at line {place}: {error.message}"
        return None


def runs_of(path: Path) -> list[Run]:
    found = []
    for match in _LINE.finditer(path.read_text()):
        settings = tuple((k, v) for k, _, v in (word.partition("=") for word in match.group(1).split()))
        unknown = {k for k, _ in settings} - _KNOWN
        assert not unknown, f"{path}: {unknown}"
        assert {"model", "expect"} <= {k for k, _ in settings}, f"{path}: {match.group()}"
        found.append(Run(path, settings))
    return found


def all_runs(folder: str) -> list[Run]:
    paths = sorted(p for p in (ROOT / "benchmarks" / folder).rglob("*") if p.suffix in (".c", ".cpp"))
    return [run for path in paths for run in runs_of(path)]
