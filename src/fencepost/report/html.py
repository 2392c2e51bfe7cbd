"""One self-contained page per witness: the picture, the source beside it, the story to step through. No network."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from itertools import groupby
from pathlib import PurePath
from string import Template

from fencepost._version import __version__
from fencepost.report.bugs import meaning
from fencepost.report.drawing import KINDS, SHOWN_AT_FIRST, Drawing, draw
from fencepost.report.palette import variables
from fencepost.report.svg import asset, markup
from fencepost.report.text import CONTEXT, chosen_engine, error_text, figures
from fencepost.verdict import Step, Verdict, Witness
from fencepost.witness.names import function_name, short_file
from fencepost.witness.sources import Sources, sources_of
from fencepost.witness.story import Moment, Story, tell

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


_MOST_HIDDEN = 300


def render(verdict: Verdict, sources: Sources | None = None) -> str:
    """The page of a verdict; without a witness it only says the answer."""
    texts = sources or sources_of(verdict.witness)
    if verdict.witness is None:
        return _frame(verdict.answer.value, _plain_body(verdict))
    stories = [tell(w, texts) for w in verdict.witnesses]
    pages = [_page(story, texts, verdict.answer.value, _figures(verdict)) for story in stories]
    return pages[0] if len(pages) == 1 else _errors(verdict, stories, pages)


def _errors(verdict: Verdict, stories: Sequence[Story], pages: Sequence[str]) -> str:
    """One page for several errors: a list of them, and below it the page of each, to unfold."""
    answer = verdict.answer.value
    badge = f'<span class="badge {answer.lower()}">{answer}</span>'
    names = [error_text(story.error) for story in stories]
    rows = [
        _row(f'<a href="#v{n}">{escape(name)}</a>', escape(_where(story)))
        for n, (name, story) in enumerate(zip(names, stories, strict=True))
    ]
    folded = [
        _folded(n, escape(name), page, shown=n == 0) for n, (name, page) in enumerate(zip(names, pages, strict=True))
    ]
    title = f"{len(pages)} errors under {verdict.model}"
    return _list(f"{answer}: {title}", f"{badge} {escape(title)}", rows, folded)


def _where(story: Story) -> str:
    at = story.error.at
    return f"{short_file(at.file)}:{at.line}" if at is not None else ""


def _row(*cells: str) -> str:
    return f"<tr>{''.join(f'<td>{c}</td>' for c in cells)}</tr>"


def _folded(number: int, summary: str, page: str, *, shown: bool) -> str:
    """A page inside a page, with names and scripts of its own."""
    frame = f'<iframe sandbox="allow-scripts" srcdoc="{escape(page, quote=True)}"></iframe>'
    return f'<details id="v{number}"{" open" if shown else ""}><summary>{summary}</summary>{frame}</details>'


def _list(title: str, heading: str, rows: Sequence[str], pages: Sequence[str]) -> str:
    table = f'<div class="several"><table>{"".join(rows)}</table>{"".join(pages)}</div>'
    return _frame(title, f"<header><h1>{heading}</h1></header>{table}")


def render_several(results: Sequence[tuple[str, Verdict]], sources: Sources | None = None) -> str:
    """One page for several verdicts: a table, and below it the page of each, to unfold."""
    if len(results) == 1:
        return render(results[0][1], sources)
    rows, pages = [], []
    first = next((n for n, (_, v) in enumerate(results) if v.witness is not None), -1)
    for number, (name, verdict) in enumerate(results):
        badge = f'<span class="badge {verdict.answer.value.lower()}">{verdict.answer.value}</span>'
        told = error_text(verdict.errors[0]) if verdict.errors else verdict.reason or "no error in any execution"
        link = f'<a href="#v{number}">{escape(name)}</a>'
        rows.append(_row(link, badge, escape(told), escape(_figures(verdict))))
        pages.append(_folded(number, f"{badge} {escape(name)}", render(verdict, sources), shown=number == first))
    return _list(f"{len(results)} verdicts", f"{len(results)} verdicts", rows, pages)


def render_witness(witness: Witness, sources: Sources | None = None) -> str:
    texts = sources or sources_of(witness)
    return _page(tell(witness, texts), texts, "FAIL", "")


def _page(story: Story, sources: Sources, answer: str, figures: str) -> str:
    drawing = draw(story)
    panel = _memory_panel(story) + _source_panel(story, sources) + _run(story) + _hidden(story, sources)
    body = "\n".join([
        _header(story, answer),
        _toolbar(drawing),
        f'<main{"" if panel else " class=alone"}><div id="graph" tabindex="-1" aria-label="execution graph">'
        '<div id="heads" aria-hidden="true"></div>',
        markup(drawing, title=""),
        f"</div>{f'<aside>{panel}</aside>' if panel else ''}</main>",
        _footer(figures),
        '<div id="tip" hidden></div><div id="say" class="sr" aria-live="polite"></div>',
        f'<script type="application/json" id="data">{_data(story)}</script>',
        f"<script>{asset('page.js')}</script>",
    ])  # fmt: skip
    return _frame(f"{answer}: {error_text(story.error)}", body)


def _frame(title: str, body: str) -> str:
    style = variables() + asset("graph.css") + asset("page.css")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="generator" content="fencepost {__version__}">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def _plain_body(verdict: Verdict) -> str:
    answer = verdict.answer.value
    reason = escape(verdict.reason or "no error in any execution")
    where = f'<span class="where">under {escape(verdict.model)}</span>'
    head = f'<h1><span class="badge {answer.lower()}">{answer}</span> {reason} {where}</h1>'
    warnings = "".join(f'<p class="why"><b class="also">note</b>{escape(w)}</p>' for w in verdict.warnings)
    return f"<header>{head}{warnings}</header><main></main>{_footer(_figures(verdict))}"


# --- above the picture


def _header(story: Story, answer: str) -> str:
    error, model = story.error, story.witness.model
    place = f" · {escape(short_file(error.at.file))}:{error.at.line}" if error.at is not None else ""
    title = f'<span class="badge {answer.lower()}">{answer}</span> {escape(error_text(error))}'
    lines = [f'<h1>{title} <span class="where">under {escape(model)}{place}</span></h1>']
    if story.explanation.reason:
        lines.append(f'<p class="why"><b class="cause">why</b>{_sentence(story.explanation.reason)}</p>')
    if story.explanation.known:
        lines.append(_known(story.explanation.known))
    for remedy in story.explanation.remedies:
        proof = f": {remedy.proof}" if remedy.proof else ""
        lines.append(f'<p class="why"><b class="cure">fix</b>{_sentence(remedy.text + proof)}</p>')
    for note in (*story.notes, *(f"printed {o}" for o in story.output)):
        lines.append(f'<p class="why"><b class="also">note</b>{_sentence(note)}</p>')
    return f"<header>{''.join(lines)}</header>"


def _known(name: str) -> str:
    """The name of the bug, which unfolds to what it means."""
    text = escape(" ".join(meaning(name).split()))
    told = f'<details id="known"><summary>{escape(name)}</summary><p>{text}</p></details>' if text else escape(name)
    return f'<div class="why"><b class="also">known as</b>{told}</div>'


def _sentence(text: str) -> str:
    return escape(text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else "."))


def _toolbar(drawing: Drawing) -> str:
    there = [k for k in KINDS if any(a.kind == k for a in drawing.arrows)]
    boxes = "".join(
        f'<label class="{k}" title="{escape(KINDS[k], quote=True)}"><input type="checkbox" value="{k}"'
        f"{' checked' if k in SHOWN_AT_FIRST else ''}><i></i>{k}</label>"
        for k in there
    )
    if any(a.cycle and a.kind != "race" for a in drawing.arrows):
        title = "the reason: a cycle that no order of taking turns allows"
        boxes += f'<label title="{title}"><input type="checkbox" value="cycle" checked>cycle</label>'
    return Template(asset("toolbar.html")).substitute(kinds=boxes)


def _figures(verdict: Verdict) -> str:
    return "; ".join(part for part in (figures(verdict), chosen_engine(verdict)) if part)


def _footer(figures: str) -> str:
    return Template(asset("footer.html")).substitute(figures=escape(figures), version=__version__)


# --- beside the picture


def _source_panel(story: Story, sources: Sources) -> str:
    told = [story.error.at, *(m.at for m in story.moments), *(step.at for step, _ in story.run)]
    files = [f for f in dict.fromkeys(at.file for at in told if at is not None) if sources.lines(f)]
    used: dict[str, set[int]] = {}
    for m in story.moments:
        if m.at is not None:
            used.setdefault(m.at.file, set()).add(m.at.line)
    tabs = "".join(
        f'<button role="tab" data-file="{escape(f, quote=True)}" aria-selected="{str(i == 0).lower()}">'
        f"{escape(f.rpartition('/')[2])}</button>"
        for i, f in enumerate(files)
    )
    bodies = [
        f'<div class="source" data-file="{escape(f, quote=True)}"{" hidden" if i else ""}>'
        + "".join(
            _source_line(n, text, PurePath(f).suffix, n in used.get(f, ()))
            for n, text in enumerate(sources.lines(f) or (), 1)
        )
        + "</div>"
        for i, f in enumerate(files)
    ]
    return (f'<div class="tabs" role="tablist">{tabs}</div>' if files else "") + "".join(bodies)


def _memory_panel(story: Story) -> str:
    """Empty until a step is chosen: the script fills it."""
    if not story.memory or not story.memory[0]:
        return ""
    heads = "".join(f"<th>{escape(c.name)}</th>" for c in story.columns)
    title = "<h2>what happens-before leaves each thread to read, after this step</h2>"
    table = f"<table><thead><tr><th></th>{heads}</tr></thead><tbody></tbody></table>"
    return f'<section id="memory" hidden>{title}{table}</section>'


def _hidden(story: Story, sources: Sources) -> str:
    """What the story leaves out, folded, by thread."""
    if not any(c.hidden for c in story.columns):
        return ""
    told = {e for m in story.moments for e in m.events}
    whole = tell(story.witness, sources, whole=True)
    names = {c.thread: c.name for c in whole.columns}
    left = [m for m in whole.moments if m.events and not told & set(m.events)]
    items = "".join(_call(names.get(thread, ""), call, list(steps)) for (thread, call), steps in _by_call(left))
    more = f"<p>and {len(left) - _MOST_HIDDEN} more</p>" if len(left) > _MOST_HIDDEN else ""
    count = f"{len(left)} step{'s' if len(left) != 1 else ''} not shown"
    return f'<details id="hidden"><summary>{count}</summary>{items}{more}</details>' if left else ""


def _by_call(left: Sequence[Moment]) -> Iterable[tuple[tuple[int, str], Iterable[Moment]]]:
    """By thread and by the call that the thread's own function made."""
    return groupby(
        sorted(left[:_MOST_HIDDEN], key=lambda m: m.thread),
        key=lambda m: (m.thread, _outermost(m)),
    )


def _outermost(m: Moment) -> str:
    if len(m.calls) < 2:
        return ""
    name = function_name(m.calls[-2].function)
    return "the making of global objects" if name.startswith("__cxx_global_") else f"{name}()"


def _stack(m: Moment) -> str:
    """Who called whom, innermost first; nothing where the thread's own function did it."""
    called = [
        f"{function_name(c.function)}()" + (f" {short_file(c.at.file)}:{c.at.line}" if c.at is not None and n else "")
        for n, c in enumerate(m.calls)
    ]  # fmt: skip
    return " ← ".join(called) if len(called) > 1 else ""


def _call(thread: str, call: str, steps: Sequence[Moment]) -> str:
    items = "".join(
        f"<li>{escape(m.text)}{f' <span>{escape(m.place)}</span>' if m.place else ''}</li>" for m in steps
    )  # fmt: skip
    count = f"{len(steps)} step{'s' if len(steps) != 1 else ''}"
    within = f" in {escape(call)}" if call else ""
    return f"<details><summary><b>{escape(thread)}</b>{count}{within}</summary><ul>{items}</ul></details>"


def _source_line(number: int, text: str, suffix: str, used: bool) -> str:
    return f'<div data-line="{number}"{" class=used" if used else ""}>{highlight(text, suffix) or " "}</div>'


_WORDS = {
    ".fp": "thread var na const fn mutex if else while for in goto break continue return local assert assume wait "
    "fence sync lwsync isync exists forall choose observe lock unlock",
    ".c": "if else while for do switch case break return goto struct union enum typedef int long short char void bool "
    "static const unsigned signed sizeof atomic_int _Atomic assert",
}  # fmt: skip


@cache
def _tokens(suffix: str) -> re.Pattern[str]:
    words = "|".join(_WORDS.get(suffix, _WORDS[".c"]).split())
    comments = r"//.*|/\*.*?\*/|^\s*\#.*" + (r"|\(\*.*?\*\)" if suffix == ".litmus" else "")  # in C `(*p)` is none
    return re.compile(
        rf"(?P<c>{comments})"
        r"|(?P<s>\"(?:[^\"\\]|\\.)*\")"
        rf"|(?P<n>\b0x[0-9a-fA-F]+\b|\b\d+\b)|(?P<k>\b(?:{words})\b)"
    )


def highlight(line: str, suffix: str) -> str:
    """Enough colour to find one's way; a line at a time, since that is what is lit."""
    out, at = [], 0
    for match in _tokens(suffix).finditer(line):
        out.append(escape(line[at : match.start()]))
        out.append(f'<span class="{match.lastgroup}">{escape(match.group())}</span>')
        at = match.end()
    return "".join([*out, escape(line[at:])])


def _run(story: Story) -> str:
    if not story.run:
        return ""
    names = {c.thread: c.name for c in story.columns}
    title = '<section id="run"><h2>the run of the machine</h2>'
    if all(CONTEXT.match(step.text) for step, _ in story.run):
        return f"{title}{_contexts(story, names)}</section>"
    told = ((step, f"<b>{escape(names.get(step.thread, ''))}</b>{escape(step.text)}") for step, _ in story.run)
    items = [_item(story, step, text) for step, text in told]
    return f"{title}<ol>{''.join(items)}</ol></section>"


def _item(story: Story, step: Step, text: str) -> str:
    number = story.number_of(step.event) if step.event is not None else None
    link = f' data-step="{number}"' if number is not None else ""
    return f"<li{link}>{text}</li>"


def _contexts(story: Story, names: dict[int, str]) -> str:
    """A run in contexts: one row for each, its steps in the column of the thread that is active in it."""
    threads = sorted({step.thread for step, _ in story.run})
    heads = "".join(f"<th>{escape(names.get(t, str(t)))}</th>" for t in threads)
    rows, first = [], 1
    for number, group in groupby((step for step, _ in story.run), key=lambda s: CONTEXT.findall(s.text)[0]):
        steps = list(group)
        items = "".join(_item(story, s, escape(CONTEXT.sub("", s.text))) for s in steps)
        own = f'<td><ol start="{first}">{items}</ol></td>'
        cells = "".join(own if t == steps[0].thread else "<td></td>" for t in threads)
        rows.append(f"<tr><th>{number}</th>{cells}</tr>")
        first += len(steps)
    return f"<table><tr><th>context</th>{heads}</tr>{''.join(rows)}</table>"


def _data(story: Story) -> str:
    """What the script needs, safe inside a script element."""
    data = {
        "moments": [_moment(m) for m in story.moments],
        "threads": {str(c.thread): c.name for c in story.columns},
        "memory": [[{"place": s.place, "values": s.values} for s in step] for step in story.memory],
        "kinds": KINDS,
    }
    return json.dumps(data, ensure_ascii=False).replace("<", "\\u003c").replace("&", "\\u0026")


def _moment(m: Moment) -> dict[str, object]:
    at = m.at
    return {
        "number": m.number, "thread": m.thread, "text": m.text, "detail": m.detail, "mode": m.mode, "source": m.source,
        "stack": _stack(m), "file": at.file if at is not None else "", "line": at.line if at is not None else 0,
        "place": m.place,
    }  # fmt: skip
