"""A verdict in Markdown, for the summary of a CI job or a comment: the answer, the reason, the fix, a picture that
GitHub and GitLab draw (Mermaid), and the story to unfold."""

from __future__ import annotations

import re

from fencepost.report import text
from fencepost.report.text import error_text, figures
from fencepost.report.visible import visible
from fencepost.verdict import Answer, Verdict
from fencepost.witness.sources import Sources
from fencepost.witness.story import Moment, Story, tell

_SIGNS = {Answer.PASS: "✅", Answer.FAIL: "❌", Answer.BOUNDED: "🔶", Answer.UNKNOWN: "❔"}
_MOST = 60  # steps of a picture; more are only told


def render(verdict: Verdict, sources: Sources | None = None, *, title: str = "") -> str:
    story = tell(verdict.witness, sources) if verdict.witness is not None else None
    said = error_text(story.error) if story is not None else verdict.reason or "no error in any execution"
    name = f"{_plain(title)}: " if title else ""
    parts = [f"### {_SIGNS[verdict.answer]} {name}{verdict.answer.value}", f"{_plain(said)}, under `{verdict.model}`"]
    if story is not None:
        parts += _told(verdict, story, sources)
    return "\n\n".join([*parts, f"<sub>{figures(verdict)}</sub>"]) + "\n"


def _told(verdict: Verdict, story: Story, sources: Sources | None) -> list[str]:
    found = story.explanation
    parts = [f"**why** {_plain(found.reason)}."] if found.reason else []
    parts += [f"**fix** {_plain(r.text)}{f': {_plain(r.proof)}' if r.proof else ''}." for r in found.remedies]
    if len(story.moments) <= _MOST:
        parts.append(f"```mermaid\n{diagram(story)}\n```")
    whole = text.render(verdict, sources=sources).replace("```", "` ` `")
    return [*parts, f"<details><summary>the story</summary>\n\n```text\n{whole}```\n\n</details>"]


def diagram(story: Story) -> str:
    """Threads side by side, steps from top to bottom, and an arrow for each value that another thread wrote."""
    lines = ["sequenceDiagram"]
    lines += [f"  participant T{c.thread} as {_quoted(c.name)}" for c in story.columns]
    known = {c.thread for c in story.columns}
    for m in (m for m in story.moments if m.thread in known):
        writer = _writer(story, m)
        words = _quoted(f"{m.number}. {m.text}{f' ({m.mode})' if m.mode else ''}{'  ✗' if m.blamed else ''}")
        words += f"<br/>{_quoted(m.detail)}" if m.detail else ""
        if writer is not None and writer in known and writer != m.thread:
            lines.append(f"  T{writer}->>T{m.thread}: {words}")
        else:
            lines.append(f"  Note over T{m.thread}: {words}")
    return "\n".join(lines)


def _writer(story: Story, m: Moment) -> int | None:
    """The thread whose write a step reads, where it is one that is told."""
    execution = story.witness.execution
    for event in m.events:
        source = execution.reads_from.get(event)
        if source is not None and story.number_of(source) is not None:
            return execution.events[source].thread
    return None


def _plain(words: str) -> str:
    """Text that Markdown does not read as its own."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", " ".join(visible(words).split()))


def _quoted(words: str) -> str:
    """Text that Mermaid does not read as its own."""
    return re.sub(r"[;#<>{}\"\\]", lambda m: f"#{ord(m[0])};", " ".join(visible(words).split()))
