"""fencepost bounded: violations under POWER within a number of contexts."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated, Any

import typer

from fencepost import api
from fencepost.cli.frame import Reply
from fencepost.cli.program import Files
from fencepost.cli.reports import write_reports
from fencepost.errors import UsageError
from fencepost.options import BoundedOptions, ReportOptions
from fencepost.report.json import verdict_data
from fencepost.verdict import Verdict

_EMIT = Annotated[
    str, typer.Option("--emit", help="Print the translation instead: program (text form) or c (for CBMC).")
]


def bounded(
    files: Files, options: BoundedOptions, reports: ReportOptions, emit: _EMIT = "", flags: tuple[str, ...] = ()
) -> Reply:
    """Find a violation under POWER within a number of contexts and a loop bound."""
    if emit:
        if emit not in ("program", "c"):
            raise UsageError(f"--emit {emit}: expected program or c")
        text = api.bounded_translation(files, form=emit, flags=flags, **asdict(options))
        return Reply(text, {"contexts": options.bounds[-1], "unroll": options.unroll, emit: text})
    verdict = api.bounded(files, flags=flags, progress=_tell if sys.stderr.isatty() else None, **asdict(options))
    write_reports(reports, [(", ".join(files), verdict)])
    return Reply(_show(verdict), verdict_data(verdict), verdict.answer.exit_code)


def _tell(progress: Any) -> None:
    found = {True: "found", False: "nothing", None: "the time ran out"}[progress.found]
    print(f"{progress.contexts} contexts: {found} after {progress.seconds:.1f} s", file=sys.stderr)


def _show(verdict: Verdict) -> str:
    lines = [f"{verdict.answer.value}: {verdict.reason}"]
    if verdict.witness is not None:
        lines += _table(verdict)
    lines.append(f"{verdict.extra['contexts']} contexts under power in {verdict.seconds:.2f} s")
    return "\n".join(lines)


def _table(verdict: Verdict) -> list[str]:
    """The run as in the paper's Fig. 4: what each process does in each context."""
    assert verdict.witness is not None, "a table should have a witness"
    lines: list[str] = []
    last = ""
    for step in verdict.witness.run:
        context, _, what = step.text.partition(": ")
        if context != last:
            lines.append(f"  {context}: {verdict.witness.execution.threads[step.thread]}")
            last = context
        place = f"  ({step.at.file}:{step.at.line})" if step.at is not None else ""
        lines.append(f"    {what}{place}")
    return lines
