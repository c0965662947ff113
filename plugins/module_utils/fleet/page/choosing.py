# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which clusters and extensions are looked at, and in which order."""

from __future__ import annotations

SCRIPT = r"""
// What is looked at: it is all in the address, so that it can be sent to somebody.
const state = {query: "", filters: new Set(), group: "", order: "name", column: -1};
let shownClusters = [],
 shownColumns = [],
 matches = null;
let at = {row: 0, column: 0},
 opened = null;
const grid = one("grid"),
 body = one("body"),
 head = one("head"),
 details = one("details"),
 search = one("search");
const rowHeight = parseInt(getComputedStyle(document.documentElement).getPropertyValue("--row"), 10);

function readAddress() {
 const asked = new URLSearchParams(location.hash.slice(1));
 state.query = asked.get("q") ?? "";
 state.filters = new Set((asked.get("show") ?? "").split(" ").filter(word => HEALTH[word] || NOTES[word]));
 state.group = asked.get("group") ?? "";
 state.order = asked.get("order") ?? "name";
 state.column = columns.indexOf(asked.get("by"));
 search.value = state.query;
}
function writeAddress() {
 const asked = new URLSearchParams();
 if (state.query) asked.set("q", state.query);
 if (state.filters.size) asked.set("show", [...state.filters].join(" "));
 if (state.group) asked.set("group", state.group);
 if (state.order !== "name") asked.set("order", state.order);
 if (state.column >= 0) asked.set("by", columns[state.column]);
 const written = asked.toString();
 if (location.hash.slice(1) !== written) history.replaceState(null, "", written ? "#" + written : location.pathname + location.search);
}

// A word of a search narrows down clusters that it names, or else extensions that it names, or else finds what cells say.
function choose() {
 const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
 const inCells = [];
 let chosen = state.group ? clusters.filter(cluster => cluster.groups.includes(state.group)) : clusters;
 let places = columns.map((_name, place) => place);
 for (const word of words) {
  const named = chosen.filter(cluster => cluster.find.includes(word));
  const called = places.filter(place => columns[place].toLowerCase().includes(word));
  if (named.length) chosen = named;
  else if (called.length) places = called;
  else inCells.push(word);
 }
 const wanted = [...state.filters],
  health = wanted.filter(name => HEALTH[name]),
  notes = wanted.filter(name => NOTES[name]);
 matches =
  inCells.length || wanted.length
   ? rows.map(
     row =>
      inCells.every(word => row.find.includes(word)) &&
      (!health.length || health.includes(row.health)) &&
      (!notes.length || notes.some(name => has[name](row))),
    )
   : null;
 if (matches) {
  chosen = chosen.filter(
   cluster =>
    places.some(place => cluster.cells[place] >= 0 && matches[cluster.cells[place]]) ||
    (!cluster.reachable && !inCells.length && !notes.length && health.includes("unknown")),
  );
 }
 shownColumns = places;
 shownClusters = ordered(chosen);
}
function ordered(list) {
 const {order, column} = state,
  sorted = [...list];
 const cell = cluster => (column >= 0 && cluster.cells[column] >= 0 ? rows[cluster.cells[column]] : null);
 if (column >= 0)
  sorted.sort((a, b) => {
   const left = cell(a),
    right = cell(b);
   if (!left || !right) return (left ? 0 : 1) - (right ? 0 : 1) || a.place - b.place;
   return (
    (order === "version"
     ? byVersion(left.version, right.version)
     : RANK[left.health] - RANK[right.health] || byVersion(left.version, right.version)) || a.place - b.place
   );
  });
 else if (order === "worst") sorted.sort((a, b) => a.worst - b.worst || a.place - b.place);
 else if (order === "kubernetes") sorted.sort((a, b) => byVersion(a.kubernetes_version, b.kubernetes_version) || a.place - b.place);
 return sorted;
}
"""
