# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the page begins with."""

from __future__ import annotations

SCRIPT = r"""
const {summary} = data;
const total = name =>
 HEALTH[name]
  ? summary.health[name]
  : summary[{upgrade: "upgrades", approval: "pending_approval", blocked: "blocked", deprecated: "deprecated", different: "not_as_wanted"}[name]];
const chipOf = ([name, word]) =>
 total(name) || name === "healthy"
  ? `<button class="chip h-${name}" data-show="${name}" aria-pressed="false">${icon(name)}${word} <b>${number(total(name))}</b></button>`
  : "";
const attention = Object.entries(NOTES).map(chipOf).join("");
one("bar").innerHTML = barOf(summary.health);
one("chips").innerHTML = Object.entries(HEALTH).map(chipOf).join("") + (attention ? `<hr aria-hidden="true">${attention}` : "");
const groups = new Map();
clusters.forEach(cluster => cluster.groups.forEach(name => groups.set(name, (groups.get(name) ?? 0) + 1)));
one("group").innerHTML =
 `<option value="">All groups</option>` +
 [...groups]
  .sort((a, b) => collator.compare(a[0], b[0]))
  .map(([name, count]) => `<option value="${text(name)}">${text(name)} (${number(count)})</option>`)
  .join("");
one("group").hidden = !groups.size;
one("legend").innerHTML = Object.entries({...HEALTH, ...NOTES})
 .map(([name, word]) => `<span class="h-${name}">${icon(name)}${word}</span>`)
 .join("");
setTheme(theme);
readAddress();
update();
grid.focus({preventScroll: true});
document.documentElement.dataset.ready = "";
"""
