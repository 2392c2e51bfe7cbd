"""An execution as a Graphviz graph, for those who want to draw it themselves."""

from __future__ import annotations

from fencepost.report.drawing import KINDS, SHOWN_AT_FIRST, draw
from fencepost.report.palette import LIGHT
from fencepost.verdict import Witness
from fencepost.witness.sources import Sources
from fencepost.witness.story import tell


def render_witness(witness: Witness, sources: Sources | None = None) -> str:
    """One cluster per thread; edges that the page hides at first are left out, the cycle is bold."""
    story = tell(witness, sources)
    drawing = draw(story)
    lines = ["digraph fencepost {", '  node [shape=box, style="rounded,filled", fontname="monospace", fontsize=11];']
    lines.append('  edge [fontname="monospace", fontsize=10];')
    for column, head in enumerate(drawing.heads):
        lines.append(f"  subgraph cluster_{column} {{ label={_quote(head[2])}; color={_quote(LIGHT['line'])};")
        lines += [f"    {_node(i, b.kind, b.lines)}" for i, b in enumerate(drawing.boxes) if b.column == column]
        lines.append("  }")
    lines += [f"  {_node(i, b.kind, b.lines)}" for i, b in enumerate(drawing.boxes) if b.column < 0]
    for a in drawing.arrows:
        if a.kind in SHOWN_AT_FIRST or a.cycle:
            width = ", penwidth=3" if a.cycle else ""
            colour = _quote(LIGHT[_COLOURS.get(a.kind, a.kind)])
            label = "" if a.kind == "po" and not a.cycle else f", label={_quote(a.kind)}, fontcolor={colour}"
            lines.append(f"  n{a.source} -> n{a.target} [color={colour}{label}{width}];")
    return "\n".join([*lines, "}"]) + "\n"


_COLOURS = {"addr": "dep", "data": "dep", "ctrl": "dep", "waits": "wait-line", "race": "bad-line", "missing": "sw"}
assert all(_COLOURS.get(kind, kind) in LIGHT for kind in KINDS), "every kind of edge should have a colour"


def _node(index: int, kind: str, lines: tuple[tuple[str, str], ...]) -> str:
    first = kind.split()[-1]
    fill = {"blamed": "bad", "error": "bad"}.get(first, first if first in LIGHT else "other")
    return f"n{index} [label={_quote(chr(10).join(text for _, text in lines))}, fillcolor={_quote(LIGHT[fill])}];"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
