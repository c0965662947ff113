# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What keys, clicks and the theme do."""

from __future__ import annotations

SCRIPT = r"""
grid.addEventListener("scroll", drawSoon, {passive: true});
new ResizeObserver(drawSoon).observe(grid);
grid.addEventListener("click", event => {
 const header = event.target.closest("[role=columnheader]"),
  cell = event.target.closest("[role=gridcell], [role=rowheader]");
 if (header) sortBy(Number(header.dataset.column));
 else if (cell) {
  at = {row: Number(cell.parentNode.dataset.row), column: Number(cell.getAttribute("aria-colindex")) - 1};
  openAt();
 }
});
const page = () => Math.max(1, Math.floor((grid.clientHeight - head.offsetHeight) / rowHeight) - 1);
const MOVES = {
 ArrowDown: () => [at.row + 1, at.column],
 ArrowUp: () => [at.row - 1, at.column],
 ArrowRight: () => [at.row, at.column + 1],
 ArrowLeft: () => [at.row, at.column - 1],
 PageDown: () => [at.row + page(), at.column],
 PageUp: () => [Math.max(0, at.row - page()), at.column],
 Home: event => [event.ctrlKey ? 0 : at.row, 0],
 End: event => [event.ctrlKey ? shownClusters.length - 1 : at.row, shownColumns.length],
};
grid.addEventListener("keydown", event => {
 if (event.metaKey || event.altKey) return;
 if (MOVES[event.key]) goTo(...MOVES[event.key](event));
 else if (event.key === "Enter" || event.key === " ") {
  if (at.row < 0) sortBy(at.column ? shownColumns[at.column - 1] : -1);
  else openAt();
 } else if (event.key === "n" || event.key === "p") goToMatch(event.key === "n" ? 1 : -1);
 else if (event.key === "s") sortBy(at.column ? shownColumns[at.column - 1] : -1);
 else return;
 event.preventDefault();
});
search.addEventListener("input", () => {
 state.query = search.value;
 grid.scrollTop = 0;
 at.row = 0;
 update();
});
search.addEventListener("keydown", event => {
 if (event.key === "ArrowDown" || event.key === "Enter") {
  event.preventDefault();
  grid.focus({preventScroll: true});
  goTo(0, at.column);
 }
});
document.addEventListener("keydown", event => {
 if (event.metaKey || event.ctrlKey || event.altKey || one("help").open) return;
 const typing = event.target === search || event.target.tagName === "SELECT";
 if (event.key === "Escape") {
  if (opened) close();
  else if (state.query || state.filters.size || state.group) {
   reset();
   search.blur();
   grid.focus({preventScroll: true});
  } else if (typing) {
   search.blur();
   grid.focus({preventScroll: true});
  }
 } else if (typing) return;
 else if (event.key === "/") {
  event.preventDefault();
  search.focus();
  search.select();
 } else if (event.key === "?") one("help").showModal();
 else if (event.key === "t") nextTheme();
});
function reset() {
 Object.assign(state, {query: "", filters: new Set(), group: ""});
 search.value = "";
 grid.scrollTop = 0;
 update();
}
one("reset").addEventListener("click", reset);
one("group").addEventListener("change", event => {
 state.group = event.target.value;
 grid.scrollTop = 0;
 update();
});
one("order").addEventListener("change", event => {
 Object.assign(state, {order: event.target.value, column: -1});
 grid.scrollTop = 0;
 update();
});
one("chips").addEventListener("click", event => {
 const chip = event.target.closest(".chip");
 if (!chip) return;
 const name = chip.dataset.show;
 if (!state.filters.delete(name)) state.filters.add(name);
 grid.scrollTop = 0;
 update();
});
one("keys").addEventListener("click", () => one("help").showModal());
addEventListener("hashchange", () => {
 readAddress();
 update();
});

const THEMES = {auto: "Auto", light: "Light", dark: "Dark"};
let theme = "auto";
try {
 theme = localStorage.getItem("fleet.olm.theme") ?? "auto";
} catch {
 /* a page from a file may have no storage */
}
function setTheme(name) {
 theme = THEMES[name] ? name : "auto";
 if (theme === "auto") delete document.documentElement.dataset.theme;
 else document.documentElement.dataset.theme = theme;
 one("theme").textContent = `Theme: ${THEMES[theme]}`;
 try {
  localStorage.setItem("fleet.olm.theme", theme);
 } catch {
  /* then it is asked again next time */
 }
}
function nextTheme() {
 const names = Object.keys(THEMES);
 setTheme(names[(names.indexOf(theme) + 1) % names.length]);
}
one("theme").addEventListener("click", nextTheme);
"""
