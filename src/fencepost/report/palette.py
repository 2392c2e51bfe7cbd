"""The colours of pictures and pages, in light and in dark. `assets/graph.css` and `assets/page.css` name them."""

from __future__ import annotations

import re

LIGHT = {
    "paper": "#ffffff", "lane": "#f5f7fa", "ink": "#1d2733", "soft": "#5b6877", "line": "#c5ced8", "read": "#e6f5ec",
    "read-line": "#2f8a57", "write": "#e6f0fc", "write-line": "#2b6cb8", "update": "#f0eafb",
    "update-line": "#7446b8", "other": "#eef1f4", "other-line": "#8793a1", "bad": "#fdeaea", "bad-line": "#cf222e",
    "wait": "#fff4dc", "wait-line": "#b37400", "po": "#a5b0bc", "rf": "#2f8a57", "fr": "#b2400e", "co": "#2b6cb8",
    "sw": "#7446b8", "hb": "#a64d9c", "dep": "#12828a", "spawn": "#6b7785",
}  # fmt: skip
DARK = {
    "paper": "#12171e", "lane": "#181f28", "ink": "#e6ebf1", "soft": "#9aa7b5", "line": "#364250", "read": "#12291d",
    "read-line": "#4fc283", "write": "#11253d", "write-line": "#5fa8f5", "update": "#241a3a",
    "update-line": "#b18cf2", "other": "#1f2731", "other-line": "#738194", "bad": "#3a1518", "bad-line": "#ff6b70",
    "wait": "#332609", "wait-line": "#e8ae3c", "po": "#4c5967", "rf": "#4fc283", "fr": "#ff8a50", "co": "#5fa8f5",
    "sw": "#b18cf2", "hb": "#df8bd4", "dep": "#3fc3cc", "spawn": "#8b98a7",
}  # fmt: skip


def variables() -> str:
    """For pages: custom properties that follow the system, unless the reader has chosen (`data-theme` on the root)."""
    light, dark = ("".join(f"--{name}: {colour};" for name, colour in p.items()) for p in (LIGHT, DARK))
    return (
        f":root {{{light} color-scheme: light;}}\n"
        f"@media (prefers-color-scheme: dark) {{:root {{{dark} color-scheme: dark;}}}}\n"
        f':root[data-theme="light"] {{{light} color-scheme: light;}}\n'
        f':root[data-theme="dark"] {{{dark} color-scheme: dark;}}\n'
        f"@media print {{:root, :root[data-theme] {{{light} color-scheme: light;}}}}\n"
    )


def standalone(css: str) -> str:
    """For SVG files: literal colours, since few viewers other than browsers know custom properties."""

    def painted(palette: dict[str, str]) -> str:
        return re.sub(r"var\(--([a-z-]+)\)", lambda m: palette[m.group(1)], css)

    return f"{painted(LIGHT)}@media (prefers-color-scheme: dark) {{\n{painted(DARK)}}}\n"
