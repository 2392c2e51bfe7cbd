"""The default report: a story with one column per thread, the reason in one sentence, and what would have helped.

Everything is laid out as styled spans; a terminal gets them in colour (through rich), anything else gets plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import wrap
from typing import TYPE_CHECKING

from fencepost.program.instructions import ErrorKind
from fencepost.program.operands import Position
from fencepost.records import dataclass
from fencepost.report.visible import visible
from fencepost.verdict import Answer, ErrorReport, Verdict, Witness
from fencepost.witness.titles import SELF_EXPLAINING, TITLES

if TYPE_CHECKING:  # a verdict without a witness needs none of it
    from fencepost.witness.sources import Sources
    from fencepost.witness.story import Moment, Story

PLAIN_WIDTH = 100
_NARROWEST = 28  # a column below this is not readable: threads are told one below the other instead
_GUTTER = 5

_STYLES = {
    "fail": "bold white on red", "pass": "bold black on green", "unknown": "bold black on yellow",
    "bounded": "bold black on cyan", "head": "bold",
    "dim": "dim", "write": "cyan", "read": "green", "update": "magenta", "fence": "blue", "error": "bold red",
    "wait": "bold yellow", "missed": "yellow", "label": "bold cyan", "": "",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line in one style; nothing in it steers the terminal."""

    text: str
    style: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", visible(self.text))


Line = list[Span]


def render(
    verdict: Verdict, *, sources: Sources | None = None, width: int = PLAIN_WIDTH, colour: bool = False,
    whole: bool = False,
) -> str:  # fmt: skip
    """The whole report of a verdict, ending in a newline. `whole`: with every step of the execution."""
    story = _tell(verdict.witness, sources, whole=whole) if verdict.witness is not None else None
    lines = _head(verdict, story)
    if story is not None:
        lines += [[], *_story(story, width)]
    lines += _tail(verdict, width)
    return _write(lines, colour)


def _tell(witness: Witness, sources: Sources | None, *, whole: bool = False) -> Story:
    from fencepost.witness.story import tell

    return tell(witness, sources, whole=whole)


def render_witness(
    witness: Witness, *, sources: Sources | None = None, width: int = PLAIN_WIDTH, colour: bool = False
) -> str:
    """The story of one witness without the figures of the run that found it."""
    story = _tell(witness, sources)
    return _write([_error_line(story.error, witness.model), [], *_story(story, width)], colour)


def _write(lines: Iterable[Line], colour: bool) -> str:
    if not colour:
        return "".join("".join(s.text for s in line).rstrip() + "\n" for line in lines)
    from io import StringIO

    from rich.console import Console
    from rich.text import Text

    out = StringIO()
    console = Console(file=out, force_terminal=True, width=1000, highlight=False, legacy_windows=False)
    for line in lines:
        text = Text()
        for s in line:
            text.append(s.text, style=_STYLES[s.style])
        text.rstrip()
        console.print(text, soft_wrap=True)
    return out.getvalue()


# --- above and below the story


def _head(verdict: Verdict, story: Story | None) -> list[Line]:
    answer = Span(f" {verdict.answer.value} ", verdict.answer.value.lower())
    if story is not None:
        return [[answer, Span(" "), *_error_line(story.error, verdict.model)]]
    text = verdict.reason or {Answer.PASS: "no error in any execution"}.get(verdict.answer, "")
    lines: list[Line] = [[answer, Span(" "), Span(f"{text} ", "head"), Span(f"under {verdict.model}", "dim")]]
    return lines + [[Span("       "), *_error_line(e, verdict.model)] for e in verdict.errors]


def error_text(error: ErrorReport) -> str:
    """The kind of an error and its message, without saying anything twice."""
    title = TITLES.get(error.kind, error.kind.value.replace("-", " "))
    if error.kind is ErrorKind.RACE:
        return error.message.partition(": ")[0] or title  # both accesses are in the story
    if error.kind is ErrorKind.ASSERTION and error.thread < 0 and error.message:
        return error.message  # of the whole program: a final condition
    if error.kind in SELF_EXPLAINING and error.message:
        return error.message
    return f"{title}: {error.message}" if error.message else title


def _error_line(error: ErrorReport, model: str) -> Line:
    where = f"  {_place(error.at)}" if error.at is not None else ""
    text = error_text(error)
    under = "" if error.kind is ErrorKind.NOT_ROBUST else f" under {model}"
    return [Span(text, "head"), Span(f"{under}{where}", "dim")]


def _place(at: Position | None) -> str:
    from fencepost.witness.names import short_file

    return f"{short_file(at.file)}:{at.line}" if at is not None else ""


def _tail(verdict: Verdict, width: int) -> list[Line]:
    lines: list[Line] = [[]]
    for other in verdict.others:
        where = f"  {_place(other.error.at)}" if other.error.at is not None else ""
        lines += _labelled("also", f"{error_text(other.error)}{where}", width)
    for warning in verdict.warnings:
        lines += _labelled("warning", warning, width)
    lines.append([Span(figures(verdict), "dim")])
    if engine := chosen_engine(verdict):
        lines += _labelled("engine", engine, width)
    return lines


def chosen_engine(verdict: Verdict) -> str:
    """Which engine ran and why, where there was a choice."""
    engine, why = verdict.extra.get("engine"), verdict.extra.get("why")
    return f"{engine}: {why}" if why else ""


def figures(verdict: Verdict) -> str:
    """How much was explored, and in what time."""
    told = ("engine", "why") if chosen_engine(verdict) else ()
    parts = [f"{k} {value}" for k, value in verdict.extra.items() if type(value) in (int, str) and k not in told]
    if verdict.extra.get("representing", 0) is None and verdict.executions:
        parts.insert(0, "representing more")
    first = verdict.answer is Answer.FAIL and not verdict.executions and verdict.blocked <= 1
    if first and not parts:
        return f"found in the first execution{', which is blocked' * verdict.blocked}, {verdict.seconds:.2f} s"
    if verdict.executions or not parts:
        noun = "execution" if verdict.executions == 1 else "executions"
        parts.insert(0, f"{verdict.executions} {noun}")
    if verdict.blocked:
        parts.append(f"{verdict.blocked} blocked")
    return f"{', '.join(parts)}, {verdict.seconds:.2f} s"


def _labelled(label: str, text: str, width: int) -> list[Line]:
    parts = wrap(text, max(width - 9, 30), break_long_words=False, break_on_hyphens=False) or [""]
    first: Line = [Span(f"{label:<9}", "label"), Span(parts[0])]
    return [first, *([Span(" " * 9 + p)] for p in parts[1:])]


# --- the story


def _story(story: Story, width: int) -> list[Line]:
    lines: list[Line] = []
    if story.initial:
        lines += [*_labelled("at first", ", ".join(story.initial), width), []]
    lines += _columns(story, width) if _fits(story, width) else _list(story, width)
    lines.append([])
    if story.explanation.reason:
        lines += _labelled("why", f"{_sentence(story.explanation.reason)}", width)
    if story.explanation.known:
        lines += _labelled("known as", f"{story.explanation.known} (fencepost help bugs)", width)
    for remedy in story.explanation.remedies:
        proof = f": {remedy.proof}" if remedy.proof else ""
        lines += _labelled("fix", _sentence(remedy.text + proof), width)
    lines += [line for text in story.output for line in _labelled("printed", text, width)]
    lines += [line for note in story.notes for line in _labelled("note", _sentence(note), width)]
    if story.run:
        lines += [[], *_run(story)]
    return lines


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def _column_width(story: Story, width: int) -> int:
    count = max(len(story.columns), 1)
    return (width - _GUTTER - 3 * (count - 1)) // count


def _fits(story: Story, width: int) -> bool:
    return bool(story.columns) and _column_width(story, width) >= _NARROWEST


def _columns(story: Story, width: int) -> list[Line]:
    wide = _column_width(story, width)
    order = [c.thread for c in story.columns]
    names = [Span(c.name + (f"  ({c.hidden} not shown)" if c.hidden else ""), "head") for c in story.columns]
    lines = [_row("", [[n] for n in names], wide)]
    lines.append([Span("─" * (_GUTTER - 1) + "─┼─".join("─" * (wide + (not i)) for i in range(len(order))), "dim")])
    for moment in story.moments:
        cell = _cell(moment, wide)
        if moment.thread not in order:
            lines += [[Span(f"{moment.number:>3}  "), *line] for line in _cell(moment, width - _GUTTER)]
            continue
        at = order.index(moment.thread)
        for number, line in enumerate(cell):
            cells: list[Line] = [[] for _ in order]
            cells[at] = line
            lines.append(_row("" if number else str(moment.number), cells, wide))
    return lines


def _row(number: str, cells: list[Line], wide: int) -> Line:
    line: Line = [Span(f"{number:>{_GUTTER - 2}}  ", "dim")]
    for index, cell in enumerate(cells):
        if index:
            line.append(Span(" │ ", "dim"))
        line += cell
        line.append(Span(" " * (wide - sum(len(s.text) for s in cell))))
    return line


def _cell(m: Moment, wide: int) -> list[Line]:
    """What happened, where the value came from, the source line, who called: each on lines of its own."""
    mark = {"error": "✗ ", "wait": "… "}.get(m.kind, "✗ " if m.blamed else "")
    style = "error" if mark == "✗ " else m.kind if m.kind in _STYLES else ""
    text = _fold(mark + m.text, wide, 4)
    lines: list[Line] = [[Span(t, style)] for t in text]
    if m.mode and len(text[-1]) + len(m.mode) + 3 <= wide:
        lines[-1].append(Span(f" ({m.mode})", "dim"))
    elif m.mode:
        lines.append([Span(f"({m.mode})", "dim")])
    lines += [[Span(t, "missed" if "missed" in m.detail else "")] for t in wrap(m.detail, wide)]
    where = f"{m.place}  {m.source}".strip()
    lines += [[Span(t, "dim")] for t in _fold(where, wide, 3)] if where else []
    return lines + [[Span(t, "dim")] for t in wrap(m.via, wide)]


def _fold(text: str, wide: int, most: int) -> list[str]:
    """Lines of at most `wide` characters, broken where code can be broken: after a blank, a comma or a bracket."""
    lines: list[str] = []
    indent = ""
    while len(indent + text) > wide and len(lines) < most - 1:
        room = wide - len(indent)
        breaks = [i + 1 for i, c in enumerate(text[:room]) if c in " ,(;" and i >= room // 2]
        cut = breaks[-1] if breaks else room
        lines.append((indent + text[:cut]).rstrip())
        text, indent = text[cut:].lstrip(), "  "
    last = indent + text
    return [*lines, last if len(last) <= wide else last[: wide - 1] + "…"]


def _list(story: Story, width: int) -> list[Line]:
    """For many threads or a narrow terminal: the same story, one step below the other."""
    names = {c.thread: c.name for c in story.columns}
    wide = max((len(n) for n in names.values()), default=0)
    lines: list[Line] = []
    for m in story.moments:
        for number, line in enumerate(_cell(m, max(width - _GUTTER - wide - 2, 20))):
            name = "" if number else names.get(m.thread, "")
            count = "" if number else str(m.number)
            lines.append([Span(f"{count:>3}  ", "dim"), Span(f"{name:<{wide}}  ", "head"), *line])
    return lines


CONTEXT = re.compile(r"context (\d+): ")


def _run(story: Story) -> list[Line]:
    """The steps of the machine that the analysis ran, under the contexts that they belong to where there are such."""
    names = {c.thread: c.name for c in story.columns}
    wide = max((len(n) for n in names.values()), default=0)
    lines: list[Line] = [[Span("the run", "label")]]
    last = ""
    for number, (step, place) in enumerate(story.run, 1):
        name, context = names.get(step.thread, ""), CONTEXT.match(step.text)
        if context is not None and context.group() != last:
            last = context.group()
            lines.append([Span(f"     context {context.group(1)}: {name}", "head")])
        who = Span("  ") if context is not None else Span(f"{name:<{wide}}  ", "head")
        text = Span(step.text.removeprefix(last))
        lines.append([Span(f"{number:>3}  ", "dim"), who, text, Span(f"  {place}" if place else "", "dim")])
    return lines
