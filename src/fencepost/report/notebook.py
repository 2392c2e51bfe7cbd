"""What notebooks show for a Verdict, a Witness, Outcomes or a Program."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Protocol, runtime_checkable

from fencepost.program.printer import print_program
from fencepost.program.program import Program
from fencepost.report import cards, html, svg, text
from fencepost.report.text import error_text
from fencepost.report.visible import visible
from fencepost.verdict import Answer, Outcomes, OutcomesByModel, Verdict, Witness
from fencepost.witness.names import short_file
from fencepost.witness.story import tell

_COLOURS = {Answer.PASS: "#2f8a57", Answer.FAIL: "#cf222e", Answer.BOUNDED: "#2f6f8a", Answer.UNKNOWN: "#b37400"}
_FRAME = "width:100%;height:620px;border:1px solid #c5ced8;border-radius:8px"
_MONO = "font:12px ui-monospace,Menlo,Consolas,monospace"


def show(value: object, form: str) -> str | None:
    """The HTML or SVG of a value; None where it has no such form and the notebook should take another."""
    match value, form:
        case Verdict(), "line" | "story" | "why" | "fix" | "page":
            return _WORDS[form](value)
        case OutcomesByModel(), "html":
            return _by_model(value)
        case OutcomesByModel(), "story":
            return "\n".join(
                f"{name}: {found.answer.value}, {len(found.states)} states" for name, found in value.items()
            )
        case Verdict(), "html":
            return _verdict(value)
        case Verdict(witness=Witness() as witness), "svg":
            return svg.render_witness(witness)
        case Verdict(), "svg":
            return cards.verdict_card(value)
        case Witness(), "html":
            return _framed(html.render_witness(value))
        case Witness(), "svg":
            return svg.render_witness(value)
        case Outcomes(), "html":
            return _outcomes(value)
        case Outcomes(), "svg":
            return cards.outcomes_chart(value)
        case Program(), "html":
            return f'<pre style="{_MONO}">{escape(print_program(value))}</pre>'
        case Program(), "svg":
            return cards.program_columns(value)
    if isinstance(value, Told) and form == "html":
        return _told(value)
    return None


@runtime_checkable
class Told(Protocol):
    """An explanation or a comparison: words, and what can be drawn."""

    def text(self) -> str: ...

    def pictures(self) -> tuple[Witness, ...]: ...


def _told(value: Told) -> str:
    """The answer, the pictures side by side, and the rest of the text below."""
    first, _, rest = value.text().partition("\n")
    drawn = "".join(f'<div style="overflow:auto">{svg.render_witness(w)}</div>' for w in value.pictures())
    row = f'<div style="display:flex;flex-wrap:wrap;gap:16px">{drawn}</div>' if drawn else ""
    return f'<div><b>{escape(first)}</b>{row}<pre style="{_MONO}">{escape(rest.strip(chr(10)))}</pre></div>'


def _line(verdict: Verdict) -> str:
    reason = error_text(verdict.errors[0]) if verdict.errors else verdict.reason or "no error in any execution"
    at = verdict.errors[0].at if verdict.errors else None
    place = f" at {short_file(at.file)}:{at.line}:{at.column}" if at is not None else ""
    return visible(f"{verdict.answer.value}: {reason} under {verdict.model}{place}")


def _why(verdict: Verdict) -> str:
    found = tell(verdict.witness).explanation.reason if verdict.witness is not None else ""
    return visible(found or verdict.reason)


def _fix(verdict: Verdict) -> str:
    remedies = tell(verdict.witness).explanation.remedies if verdict.witness is not None else ()
    return visible("; ".join(f"{r.text}: {r.proof}" if r.proof else r.text for r in remedies))


#: What a verdict says of itself in words, by the name of the form.
_WORDS: dict[str, Callable[[Verdict], str]] = {
    "line": _line, "story": text.render, "why": _why, "fix": _fix, "page": html.render,
}  # fmt: skip


def _by_model(table: OutcomesByModel) -> str:
    """One row per final state, one column per model."""
    states = sorted({state for found in table.values() for state in found.states})
    head = "".join(f"<th>{escape(n)}</th>" for n in ("final state", *table))
    rows = "".join(
        f"<tr><td>{escape('; '.join(f'{n}={v}' for n, v in state))}</td>"
        + "".join(f"<td>{found.states.get(state, '–')}</td>" for found in table.values())
        + "</tr>"
        for state in states
    )
    answers = "".join(f"<td>{_badge(found.answer)}</td>" for found in table.values())
    notes = "".join(f"<p>{escape(n)}: {escape(found.reason)}</p>" for n, found in table.items() if found.reason)
    return f"<table><tr>{head}</tr>{rows}<tr><td>condition</td>{answers}</tr></table>{notes}"


def _badge(answer: Answer) -> str:
    style = f"background:{_COLOURS[answer]};color:#fff;border-radius:999px;padding:1px 10px;font-weight:700"
    return f'<span style="{style}">{answer.value}</span>'


def _verdict(verdict: Verdict) -> str:
    if verdict.witness is not None:
        return _framed(html.render(verdict))
    reason = escape(verdict.reason or "no error in any execution")
    figures = f"{verdict.executions} executions, {verdict.blocked} blocked, {verdict.seconds:.2f} s"
    return f"<div>{_badge(verdict.answer)} {reason} under {escape(verdict.model)} <small>({figures})</small></div>"


def _framed(page: str) -> str:
    """The page in a frame of its own, so that neither its style nor its script meets the notebook's."""
    return f'<iframe sandbox="allow-scripts" style="{_FRAME}" srcdoc="{escape(page, quote=True)}"></iframe>'


def _outcomes(found: Outcomes) -> str:
    names = [name for name, _ in next(iter(found.states), ())]
    head = "".join(f"<th>{escape(n)}</th>" for n in [*names, "executions"])
    rows = "".join(
        f"<tr>{''.join(f'<td>{value}</td>' for _, value in state)}<td>{count}</td></tr>"
        for state, count in found.states.items()
    )
    errors = "".join(f"<li>{escape(error_text(e))}</li>" for e in found.errors)
    note = f"<p>incomplete: {escape(found.reason)}</p>" if found.reason else ""
    answer = f"<p>{_badge(found.answer)} under {escape(found.model)}</p>"
    return f"{answer}<table><tr>{head}</tr>{rows}</table>{f'<ul>{errors}</ul>' if errors else ''}{note}"
