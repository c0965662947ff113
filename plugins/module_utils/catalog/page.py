# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The upgrade graph as a page of its own: the drawing, and the bundles as a table. It loads nothing from anywhere."""

from __future__ import annotations

from html import escape

from ..page import page
from .drawing import as_svg
from .graph import Graph, Node
from .model import Package

# From right to left, a graph that is too wide shows its newest bundles first.
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; color: #1b2733; background: #fff; }
.graph { width: fit-content; max-width: 100%; overflow-x: auto; border: 1px solid #dde3ea; border-radius: 8px; direction: rtl; }
.graph svg { direction: ltr; display: block; }
table { border-collapse: collapse; margin-top: 1.5rem; } th, td { text-align: left; padding: .3rem 1rem .3rem 0; vertical-align: top; }
th { border-bottom: 2px solid #dde3ea; } td { border-bottom: 1px solid #eef1f4; } td:nth-child(-n+2) { white-space: nowrap; }
td.image { font-family: monospace; font-size: 12px; word-break: break-all; }
tr.deprecated td { color: #8b95a1; } tr.installed td:first-child { font-weight: bold; color: #2a9d4a; }
.warning { color: #a33; }
"""


def as_html(package: Package, graph: Graph, catalog: str) -> str:
    """The page."""
    title = f"Upgrades of {escape(package.name)}"
    rows = "\n".join(_row(node, package) for node in reversed(graph.nodes))
    deprecated = [item for item in package.deprecations if item.schema == "olm.package"]
    notes = "".join(f'<p class="warning">This package is deprecated: {escape(item.message)}</p>' for item in deprecated)
    body = f"""<h1>{title}</h1>
<p>From {escape(catalog)}; default channel {escape(package.default_channel) or "not set"}; {len(package.bundles)} bundles.</p>
{notes}<div class="graph">
{as_svg(package, graph)}</div>
<table>
<thead><tr><th>Version</th><th>Bundle</th><th>Channels</th><th>Image</th><th>Deprecated</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>"""
    return page(title, STYLE, body)


def _row(node: Node, package: Package) -> str:
    classes = " ".join(
        name for name, holds in (("deprecated", node.deprecated is not None), ("installed", node.installed)) if holds
    )
    bundle = package.by_name.get(node.name)
    heads = [f"{name}\N{NO-BREAK SPACE}(head)" if name in node.heads else name for name in node.channels]
    image = bundle.image if bundle else "not in the catalog"
    cells = (node.version + (" (installed)" if node.installed else ""), node.name, ", ".join(heads))
    written = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f'<tr class="{classes}">{written}<td class="image">{escape(image)}</td><td>{escape(node.deprecated or "")}</td></tr>'
