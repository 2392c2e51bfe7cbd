"""What `check`, `replay` and others print about a verdict, and the report files that they write on request."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fencepost.errors import UsageError
from fencepost.options import ReportOptions, flag
from fencepost.report.text import PLAIN_WIDTH, render
from fencepost.verdict import Verdict

if TYPE_CHECKING:
    from fencepost.witness.sources import Sources

_WIDEST = 180  # beyond it the eye loses the line


def show(verdict: Verdict, sources: Sources | None = None, *, whole: bool = False) -> str:
    """In colour and as wide as the terminal, where standard output is one. `whole`: with every step."""
    if not sys.stdout.isatty():  # whatever COLUMNS says: every child of a program with readline has it
        return render(verdict, sources=sources, whole=whole, colour=bool(os.environ.get("FORCE_COLOR")))
    width = min(shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns, _WIDEST)
    return render(verdict, sources=sources, whole=whole, width=width, colour=_colours())


def _colours() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def write_reports(
    options: ReportOptions, results: Sequence[tuple[str, Verdict]], sources: Sources | None = None
) -> None:
    """Writes the files that were asked for. A picture is written of the first verdict that has one to draw."""
    if not options.wanted:
        return
    from fencepost.report import dot, html, junit, markdown, sarif, svg

    verdicts = [v for _, v in results]
    shown = next((v for v in verdicts if v.witness is not None), verdicts[0])
    if options.html:
        _write("html", options.html, html.render_several(results, sources))
    for name, target, draw in (("svg", options.svg, svg.render_witness), ("dot", options.dot, dot.render_witness)):
        if target and shown.witness is not None:
            _write(name, target, draw(shown.witness, sources))
    if options.sarif:
        _write("sarif", options.sarif, json.dumps(sarif.log(verdicts, sources), indent=2) + "\n")
    if options.markdown:
        pages = [markdown.render(v, sources, title=name) for name, v in results]
        _write("markdown", options.markdown, "\n".join(pages))
    if options.junit:
        _write("junit", options.junit, junit.render_suite(results, sources))


def _write(option: str, file: str, text: str) -> None:
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{flag(option)} {file}: {error.strerror}") from None
