"""Values without an execution as SVG: a verdict as a card, outcomes as bars, a program as columns of code."""

from __future__ import annotations

import re
from html import escape

from fencepost.program.printer import print_program
from fencepost.program.program import Program
from fencepost.report.palette import standalone
from fencepost.report.text import figures
from fencepost.verdict import Answer, Outcomes, Verdict

_CSS = """
svg.fencepost .paper { fill: var(--paper); }
svg.fencepost .lane { fill: var(--lane); stroke: var(--line); }
svg.fencepost text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: var(--ink); white-space: pre; }
svg.fencepost text.soft { fill: var(--soft); }
svg.fencepost text.head { font-weight: 700; }
svg.fencepost .bar { fill: var(--write); stroke: var(--write-line); }
svg.fencepost .pass { fill: var(--read-line); }
svg.fencepost .fail { fill: var(--bad-line); }
svg.fencepost .unknown, svg.fencepost .bounded { fill: var(--wait-line); }
svg.fencepost text.badge { fill: var(--paper); font-weight: 700; }
"""
_LETTER, _LINE, _MARGIN = 7.3, 18, 14
_BAR = 220  # pixels of the longest bar
_POSITION = re.compile(r" !\d+:\d+(?::\d+)?$")
_MOST = 200  # lines of a column


def verdict_card(verdict: Verdict) -> str:
    reason = verdict.reason or "no error in any execution"
    texts = [(f"{reason} under {verdict.model}", ""), (figures(verdict), "soft")]
    badge, width = _badge(verdict.answer)
    lines = [_text(_MARGIN + width + 10, _MARGIN + 14 + _LINE * n, t, style) for n, (t, style) in enumerate(texts)]
    longest = max(len(t) for t, _ in texts)
    return _picture(2 * _MARGIN + width + 10 + longest * _LETTER, 2 * _MARGIN + 2 * _LINE, [badge, *lines], reason)


def outcomes_chart(found: Outcomes) -> str:
    """One bar for each final state: how many executions end in it."""
    rows = [(" ".join(f"{k}={v}" for k, v in s) or "(nothing is observed)", n) for s, n in found.states.items()]
    badge, width = _badge(found.answer)
    title = f"under {found.model}" + (f"; incomplete: {found.reason}" if found.reason else "")
    parts = [badge, _text(_MARGIN + width + 10, _MARGIN + 14, title, "soft")]
    left = _MARGIN + max((len(label) for label, _ in rows), default=0) * _LETTER + 12
    most = max((count for _, count in rows), default=1)
    for n, (label, count) in enumerate(rows):
        y = _MARGIN + (n + 2) * _LINE
        long = max(_BAR * count / most, 2)
        parts.append(_text(_MARGIN, y, label))
        parts.append(f'<rect class="bar" x="{left:.0f}" y="{y - 11:.0f}" width="{long:.0f}" height="13" rx="2"/>')
        parts.append(_text(left + long + 6, y, str(count), "soft"))
    across = max(left + _BAR + 80, 2 * _MARGIN + width + 10 + len(title) * _LETTER)
    return _picture(across, 2 * _MARGIN + (len(rows) + 2) * _LINE, parts, f"final states {title}")


def program_columns(program: Program) -> str:
    """The text form: what is shared at the top, then the functions side by side."""
    shared, columns = _columns(program)
    parts = [_text(_MARGIN, _MARGIN + 14 + _LINE * n, line, "soft") for n, line in enumerate(shared)]
    top = _MARGIN + _LINE * len(shared) + 16
    tallest = max((len(c) for c in columns), default=0)
    x = float(_MARGIN)
    for column in columns:
        wide = max(len(line) for line in column) * _LETTER + 24
        box = f'x="{x:.0f}" y="{top:.0f}" width="{wide:.0f}" height="{tallest * _LINE + 14:.0f}" rx="8"'
        parts.append(f'<rect class="lane" {box}/>')
        for n, line in enumerate(column):
            parts.append(_text(x + 12, top + 20 + n * _LINE, line, "" if n else "head"))
        x += wide + 12
    across = max(x, max((len(line) for line in shared), default=0) * _LETTER + 2 * _MARGIN)
    return _picture(across + 2, top + tallest * _LINE + 14 + _MARGIN, parts, f"the program {program.name}")


def _columns(program: Program) -> tuple[list[str], list[list[str]]]:
    shared: list[str] = []
    columns: list[list[str]] = []
    inside = False
    for raw in print_program(program).splitlines():
        line = _POSITION.sub("", raw.rstrip().removesuffix("{").rstrip())
        if raw.startswith("function "):
            columns.append([line.removeprefix("function ")])
            inside = True
        elif raw.startswith("}"):
            inside = False
        elif inside:
            columns[-1].append(line)
        elif line and not line.startswith("file "):
            shared.append(line)
    cut = [c if len(c) <= _MOST else [*c[:_MOST], f"... {len(c) - _MOST} more lines"] for c in columns]
    return shared, cut


def _badge(answer: Answer) -> tuple[str, float]:
    """The badge in the upper left corner, and its width."""
    width = len(answer.value) * 8.2 + 20
    box = f'x="{_MARGIN}" y="{_MARGIN}" width="{width:.0f}" height="20" rx="10"'
    text = _text(_MARGIN + 10, _MARGIN + 14, answer.value, "badge")
    return f'<rect class="{answer.value.lower()}" {box}/>{text}', width


def _text(x: float, y: float, text: str, style: str = "") -> str:
    return f'<text class="{style}" x="{x:.0f}" y="{y:.0f}" xml:space="preserve">{escape(text)}</text>'


def _picture(width: float, height: float, parts: list[str], title: str) -> str:
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="fencepost" {size} role="img">'
    body = [f"<title>{escape(title)}</title>", f"<style>{standalone(_CSS)}</style>"]
    return "\n".join([head, *body, '<rect class="paper" width="100%" height="100%"/>', *parts, "</svg>"]) + "\n"
