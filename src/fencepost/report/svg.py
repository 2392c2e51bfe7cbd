"""The picture of a story as SVG: standing alone (`--svg`, notebooks) or inside the HTML page."""

from __future__ import annotations

from html import escape
from importlib.resources import files

from fencepost.report.drawing import HEADER, KINDS, LINE, MARGIN, SHOWN_AT_FIRST, Arrow, Box, Drawing, draw
from fencepost.report.palette import standalone
from fencepost.verdict import Witness
from fencepost.witness.sources import Sources
from fencepost.witness.story import Story, tell


def asset(name: str) -> str:
    return files("fencepost.report").joinpath("assets", name).read_text(encoding="utf-8")


def render_witness(witness: Witness, sources: Sources | None = None) -> str:
    """A complete SVG file in light and dark; edges that the page hides at first are left out."""
    return render_story(tell(witness, sources))


def render_story(story: Story) -> str:
    drawing = draw(story)
    drawing.arrows = [a for a in drawing.arrows if a.cycle or a.kind in SHOWN_AT_FIRST]
    return markup(drawing, style=standalone(asset("graph.css")), title=story.explanation.reason)


def markup(drawing: Drawing, *, style: str = "", title: str = "") -> str:
    size = f'viewBox="0 0 {drawing.width:.0f} {drawing.height:.0f}"'
    size += f' width="{drawing.width:.0f}" height="{drawing.height:.0f}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" class="fencepost" {size} role="group">']
    parts.append(f"<title>{escape(title)}</title>")
    if style:
        parts.append(f"<style>{style}</style>")
    parts += [
        "<defs>",
        *(_marker(kind, size) for kind in KINDS for size in (8, 13)),
        "</defs>",
        '<rect class="paper" width="100%" height="100%"/>',
    ]
    parts += [_head(x, width, name, drawing.height, i) for i, (x, width, name) in enumerate(drawing.heads)]
    drawn = sorted(drawing.arrows, key=lambda a: a.cycle)  # the cycle on top
    parts += [_arrow(a, drawing.boxes) for a in drawn]
    parts += [_box(b, i) for i, b in enumerate(drawing.boxes)]
    parts += [_label(a) for a in drawn if a.kind != "po" or a.cycle]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _marker(kind: str, size: int) -> str:
    """An arrow head; the larger one is for the cycle."""
    name = f'id="fp-{kind}-{size}" class="{kind}{" cycle" if size > 8 else ""}"'
    return (
        f'<marker {name} viewBox="0 0 8 8" refX="7" refY="4" '
        f'markerWidth="{size}" markerHeight="{size}" markerUnits="userSpaceOnUse" orient="auto">'
        '<path d="M0,0.8L8,4L0,7.2z"/></marker>'
    )


def _head(x: float, width: float, name: str, height: float, index: int) -> str:
    box = f'x="{x - 12:.0f}" y="{MARGIN - 20}" width="{width + 24:.0f}" height="{height - MARGIN:.0f}" rx="10"'
    at = f'x="{x + width / 2:.0f}" y="{MARGIN + HEADER - 30:.0f}" text-anchor="middle"'
    inside = f'<rect class="lane" {box}/><text class="thread" {at}>{escape(name)}</text>'
    return f'<g class="column t{index % 8}">{inside}</g>'


def _arrow(a: Arrow, boxes: list[Box]) -> str:
    ends = f'data-from="{a.source}" data-to="{a.target}"'
    kind = f"edge {a.kind}" + (" cycle" if a.cycle else "")
    shape = f'd="{a.path}" marker-end="url(#fp-{a.kind}-{13 if a.cycle else 8})"'
    return f'<path class="{kind}" {ends} {shape}><title>{_tip(a, boxes)}</title></path>'


def _tip(a: Arrow, boxes: list[Box]) -> str:
    return escape(f"{a.kind}: {boxes[a.source].label} → {boxes[a.target].label} ({KINDS[a.kind]})")


def _label(a: Arrow) -> str:
    kind = f"edge-label {a.kind}" + (" cycle" if a.cycle else "")
    x, y = a.label
    ends = f'data-from="{a.source}" data-to="{a.target}"'
    return f'<text class="{kind}" {ends} x="{x:.0f}" y="{y + 4:.0f}" text-anchor="middle">{a.kind}</text>'


def _box(b: Box, index: int) -> str:
    focus = f' tabindex="0" role="button" aria-label="{escape(b.label, quote=True)}"' if b.number else ""
    parts = [f'<g class="event {b.kind}" data-box="{index}" data-step="{b.number}"{focus}>']
    rounding = b.height / 2 if b.kind == "init" else 7
    parts.append(
        f'<rect x="{b.x:.0f}" y="{b.y:.0f}" width="{b.width:.0f}" height="{b.height:.0f}" rx="{rounding:.0f}"/>'
    )
    if b.number:
        parts.append(f'<text class="number" x="{b.x - 8:.0f}" y="{b.y - 3:.0f}">{b.number}</text>')
    y = b.y + (b.height - LINE * len(b.lines)) / 2 + 11
    for style, text in b.lines:
        parts.append(f'<text class="{style}" x="{b.x + 10:.0f}" y="{y:.0f}">{escape(text)}</text>')
        y += LINE
    return "".join([*parts, "</g>"])
