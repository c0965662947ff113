# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is printed."""

from __future__ import annotations

SCRIPT = r"""
// Paper has no window to scroll in: what was chosen is printed whole, a table for as many extensions as fit beside each other.
// What is healthy has no symbol there: thousands of drawings make printing slow.
function print() {
 const wrong = [],
  tables = [],
  fit = 8;
 for (const cluster of shownClusters) {
  if (cluster.error || !cluster.reachable) wrong.push([cluster.name, "", "unknown", cluster.error]);
  for (const place of shownColumns) {
   const row = rows[cluster.cells[place]];
   if (!row || row.health === "unknown" || (row.health === "healthy" && !row.pending_approval)) continue;
   const because = row.blocked_by.length ? `blocked by ${row.blocked_by.join(", ")}` : "";
   const gains = row.pending_approval ? `would gain: ${row.pending_approval.gains.join("; ")}` : "";
   wrong.push([cluster.name, columns[place], row.health === "healthy" ? "approval" : row.health, row.message || because || gains]);
  }
 }
 for (let start = 0; start < shownColumns.length; start += fit) {
  const part = shownColumns.slice(start, start + fit);
  tables.push(
   `<h2>Extensions ${start + 1} to ${start + part.length} of ${shownColumns.length}</h2><table><thead><tr><th>Cluster</th>` +
    part.map(place => `<th>${text(columns[place])}</th>`).join("") +
    "</tr></thead><tbody>" +
    shownClusters
     .map(
      cluster =>
       `<tr><td>${text(cluster.name)}</td>${part
        .map(place => {
         const row = rows[cluster.cells[place]];
         return row
          ? `<td class="h-${row.health}">${row.health === "healthy" ? "" : icon(row.health)} ${brief(row)}` +
            (row.upgrade ? `<small>can be ${text(row.upgrade.version)}</small>` : "") +
            (row.deprecations.length ? "<small>deprecated</small>" : "") +
            "</td>"
          : "<td></td>";
        })
        .join("")}</tr>`,
     )
     .join("") +
    "</tbody></table>",
  );
 }
 const counts = Object.entries({...HEALTH, ...NOTES})
  .filter(([name]) => total(name))
  .map(([name, word]) => `<span class="h-${name}">${icon(name)} ${word} ${number(total(name))}</span>`);
 one("print").innerHTML =
  `<h1>${text(data.title)}</h1><div>${one("sub").innerHTML}` +
  (shownClusters.length < clusters.length ? `; ${number(shownClusters.length)} of them here` : "") +
  `</div><div class="counts">${counts.join("")}</div>` +
  (wrong.length
   ? `<h2>What needs attention</h2><table class="what"><thead><tr><th>Cluster</th><th>Extension</th><th>Health</th><th>Why</th></tr></thead><tbody>${wrong
     .map(
      ([cluster, name, health, why]) =>
       `<tr><td>${text(cluster)}</td><td>${text(name)}</td><td class="h-${health}">` +
       `${icon(health)} ${HEALTH[health] ?? NOTES[health]}</td><td>${text(why)}</td></tr>`,
     )
     .join("")}</tbody></table>`
   : "") +
  tables.join("");
}
addEventListener("beforeprint", print);
addEventListener("afterprint", () => {
 one("print").textContent = "";
});
"""
