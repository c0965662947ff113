# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How the page of a report looks. Colours are told apart by people who see few of them, and no colour says anything that a shape does not."""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light;
  --ground: #f5f7fa; --surface: #ffffff; --raised: #ffffff; --line: #e1e6ed; --line-strong: #c9d1db;
  --ink: #17202b; --quiet: #5b6878; --faint: #a3adba; --accent: #0b5cad; --accent-soft: #e4effb; --hover: #f0f5fb; --mark: #fff3bf;
  --healthy: #0f7a5a; --healthy-soft: #e3f4ed; --progressing: #1668b8; --progressing-soft: #e2effb;
  --degraded: #8f5600; --degraded-soft: #fff0cf; --failed: #b3350b; --failed-soft: #fde5dc;
  --absent: #55606e; --absent-soft: #eceff3; --unknown: #8a3a78; --unknown-soft: #f8e6f3;
  --shadow: 0 12px 40px rgba(16, 30, 54, .18); --hover-wash: rgba(11, 60, 120, .045);
  --cluster: 236px; --column: 148px; --row: 48px;
}
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { color-scheme: dark; DARK } }
:root[data-theme="dark"] { color-scheme: dark; DARK }
* { box-sizing: border-box; }
html, body { height: 100%; }
body { margin: 0; font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
  color: var(--ink); background: var(--ground); }
button, select, input { font: inherit; color: inherit; }
button { cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
h1 { font-size: 19px; line-height: 1.25; margin: 0; letter-spacing: -.01em; }
.icon { fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; }
.icon { width: 15px; height: 15px; flex: none; vertical-align: -2px; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.app { display: flex; flex-direction: column; height: 100vh; height: 100dvh; }
.top { display: flex; gap: 16px; align-items: flex-start; padding: 16px 20px 0; }
.top > div:first-child { flex: 1; min-width: 0; }
.sub { margin: 2px 0 0; color: var(--quiet); }
.plain { border: 1px solid var(--line); background: var(--surface); border-radius: 8px; padding: 6px 11px; white-space: nowrap; }
.plain:hover { border-color: var(--line-strong); background: var(--hover); }
.tools { display: flex; gap: 8px; }
.overview { padding: 12px 20px 0; }
.bar { display: flex; gap: 2px; height: 8px; border-radius: 4px; overflow: hidden; background: var(--line); }
.bar i { display: block; min-width: 3px; }
.chips { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 10px; }
.chip { display: inline-flex; gap: 6px; align-items: center; border: 1px solid var(--line); background: var(--surface); border-radius: 999px;
  padding: 4px 11px 4px 9px; }
.chip .icon { color: var(--tone); }
.chip b { font-weight: 600; font-variant-numeric: tabular-nums; }
.chip:hover { border-color: var(--line-strong); background: var(--hover); }
.chip[aria-pressed="true"] { border-color: var(--tone); box-shadow: inset 0 0 0 1px var(--tone); background: var(--soft); }
.chips hr { width: 1px; height: 22px; margin: 4px; border: 0; background: var(--line-strong); }
.bar2 { display: flex; gap: 8px; align-items: center; padding: 12px 20px; flex-wrap: wrap; }
.search { position: relative; flex: 1 1 260px; max-width: 460px; }
.search input { width: 100%; border: 1px solid var(--line-strong); background: var(--surface); border-radius: 8px; padding: 7px 40px 7px 34px; }
.search input::placeholder { color: var(--quiet); }
.search .icon { position: absolute; left: 11px; top: 10px; color: var(--quiet); pointer-events: none; }
kbd { font: 600 11px/1 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; border: 1px solid var(--line-strong);
  border-bottom-width: 2px;
  border-radius: 5px; padding: 3px 6px; color: var(--quiet); background: var(--surface); }
.search kbd { position: absolute; right: 9px; top: 8px; pointer-events: none; }
.search input:focus ~ kbd { display: none; }
.bar2 select { border: 1px solid var(--line); background: var(--surface); border-radius: 8px; padding: 7px 8px; max-width: 220px; }
.count { margin-left: auto; color: var(--quiet); font-variant-numeric: tabular-nums; }
.stage { position: relative; flex: 1; min-height: 220px; border-top: 1px solid var(--line); display: flex; }
.grid { flex: 1; overflow: auto; background: var(--surface); position: relative; overscroll-behavior: contain; }
.grid:focus { outline: none; }
.grid:focus-visible .at { outline: 2px solid var(--accent); outline-offset: -3px; }
.head { position: sticky; top: 0; z-index: 3; display: flex; width: max-content; min-width: 100%; background: var(--surface);
  border-bottom: 1px solid var(--line-strong); }
.head > div { flex: 0 0 var(--column); width: var(--column); padding: 9px 10px 8px; border-right: 1px solid var(--line); cursor: pointer;
  background: var(--surface); user-select: none; }
.head > div:hover { background: var(--hover); }
.head .name { display: flex; gap: 4px; font-weight: 600; align-items: baseline; }
.head .name span:first-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.head .order { color: var(--accent); font-size: 11px; font-weight: 600; white-space: nowrap; margin-left: auto; }
.head .bar { height: 4px; margin-top: 7px; gap: 1px; }
.head .bar i { min-width: 2px; }
.head > div:first-child, .cluster { position: sticky; left: 0; z-index: 2; flex: 0 0 var(--cluster); width: var(--cluster); }
.body { position: relative; contain: strict; }
.row { position: absolute; left: 0; top: 0; display: flex; height: var(--row); min-width: 100%; border-bottom: 1px solid var(--line); contain: layout style; }
.row > div { flex: 0 0 var(--column); width: var(--column); border-right: 1px solid var(--line); padding: 4px 10px; cursor: pointer; overflow: hidden;
  white-space: nowrap;
  display: flex; flex-direction: column; justify-content: center; }
.row > .before { padding: 0; }
.row > div.cluster { flex-basis: var(--cluster); width: var(--cluster); background: var(--surface); }
.row:hover > div { background-image: linear-gradient(var(--hover-wash), var(--hover-wash)); }
.cluster .name { font-weight: 600; overflow: hidden; text-overflow: ellipsis; }
.cluster .facts { color: var(--quiet); font-size: 12px; overflow: hidden; text-overflow: ellipsis; }
.cluster .facts .icon { width: 13px; height: 13px; color: var(--unknown); }
.value { display: flex; gap: 6px; align-items: center; font-variant-numeric: tabular-nums; }
.value .icon { color: var(--tone); }
.value span { overflow: hidden; text-overflow: ellipsis; }
.notes { display: flex; gap: 8px; font-size: 12px; line-height: 1.3; color: var(--quiet); margin-top: 1px; }
.notes span { display: inline-flex; gap: 3px; align-items: center; }
.notes .icon { width: 12px; height: 12px; color: var(--tone); }
.none { color: var(--faint); }
.h-healthy { --tone: var(--healthy); --soft: var(--healthy-soft); } .h-progressing { --tone: var(--progressing); --soft: var(--progressing-soft); }
.h-degraded { --tone: var(--degraded); --soft: var(--degraded-soft); } .h-failed { --tone: var(--failed); --soft: var(--failed-soft); }
.h-absent { --tone: var(--absent); --soft: var(--absent-soft); } .h-unknown { --tone: var(--unknown); --soft: var(--unknown-soft); }
.h-upgrade { --tone: var(--accent); --soft: var(--accent-soft); } .h-deprecated, .h-approval, .h-different { --tone: var(--degraded);
  --soft: var(--degraded-soft); }
.h-blocked { --tone: var(--failed); --soft: var(--failed-soft); }
.row > .h-failed, .row > .h-degraded, .row > .h-progressing, .row > .h-unknown { background-color: var(--soft); }
.row > .h-failed .value, .row > .h-degraded .value { font-weight: 600; }
.row > .h-failed { box-shadow: inset 3px 0 var(--tone); }
.row > .h-absent { background: repeating-linear-gradient(135deg, transparent 0 6px, var(--absent-soft) 6px 12px); }
.row > .dim { background: none; box-shadow: none; } .row > .dim > * { opacity: .28; }
.row.chosen > div.cluster, .row > div.chosen { box-shadow: inset 0 0 0 2px var(--accent); }
mark { background: var(--mark); color: inherit; border-radius: 2px; }
.empty { padding: 60px 20px; text-align: center; color: var(--quiet); position: sticky; left: 0; }
.details { flex: 0 0 420px; width: 420px; border-left: 1px solid var(--line-strong); background: var(--raised); overflow: auto; padding: 18px 20px 28px;
  overflow-wrap: anywhere; }
.details[hidden] { display: none; }
.details header { display: flex; gap: 10px; align-items: flex-start; }
.details h2 { font-size: 17px; margin: 0; line-height: 1.3; flex: 1; }
.details h2 small { display: block; font-size: 13px; font-weight: 400; color: var(--quiet); }
.details h3 { font-size: 12px; letter-spacing: .02em; color: var(--quiet); margin: 20px 0 6px; font-weight: 600; }
.details p { margin: 0 0 6px; }
.status { display: inline-flex; gap: 7px; align-items: center; border-radius: 999px; padding: 4px 12px 4px 9px; margin: 14px 0 0; background: var(--soft);
  color: var(--tone); font-weight: 600; }
.details .said { white-space: pre-wrap; border-left: 3px solid var(--tone); background: var(--ground); padding: 9px 12px; border-radius: 0 8px 8px 0;
  margin: 12px 0 0; }
.details dl { display: grid; grid-template-columns: 120px 1fr; gap: 5px 12px; margin: 16px 0 0; }
.details dt { color: var(--quiet); } .details dd { margin: 0; }
.path { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; }
.path b { font-weight: 500; border: 1px solid var(--line-strong); border-radius: 6px; padding: 2px 8px; font-variant-numeric: tabular-nums; }
.path b:first-child { background: var(--ground); } .path b:last-child { border-color: var(--accent); color: var(--accent); font-weight: 600; }
.details ul { margin: 0; padding: 0; list-style: none; }
.gains li, .listed li { display: flex; gap: 8px; padding: 5px 0; border-bottom: 1px solid var(--line); align-items: flex-start; }
.gains li .icon, .listed li .icon { margin-top: 3px; color: var(--tone); }
.listed button { all: unset; cursor: pointer; display: flex; gap: 8px; flex: 1; align-items: baseline; }
.listed button:hover, .link:hover { color: var(--accent); text-decoration: underline; }
.listed button:focus-visible { outline: 2px solid var(--accent); }
.listed .right { margin-left: auto; color: var(--quiet); font-variant-numeric: tabular-nums; }
.link { all: unset; cursor: pointer; color: var(--accent); } .link:focus-visible { outline: 2px solid var(--accent); }
.code { display: flex; gap: 8px; align-items: center; margin-top: 10px; }
.code code { flex: 1; font: 12px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; background: var(--ground);
  border: 1px solid var(--line); border-radius: 8px; padding: 7px 10px; }
.tags { display: flex; flex-wrap: wrap; gap: 5px; } .tags span { background: var(--absent-soft); border-radius: 6px; padding: 1px 8px; font-size: 12.5px; }
dialog { border: 1px solid var(--line-strong); border-radius: 14px; background: var(--raised); color: var(--ink); box-shadow: var(--shadow);
  padding: 22px 26px; max-width: 520px; width: 92vw; }
dialog::backdrop { background: rgba(10, 18, 30, .45); }
dialog h2 { margin: 0 0 12px; font-size: 17px; } dialog table { border-collapse: collapse; width: 100%; } dialog td { padding: 5px 0; vertical-align: top; }
dialog td:first-child { white-space: nowrap; width: 34%; } dialog h3 { font-size: 13px; margin: 18px 0 6px; } dialog form { text-align: right;
  margin-top: 16px; }
.legend { display: grid; grid-template-columns: 1fr 1fr; gap: 6px 14px; } .legend span { display: inline-flex; gap: 8px; align-items: center; }
  .legend .icon { color: var(--tone); }
#print { display: none; }
noscript { display: block; padding: 20px; }
@media (max-width: 760px) {
  :root { --cluster: 148px; --column: 122px; }
  .top, .overview { padding-left: 12px; padding-right: 12px; } .bar2 { padding: 10px 12px; gap: 6px; } .count { margin-left: 0; flex: 1; text-align: right; }
  .top { padding-top: 12px; } .tools .plain { padding: 6px 9px; }
  .chips { flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; margin-right: -12px; padding: 2px 12px 2px 2px; } .chip { flex: none; }
  .bar2 select { flex: 0 1 auto; max-width: 130px; }
  .details { position: absolute; inset: auto 0 0 0; width: auto; max-height: 82%; border-left: 0; border-top: 1px solid var(--line-strong);
  border-radius: 16px 16px 0 0; box-shadow: var(--shadow); z-index: 5; }
}
@media (min-width: 761px) and (max-width: 1100px) { .details { flex-basis: 340px; width: 340px; } }
@media (prefers-reduced-motion: no-preference) { .chip, .plain { transition: background-color .12s, border-color .12s; } }
@media (forced-colors: active) { .icon { color: CanvasText; } .grid:focus-visible .at { outline-color: Highlight; } }
@page { size: A4 landscape; margin: 11mm; }
@media print {
  :root, :root[data-theme="dark"], :root:not([data-theme="light"]) { color-scheme: light; LIGHT }
  html, body { height: auto; background: #fff; } body { font-size: 8.5pt; }
  .app, dialog { display: none; }
  #print { display: block; } #print h1 { font-size: 15pt; } #print h2 { font-size: 10.5pt; margin: 14pt 0 4pt; break-after: avoid; }
  #print .counts { display: flex; flex-wrap: wrap; gap: 4pt 14pt; margin-top: 6pt; } #print .counts span { display: inline-flex; gap: 4pt;
  align-items: center; } #print .counts .icon { color: var(--tone); }
  #print table { border-collapse: collapse; width: 100%; table-layout: fixed; } #print thead { display: table-header-group; }
  #print tr { break-inside: avoid; } #print th, #print td { text-align: left; padding: 2pt 5pt 2pt 3pt; border-bottom: .5pt solid #c9d1db;
  vertical-align: top; overflow-wrap: anywhere; }
  #print th { border-bottom: 1pt solid #17202b; } #print .icon { width: 8pt; height: 8pt; vertical-align: -1pt; color: var(--tone);
  print-color-adjust: exact; }
  #print td[class] { background: var(--soft); print-color-adjust: exact; } #print td.h-healthy, #print td.h-absent { background: none; }
  #print td small { display: block; color: #5b6878; }
  #print table + h2 { break-before: page; } #print .what { table-layout: auto; } #print .what td:nth-child(-n+3) { white-space: nowrap; }
}
"""

_LIGHT = STYLE[STYLE.index("--ground") : STYLE.index("--shadow")]
_DARK = """
  --ground: #10151c; --surface: #171e27; --raised: #1b232d; --line: #29333f; --line-strong: #3b4755;
  --ink: #e7ecf2; --quiet: #9aa7b6; --faint: #566271; --accent: #6cb4ff; --accent-soft: #17304a; --hover: #202a35; --mark: #6b5600;
  --healthy: #4cc79d; --healthy-soft: #15362c; --progressing: #7cc0ff; --progressing-soft: #17304a;
  --degraded: #f3b73e; --degraded-soft: #3a2d10; --failed: #ff8a5e; --failed-soft: #46211a;
  --absent: #a3afbd; --absent-soft: #222c37; --unknown: #e79bd3; --unknown-soft: #3a2237;
  --shadow: 0 12px 40px rgba(0, 0, 0, .6); --hover-wash: rgba(255, 255, 255, .035);
"""


def style() -> str:
    """The style sheet. Dark stands in it twice, for those whose system is dark and for those who chose it here; paper is light."""
    return STYLE.replace("DARK", _DARK).replace("LIGHT", _LIGHT)
