"""A line plot with logarithmic axes, as SVG."""

from __future__ import annotations

from html import escape
from math import ceil, floor, log10

Points = list[tuple[float, float]]
_COLOURS = ("#1b6ca8", "#c8553d", "#588157", "#7b4fa3")
_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 640, 360, 70, 40, 150, 50


class _Axis:
    """From the 1, 2 or 5 times a power of ten below the values to the one above; over a wide range powers of ten."""

    def __init__(self, values: list[float], start: float, end: float) -> None:
        low, high = min(values), max(values)
        wide = high > 500 * low
        steps = [
            m * 10.0**e
            for e in range(floor(log10(low)) - 1, ceil(log10(high)) + 2)
            for m in ((1,) if wide else (1, 2, 5))
        ]
        first = max(s for s in steps if s <= low * (1 + 1e-9))
        last = min(s for s in steps if s >= high * (1 - 1e-9) and s > first)
        self.ticks = [s for s in steps if first <= s <= last]
        self.start, self.end = start, end

    def at(self, value: float) -> float:
        low, high = log10(self.ticks[0]), log10(self.ticks[-1])
        return self.start + (log10(value) - low) / (high - low) * (self.end - self.start)


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _label(value: float) -> str:
    if 0.001 <= value < 100_000:
        return f"{value:,.0f}".replace(",", " ") if value >= 1 else f"{value:g}"
    power = floor(log10(value) + 1e-9)
    factor = round(value / 10.0**power)
    return ("" if factor == 1 else f"{factor}·") + "10" + str(power).translate(_RAISED)


def line_plot(title: str, x_label: str, y_label: str, series: dict[str, Points]) -> str:
    """Every series as a line with its points. Values must be positive."""
    points = [p for s in series.values() for p in s]
    x = _Axis([p[0] for p in points], _LEFT, _WIDTH - _RIGHT)
    y = _Axis([p[1] for p in points], _HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="22" font-size="15">{escape(title)}</text>',
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2}" y="{_HEIGHT - 12}" text-anchor="middle">{escape(x_label)}</text>',
        f'<text transform="translate(16 {_HEIGHT / 2}) rotate(-90)" text-anchor="middle">{escape(y_label)}</text>',
    ]
    for t in x.ticks:
        at = x.at(t)
        parts.append(f'<line x1="{at:.1f}" y1="{_TOP}" x2="{at:.1f}" y2="{_HEIGHT - _BOTTOM}" stroke="#ddd"/>')
        parts.append(f'<text x="{at:.1f}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="middle">{_label(t)}</text>')
    for t in y.ticks:
        at = y.at(t)
        parts.append(f'<line x1="{_LEFT}" y1="{at:.1f}" x2="{_WIDTH - _RIGHT}" y2="{at:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{_label(t)}</text>')
    for k, (name, values) in enumerate(series.items()):
        parts += _line(name, [(x.at(a), y.at(b)) for a, b in values], _COLOURS[k % len(_COLOURS)], k)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _line(name: str, places: Points, colour: str, number: int) -> list[str]:
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    legend = _TOP + 18 * number
    return [
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
        *[f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in places],
        f'<rect x="{_WIDTH - _RIGHT + 10}" y="{legend}" width="12" height="12" fill="{colour}"/>',
        f'<text x="{_WIDTH - _RIGHT + 28}" y="{legend + 10}">{escape(name)}</text>',
    ]
