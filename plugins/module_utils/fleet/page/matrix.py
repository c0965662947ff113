# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The matrix. Only the rows that can be seen are in the page, so a thousand clusters cost what thirty do."""

from __future__ import annotations

SCRIPT = r"""
function barOf(counts) {
 const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
 return Object.keys(HEALTH)
  .reverse()
  .filter(name => counts[name])
  .map(name => `<i style="flex:${counts[name]} 1 0;background:var(--${name})" title="${HEALTH[name]}: ${counts[name]} of ${total}"></i>`)
  .join("");
}
const perColumn = columns.map((_name, place) => {
 const counts = {};
 clusters.forEach(cluster => {
  if (cluster.cells[place] >= 0) {
   const name = rows[cluster.cells[place]].health;
   counts[name] = (counts[name] ?? 0) + 1;
  }
 });
 return counts;
});

function drawHead() {
 const order = state.column < 0 ? ({worst: "worst first", kubernetes: "by version"}[state.order] ?? "") : "";
 head.innerHTML =
  `<div role="columnheader" id="h-0" aria-colindex="1" aria-sort="${state.column < 0 ? "ascending" : "none"}" data-column="-1">` +
  `<div class="name"><span>Cluster</span><span class="order">${order}</span></div></div>` +
  shownColumns
   .map((place, index) => {
    const by = place === state.column ? (state.order === "version" ? "version ↑" : "worst ↑") : "";
    return (
     `<div role="columnheader" id="h-${index + 1}" aria-colindex="${index + 2}" aria-sort="${by ? "ascending" : "none"}" ` +
     `data-column="${place}" title="${text(columns[place])}: sort by health, then by version">` +
     `<div class="name"><span>${text(columns[place])}</span><span class="order">${by}</span></div><div class="bar">${barOf(perColumn[place])}</div></div>`
    );
   })
   .join("");
 head.setAttribute("aria-rowindex", "1");
}
function marked(name) {
 const word = state.query
  .toLowerCase()
  .split(/\s+/)
  .filter(Boolean)
  .find(part => name.toLowerCase().includes(part));
 if (!word) return text(name);
 const start = name.toLowerCase().indexOf(word);
 return `${text(name.slice(0, start))}<mark>${text(name.slice(start, start + word.length))}</mark>${text(name.slice(start + word.length))}`;
}
const drawn = new Map();
function rowOf(index) {
 const cluster = shownClusters[index],
  element = document.createElement("div");
 element.className = "row";
 element.setAttribute("role", "row");
 element.setAttribute("aria-rowindex", index + 2);
 element.dataset.row = index;
 element.style.top = `${index * rowHeight}px`;
 const found = matches ? shownColumns.filter(place => matches[cluster.cells[place]]).length : 0;
 const facts = [found ? plural(found, "match").replace(/hs$/, "hes") : "", cluster.kubernetes_version, ...cluster.groups.slice(0, 2)]
  .filter(Boolean)
  .map(text)
  .join(" · ");
 const unknown = !cluster.reachable ? "no answer" : cluster.error ? "not all is known" : "";
 element.innerHTML =
  `<div role="rowheader" class="cluster" id="c-${index}-0" aria-colindex="1"><div class="name">${marked(cluster.name)}</div>` +
  `<div class="facts">${unknown ? `${icon("unknown")} ${unknown}` : facts}</div></div>` +
  (sight.from ? `<div class="before" style="flex-basis:calc(${sight.from} * var(--column))"></div>` : "") +
  shownColumns
   .slice(sight.from, sight.to)
   .map((place, offset) => {
    const cell = cluster.cells[place],
     row = rows[cell],
     column = sight.from + offset;
    const start = `<div role="gridcell" id="c-${index}-${column + 1}" aria-colindex="${column + 2}"`;
    if (!row) return `${start} class="none" aria-label="${text(columns[place])}: not wanted">·</div>`;
    const dim = matches && !matches[cell] ? " dim" : "";
    return `${start} class="h-${row.health}${dim}" aria-label="${text(columns[place])}: ${text(row.said)}">${row.html}</div>`;
   })
   .join("");
 return element;
}
// The columns that are drawn. They are drawn anew only when one comes into sight that is not among them.
let sight = {from: 0, to: 0};
function chooseSight() {
 const header = head.children[1];
 if (!header) return (sight = {from: 0, to: 0});
 const wide = header.offsetWidth,
  left = Math.floor(grid.scrollLeft / wide),
  right = Math.min(shownColumns.length, Math.ceil((grid.scrollLeft + grid.clientWidth - head.children[0].offsetWidth) / wide));
 if (left >= sight.from && right <= sight.to) return;
 sight = {from: Math.max(0, left - 2), to: Math.min(shownColumns.length, right + 2)};
 clear();
}
function clear() {
 body.textContent = "";
 drawn.clear();
}
let asked = false;
function draw() {
 asked = false;
 chooseSight();
 const top = Math.max(0, grid.scrollTop),
  first = Math.max(0, Math.floor(top / rowHeight) - 6);
 const last = Math.min(shownClusters.length, Math.ceil((top + grid.clientHeight) / rowHeight) + 6);
 for (const [index, element] of drawn)
  if (index < first || index >= last) {
   element.remove();
   drawn.delete(index);
  }
 const added = document.createDocumentFragment();
 for (let index = first; index < last; index++)
  if (!drawn.has(index)) {
   const element = rowOf(index);
   drawn.set(index, element);
   added.append(element);
  }
 body.append(added);
 showPlace();
}
function drawSoon() {
 if (!asked) {
  asked = true;
  requestAnimationFrame(draw);
 }
}

function idAt({row, column}) {
 return row < 0 ? `h-${column}` : `c-${row}-${column}`;
}
const shown = {at: null, chosen: null};
function show(name, element) {
 shown[name]?.classList.remove(name);
 shown[name] = element;
 element?.classList.add(name);
}
function showPlace() {
 const element = one(idAt(at));
 show("at", element);
 show("chosen", null);
 if (element) {
  grid.setAttribute("aria-activedescendant", element.id);
 }
 if (opened) {
  const row = shownClusters.indexOf(opened.cluster),
   column = opened.place < 0 ? 0 : shownColumns.indexOf(opened.place) + 1;
  if (row >= 0 && (column || opened.place < 0)) show("chosen", one(idAt({row, column})));
 }
}
function goTo(row, column) {
 at = {row: Math.max(-1, Math.min(shownClusters.length - 1, row)), column: Math.max(0, Math.min(shownColumns.length, column))};
 if (at.row >= 0) {
  const top = at.row * rowHeight,
   room = grid.clientHeight - head.offsetHeight;
  if (top < grid.scrollTop) grid.scrollTop = top;
  else if (top + rowHeight > grid.scrollTop + room) grid.scrollTop = top + rowHeight - room;
 }
 const header = one(`h-${at.column}`),
  fixed = one("h-0").offsetWidth;
 if (at.column && header) {
  if (header.offsetLeft - fixed < grid.scrollLeft) grid.scrollLeft = header.offsetLeft - fixed;
  else if (header.offsetLeft + header.offsetWidth > grid.scrollLeft + grid.clientWidth)
   grid.scrollLeft = header.offsetLeft + header.offsetWidth - grid.clientWidth;
 } else grid.scrollLeft = 0;
 draw();
 if (opened && at.row >= 0) openAt();
}
// The next cell that the filters or the search found, or that is not healthy where nothing is searched for.
function goToMatch(step) {
 const wanted = cell => cell >= 0 && (matches ? matches[cell] : rows[cell].health !== "healthy");
 const width = shownColumns.length,
  all = shownClusters.length * width;
 let place = Math.max(0, at.row) * width + at.column - 1;
 for (let tried = 0; tried < all; tried++) {
  place = (place + step + all) % all;
  if (wanted(shownClusters[Math.floor(place / width)].cells[shownColumns[place % width]]))
   return goTo(Math.floor(place / width), (place % width) + 1);
 }
}
function update() {
 choose();
 writeAddress();
 clear();
 sight = {from: 0, to: 0};
 drawHead();
 const wide = `calc(var(--cluster) + ${shownColumns.length} * var(--column))`;
 body.style.width = wide;
 body.style.minWidth = "100%";
 body.style.height = `${shownClusters.length * rowHeight}px`;
 grid.setAttribute("aria-rowcount", shownClusters.length + 1);
 grid.setAttribute("aria-colcount", shownColumns.length + 1);
 one("empty").hidden = shownClusters.length > 0;
 const narrowed = shownColumns.length < columns.length ? `, ${plural(shownColumns.length, "extension")}` : "";
 one("count").textContent =
  (shownClusters.length === clusters.length
   ? plural(clusters.length, "cluster")
   : `${number(shownClusters.length)} of ${plural(clusters.length, "cluster")}`) + narrowed;
 document.querySelectorAll(".chip").forEach(chip => chip.setAttribute("aria-pressed", state.filters.has(chip.dataset.show)));
 one("group").value = state.group;
 one("order").value = state.column < 0 ? state.order : "column";
 one("reset").hidden = !(state.query || state.filters.size || state.group);
 at = {row: Math.min(at.row, shownClusters.length - 1), column: Math.min(at.column, shownColumns.length)};
 grid.scrollTop = Math.min(grid.scrollTop, Math.max(0, shownClusters.length * rowHeight - grid.clientHeight));
 draw();
}
function sortBy(place) {
 if (place < 0) Object.assign(state, {column: -1, order: state.column < 0 && state.order === "name" ? "worst" : "name"});
 else if (state.column !== place) Object.assign(state, {column: place, order: "health"});
 else if (state.order === "health") state.order = "version";
 else Object.assign(state, {column: -1, order: "name"});
 grid.scrollTop = 0;
 update();
}
"""
