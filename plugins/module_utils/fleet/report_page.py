# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as one page that holds everything it needs: it can be mailed, archived and opened without a network."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from ..page import page
from .page import begin, choosing, details, keys, matrix, paper, words
from .page.style import style
from .report_json import written

# Shapes that are told apart without their colours; drawn on 16 by 16.
_ICONS: Mapping[str, str] = {
    "healthy": '<circle cx="8" cy="8" r="6.6"/><path d="M5 8.3l2.1 2.1L11 6.3"/>',
    "progressing": '<circle cx="8" cy="8" r="6.6" stroke-dasharray="2.6 1.8"/><path d="M8 4.6V8l2.3 1.6"/>',
    "degraded": '<path d="M8 2.2L14.6 13.6H1.4z"/><path d="M8 6.6v3.2M8 11.6v.2"/>',
    "failed": '<path d="M5.2 1.6h5.6l3.6 3.6v5.6l-3.6 3.6H5.2l-3.6-3.6V5.2z"/><path d="M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4"/>',
    "absent": '<circle cx="8" cy="8" r="6.2" stroke-dasharray="1.6 2.3"/>',
    "unknown": '<path d="M8 1.4L14.6 8 8 14.6 1.4 8z"/><path d="M6.3 6.6a1.8 1.8 0 1 1 2.5 1.7c-.6.3-.8.6-.8 1.1M8 11.2v.2"/>',
    "upgrade": '<path d="M8 13.4V3M3.6 7.2L8 2.8l4.4 4.4"/>',
    "approval": '<rect x="3" y="7" width="10" height="7" rx="1.4"/><path d="M5.2 7V5a2.8 2.8 0 0 1 5.6 0v2"/>',
    "blocked": '<circle cx="8" cy="8" r="6.4"/><path d="M3.6 3.6l8.8 8.8"/>',
    "deprecated": '<path d="M3.6 14.6V2M3.6 2.6h8.8l-2.4 3 2.4 3H3.6"/>',
    "different": '<path d="M2.8 6h10.4M2.8 10h10.4M11 2.6L5 13.4"/>',
    "search": '<circle cx="7" cy="7" r="4.8"/><path d="M10.6 10.6l4 4"/>',
}
_KEYS = (
    ("<kbd>/</kbd>", "search for clusters, extensions, versions, messages"),
    (
        "<kbd>←</kbd> <kbd>↑</kbd> <kbd>→</kbd> <kbd>↓</kbd>",
        "move; <kbd>Home</kbd> <kbd>End</kbd> <kbd>PgUp</kbd> <kbd>PgDn</kbd> move far",
    ),
    ("<kbd>Enter</kbd>", "details, or sort in the first line"),
    ("<kbd>n</kbd> <kbd>p</kbd>", "next and previous of what was found, or of what is not healthy"),
    ("<kbd>s</kbd>", "sort by this column: worst first, then by version"),
    ("<kbd>Esc</kbd>", "close the details, then clear the search"),
    ("<kbd>t</kbd>", "light, dark, or as your system has it"),
)


_SCRIPTS = (words, choosing, matrix, details, keys, paper, begin)
_BODY = """<div class="app">
<div class="top">
<div><h1>{title}</h1><p class="sub" id="sub">{counted}</p></div>
<div class="tools">
<button class="plain" id="theme">Theme: Auto</button>
<button class="plain" id="keys" aria-label="Keys and symbols">Keys <kbd>?</kbd></button>
</div></div>
<section class="overview" aria-label="Health of all extensions">
<div class="bar" id="bar"></div>
<div class="chips" id="chips" role="group" aria-label="Show only"></div>
</section>
<div class="bar2" role="search">
<div class="search"><svg class="icon" aria-hidden="true"><use href="#i-search"/></svg>
<input id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false"
 aria-label="Search for clusters, extensions, versions, messages"><kbd>/</kbd></div>
<select id="group" aria-label="Group"></select>
<select id="order" aria-label="Order of clusters">
<option value="name">By name</option><option value="worst">Worst first</option>
<option value="kubernetes">By Kubernetes version</option><option value="column" hidden>By a column</option>
</select>
<button class="plain" id="reset" hidden>Clear</button>
<span class="count" id="count" role="status"></span></div>
<div class="stage">
<div class="grid" id="grid" role="grid" tabindex="0" aria-label="Clusters and their extensions">
<div class="head" id="head" role="row"></div>
<div class="body" id="body" role="rowgroup"></div>
<p class="empty" id="empty" hidden>Nothing matches. <kbd>Esc</kbd> shows everything again.</p></div>
<aside class="details" id="details" aria-label="Details" aria-live="polite" hidden></aside>
</div></div>
<dialog id="help" aria-label="Keys and symbols"><h2>Keys</h2><table>{keys}</table>
<h3>Symbols</h3><div class="legend" id="legend"></div>
<form method="dialog"><button class="plain">Close</button></form></dialog>
<div id="print"></div>
<noscript>This page needs JavaScript. It loads nothing from anywhere; the JSON report holds the same data.</noscript>"""


def as_page(report: Mapping[str, Any]) -> str:
    """The page; the same report gives the same bytes."""
    title = escape(report["title"])
    icons = "".join(_symbols())
    known = "".join(f"<tr><td>{key}</td><td>{does}</td></tr>" for key, does in _KEYS)
    script = "\n".join(part.SCRIPT for part in _SCRIPTS)
    body = [
        f'<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>\n{icons}</defs></svg>',
        _BODY.format(title=title, counted=_counted(report), keys=known),
        f'<script type="application/json" id="data">{embedded(_packed(report))}</script>',
        f'<script>(() => {{\n"use strict";\n{script}}})();</script>',
    ]
    return page(title, style(), "\n".join(body))


def embedded(value: Any) -> str:
    """JSON that can stand in a script element: nothing in it ends the element or begins a comment."""
    text = written(value, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _symbols() -> Iterator[str]:
    for name, drawing in _ICONS.items():
        yield f'<symbol id="i-{name}" viewBox="0 0 16 16">{drawing}</symbol>\n'


def _counted(report: Mapping[str, Any]) -> str:
    told = report["summary"]
    names = {row["name"] for cluster in report["clusters"] for row in cluster["extensions"]}
    parts = [_plural(told["clusters"], "cluster"), _plural(len(names), "extension")]
    parts += [f"{told['unreachable']:,} without an answer"] if told["unreachable"] else []
    parts += [escape(report["time"])] if report["time"] else []
    return " · ".join(parts)


def _plural(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _packed(report: Mapping[str, Any]) -> dict[str, Any]:
    """The report as a matrix. Rows that are alike stand in it once: in a fleet most are, and the page is a tenth as long."""
    columns: dict[str, int] = {}
    rows: dict[str, int] = {}
    clusters = []
    for cluster in report["clusters"]:
        cells: dict[int, int] = {}
        for row in cluster["extensions"]:
            # Both engines may have one of the same name, while it goes from one to the other.
            column = columns.setdefault(row["name"], len(columns))
            if column in cells:
                column = columns.setdefault(f"{row['name']} ({row['engine']})", len(columns))
            text = json.dumps({key: value for key, value in row.items() if key != "name"}, ensure_ascii=False)
            cells[column] = rows.setdefault(text, len(rows))
        clusters.append({**cluster, "cells": cells})
    order = sorted(columns)
    for packed in clusters:
        packed["cells"] = [packed["cells"].get(columns[name], -1) for name in order]
        del packed["extensions"]
    return {
        "title": report["title"],
        "summary": report["summary"],
        "columns": order,
        "rows": [json.loads(text) for text in rows],
        "clusters": clusters,
    }
