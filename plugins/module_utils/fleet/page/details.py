# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is told about one extension on one cluster, or about one cluster."""

from __future__ import annotations

SCRIPT = r"""
function openAt() {
 const cluster = shownClusters[at.row];
 if (cluster) open(cluster, at.column ? shownColumns[at.column - 1] : -1);
}
function open(cluster, place) {
 opened = {cluster, place};
 const row = place < 0 ? null : rows[cluster.cells[place]];
 details.innerHTML = row ? ofRow(cluster, place, row) : ofCluster(cluster, place);
 details.hidden = false;
 details.scrollTop = 0;
 showPlace();
}
function close() {
 opened = null;
 details.hidden = true;
 showPlace();
 grid.focus({preventScroll: true});
}
const heading = (title, under) =>
 `<header><h2>${text(title)}<small>${text(under)}</small></h2>` +
 `<button class="plain" data-do="close" aria-label="Close details">Close <kbd>Esc</kbd></button></header>`;
const fact = (name, value) => (value === null || value === undefined || value === "" ? "" : `<dt>${name}</dt><dd>${value}</dd>`);
const tags = list => `<div class="tags">${list.map(item => `<span>${text(item)}</span>`).join("")}</div>`;
function ofRow(cluster, place, row) {
 const needs = row.blocked_by.map(name => {
  const where = columns.indexOf(name);
  return where >= 0 && cluster.cells[where] >= 0 ? `<button class="link" data-do="go" data-column="${where}">${text(name)}</button>` : text(name);
 });
 return (
  heading(columns[place], `on ${cluster.name}`) +
  `<div class="h-${row.health}"><span class="status">${icon(row.health)}${HEALTH[row.health]}</span>` +
  (row.message ? `<p class="said">${text(row.message)}</p>` : "") +
  "</div>" +
  (needs.length ? `<h3>Blocked by</h3><div class="path h-blocked">${icon("blocked")} ${needs.join(", ")}</div>` : "") +
  (row.pending_approval
   ? `<h3>Permissions that the upgrade gains; it is held until somebody accepts them</h3><ul class="gains h-approval">` +
    row.pending_approval.gains.map(gain => `<li>${icon("approval")}<span>${text(gain)}</span></li>`).join("") +
    "</ul>" +
    (row.pending_approval.digest
     ? `<div class="code"><code>accept_permissions: ${text(row.pending_approval.digest)}</code>` +
      `<button class="plain" data-do="copy" data-text="accept_permissions: ${text(row.pending_approval.digest)}">Copy</button></div>`
     : "")
   : "") +
  (row.upgrade
   ? `<h3>Upgrade within reach</h3><div class="path"><b>${text(row.version)}</b>` +
    row.upgrade.path.map(version => `<span aria-hidden="true">→</span><b>${text(version)}</b>`).join("") +
    "</div>"
   : "") +
  (row.deprecations.length
   ? `<h3>Deprecated</h3><ul class="gains h-deprecated">` +
    row.deprecations.map(item => `<li>${icon("deprecated")}<span>${text(item)}</span></li>`).join("") +
    "</ul>"
   : "") +
  "<dl>" +
  fact("Installed", row.version ? text(row.version) : "not installed") +
  fact("Wanted", row.wanted_version ? text(row.wanted_version) : null) +
  fact("Package", row.package ? text(row.package) : null) +
  fact("Namespace", row.namespace ? text(row.namespace) : null) +
  fact("Engine", {direct: "direct", olm: "OLM v1"}[row.engine]) +
  fact("Revision", row.revision) +
  fact("Cluster", `<button class="link" data-do="go" data-column="-1">${text(cluster.name)}</button>`) +
  "</dl>"
 );
}
function ofCluster(cluster, place) {
 const listed = columns
  .map((name, where) => [name, where, rows[cluster.cells[where]]])
  .filter(([, , row]) => row)
  .sort((a, b) => RANK[a[2].health] - RANK[b[2].health] || collator.compare(a[0], b[0]));
 return (
  heading(
   cluster.name,
   place >= 0
    ? `${columns[place]} is neither wanted nor installed here`
    : cluster.reachable
     ? plural(listed.length, "extension")
     : "did not answer",
  ) +
  (cluster.reachable && !cluster.error
   ? ""
   : `<div class="h-unknown"><span class="status">${icon("unknown")}${cluster.reachable ? "Not all is known" : "No answer"}</span>` +
     `<p class="said">${text(cluster.error)}</p></div>`) +
  "<dl>" +
  fact("Kubernetes", cluster.kubernetes_version ? text(cluster.kubernetes_version) : null) +
  fact("Engine", {direct: "direct", olm: "OLM v1"}[cluster.engine]) +
  fact("Groups", cluster.groups.length ? tags(cluster.groups) : null) +
  fact("Labels", Object.keys(cluster.labels).length ? tags(Object.entries(cluster.labels).map(([key, value]) => `${key}=${value}`)) : null) +
  "</dl>" +
  (listed.length
   ? `<h3>Extensions, the worst first</h3><ul class="listed">${listed
     .map(
      ([name, where, row]) =>
       `<li class="h-${row.health}">${icon(row.health)}<button data-do="go" data-column="${where}">` +
       `<span>${text(name)}</span><span class="right">${brief(row)}</span></button></li>`,
     )
     .join("")}</ul>`
   : "")
 );
}
details.addEventListener("click", event => {
 const button = event.target.closest("[data-do]");
 if (!button) return;
 if (button.dataset.do === "close") close();
 else if (button.dataset.do === "copy") copy(button);
 else {
  const place = Number(button.dataset.column),
   row = shownClusters.indexOf(opened.cluster),
   column = place < 0 ? 0 : shownColumns.indexOf(place) + 1;
  if (row >= 0 && (column || place < 0)) goTo(row, column);
  open(opened.cluster, place);
 }
});
async function copy(button) {
 try {
  await navigator.clipboard.writeText(button.dataset.text);
  button.textContent = "Copied";
 } catch {
  getSelection().selectAllChildren(button.previousElementSibling);
  button.textContent = "Selected";
 }
}
"""
