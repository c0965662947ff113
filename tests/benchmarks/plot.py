# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plots as SVG, both axes logarithmic: what grows linearly is a line that rises as the dashed one does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT, _MARGIN, _GAP = 300, 260, 48, 16
_COLOURS = ("#8a8a8a", "#1f6fb4", "#c8501e", "#2c8c4a")


@dataclass(frozen=True)
class Line:
    """Points of one thing that was measured; all of them above zero."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Panel:
    """One plot: what is up, what is along, and the lines."""

    up: str
    along: str
    lines: Sequence[Line]


def drawn(panels: Sequence[Panel]) -> str:
    """The panels side by side, with one legend for all."""
    width, height = len(panels) * (_WIDTH + _GAP) + _GAP, _HEIGHT + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"',
        ' font-family="sans-serif" font-size="11" fill="#333">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for number, panel in enumerate(panels):
        left = _GAP + number * (_WIDTH + _GAP)
        parts.append(f'<g transform="translate({left},0)">{_panel(panel)}</g>')
    for number, line in enumerate(panels[0].lines):
        left, colour = _MARGIN + number * 220, _COLOURS[number % len(_COLOURS)]
        parts.append(f'<rect x="{left}" y="{_HEIGHT + 12}" width="18" height="4" fill="{colour}"/>')
        parts.append(f'<text x="{left + 26}" y="{_HEIGHT + 19}">{escape(line.name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _panel(panel: Panel) -> str:
    points = [point for line in panel.lines for point in line.points]
    first, last = _decades([x for x, _y in points])
    low, high = _decades([y for _x, y in points])

    def place(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - first) / (last - first)
        up = (math.log10(y) - low) / (high - low)
        return _MARGIN + across * (_WIDTH - _MARGIN - 10), _HEIGHT - 36 - up * (_HEIGHT - 36 - 30)

    parts = [f'<text x="{_MARGIN}" y="16" font-weight="bold">{escape(panel.up)}</text>']
    left, bottom = place(10**first, 10**low)
    right, top = place(10**last, 10**high)
    for power in range(first, last + 1):
        x = place(10**power, 10**low)[0]
        parts.append(f'<path d="M{x:.1f} {bottom:.1f}V{top:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 15:.1f}" text-anchor="middle">{10**power:,}</text>')
    for power in range(low, high + 1):
        y = place(10**first, 10**power)[1]
        parts.append(f'<path d="M{left:.1f} {y:.1f}H{right:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 5:.1f}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:,g}</text>')
    parts.append(f'<text x="{right:.1f}" y="{bottom + 30:.1f}" text-anchor="end">{escape(panel.along)}</text>')
    rise = min(last - first, high - low)
    steep = [place(10.0 ** (last - rise), 10.0 ** (high - rise)), place(10.0**last, 10.0**high)]
    parts.append(f'<path d="{_path(steep)}" stroke="#bbb" stroke-dasharray="4 4" fill="none"/>')
    for number, line in enumerate(panel.lines):
        colour = _COLOURS[number % len(_COLOURS)]
        placed = [place(x, y) for x, y in line.points]
        parts.append(f'<path d="{_path(placed)}" stroke="{colour}" stroke-width="2" fill="none"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in placed]
    return "\n".join(parts)


def _decades(values: Sequence[float]) -> tuple[int, int]:
    """The powers of ten that enclose all values, at least one apart."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
