# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the words and rows of a report are in the page, made ready once so that drawing is only putting together."""

from __future__ import annotations

SCRIPT = r"""
const data = JSON.parse(document.getElementById("data").textContent);
const {columns, rows, clusters} = data;
const one = id => document.getElementById(id);
const HEALTH = {failed: "Failed", degraded: "Degraded", absent: "Absent", unknown: "Unknown", progressing: "Progressing", healthy: "Healthy"};
const NOTES = {upgrade: "Upgrade", approval: "Approval", blocked: "Blocked", deprecated: "Deprecated", different: "Not as wanted"};
const RANK = Object.fromEntries(Object.keys(HEALTH).map((name, place) => [name, place]));
const has = {
 upgrade: row => !!row.upgrade,
 approval: row => !!row.pending_approval,
 blocked: row => row.blocked_by.length > 0,
 deprecated: row => row.deprecations.length > 0,
 different: row => row.as_wanted === false && !!row.version,
};
const ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"};
const text = value => String(value ?? "").replace(/[&<>"']/g, character => ESCAPED[character]);
const brief = row => (row.version ? text(row.version) : HEALTH[row.health].toLowerCase());
// Whole drawings: each reference to one would be a small tree of its own in the page, which is slow by the thousand.
const drawings = Object.fromEntries([...document.querySelectorAll("symbol")].map(symbol => [symbol.id.slice(2), symbol.innerHTML]));
const icon = name => `<svg class="icon i-${name}" viewBox="0 0 16 16" aria-hidden="true">${drawings[name]}</svg>`;
const number = value => value.toLocaleString("en");
const plural = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;
const collator = new Intl.Collator("en", {numeric: true});

// Semantic versions: a pre-release comes before its release.
function byVersion(a, b) {
 const [left, before] = String(a ?? "")
   .split("+")[0]
   .split(/-(.*)/s),
  [right, after] = String(b ?? "")
   .split("+")[0]
   .split(/-(.*)/s);
 return collator.compare(left, right) || (before ? (after ? collator.compare(before, after) : -1) : after ? 1 : 0);
}
function said(row) {
 const parts = [HEALTH[row.health], row.version ? `version ${row.version}` : "not installed"];
 if (row.upgrade) parts.push(`can be upgraded to ${row.upgrade.version}`);
 if (row.pending_approval) parts.push("waits for approval");
 if (row.blocked_by.length) parts.push(`blocked by ${row.blocked_by.join(", ")}`);
 if (row.deprecations.length) parts.push("deprecated");
 if (has.different(row)) parts.push(`${row.wanted_version || "removal"} is wanted`);
 return parts.join(", ");
}
rows.forEach(row => {
 row.said = said(row);
 row.find = [row.said, row.message, row.package, row.namespace, row.engine, ...row.deprecations].join(" ").toLowerCase();
 const notes = [];
 if (row.pending_approval) notes.push(`<span class="h-approval">${icon("approval")}approve</span>`);
 if (row.blocked_by.length) notes.push(`<span class="h-blocked">${icon("blocked")}${text(row.blocked_by[0])}</span>`);
 if (has.different(row)) notes.push(`<span class="h-different">${icon("different")}${text(row.wanted_version || "remove")}</span>`);
 if (row.upgrade) notes.push(`<span class="h-upgrade">${icon("upgrade")}${text(row.upgrade.version)}</span>`);
 if (row.deprecations.length) notes.push(`<span class="h-deprecated">${icon("deprecated")}${notes.length ? "" : "deprecated"}</span>`);
   row.html =
  `<div class="value">${icon(row.health)}<span>${brief(row)}</span></div>` +
  (notes.length ? `<div class="notes">${notes.slice(0, 3).join("")}</div>` : "");
});
clusters.forEach((cluster, place) => {
 cluster.place = place;
 cluster.find = [
  cluster.name,
  cluster.kubernetes_version,
  cluster.error,
  ...cluster.groups,
  ...Object.entries(cluster.labels).map(([key, value]) => `${key}=${value}`),
 ]
  .join(" ")
  .toLowerCase();
 cluster.worst = Math.min(cluster.reachable ? 9 : -1, ...cluster.cells.map(cell => (cell < 0 ? 9 : RANK[rows[cell].health])));
});
"""
