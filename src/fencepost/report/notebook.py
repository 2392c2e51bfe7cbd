"""What notebooks show for a Verdict, a Witness, Outcomes or a Program."""

from __future__ import annotations

from html import escape

from fencepost.program.printer import print_program
from fencepost.program.program import Program
from fencepost.report import cards, html, svg
from fencepost.report.text import error_text
from fencepost.verdict import Answer, Outcomes, Verdict, Witness

_COLOURS = {Answer.PASS: "#2f8a57", Answer.FAIL: "#cf222e", Answer.BOUNDED: "#2f6f8a", Answer.UNKNOWN: "#b37400"}
_FRAME = "width:100%;height:620px;border:1px solid #c5ced8;border-radius:8px"
_MONO = "font:12px ui-monospace,Menlo,Consolas,monospace"


def show(value: object, form: str) -> str | None:
    """The HTML or SVG of a value; None where it has no such form and the notebook should take another."""
    match value, form:
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
    return None


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
