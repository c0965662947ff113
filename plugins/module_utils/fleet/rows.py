# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From what was found out about one cluster to rows of a report: what is wanted, and what the cluster has.

A row is plain data in the form of EXTENSION_SCHEMA. Here is decided what health the results of other modules mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..catalog.constraints import parse_constraints
from ..catalog.problems import BadRange, BadVersion
from ..catalog.versions import parse_version
from ..errors import OptionError
from ..nested import at, mappings, texts
from ..similar import did_you_mean
from .description import is_for
from .schema import EXTENSION_SCHEMA, HEALTH

_EMPTY: Mapping[str, Any] = {
    **dict.fromkeys(EXTENSION_SCHEMA["required"]),
    "health": "unknown",
    "message": "",
    "deprecations": [],
    "blocked_by": [],
}
# YAML takes 1.10 for a number.
_TEXTS = ("name", "namespace", "package", "wanted_version", "version")
# The states of OLM v1's extensions and of ledgers, where nothing else is known.
_OLM = {"done": "healthy", "waiting": "progressing", "failed": "failed"}
_DIRECT = {"pending": "progressing", "removing": "progressing", "failed": "failed", "absent": "absent"}

_ENGINES = ("direct", "olm")

Row = dict[str, Any]


def rows_of(cluster: Mapping[str, Any]) -> list[Row]:
    """The rows of one cluster, from all that was handed over about it, in the order of their names."""
    rows: dict[tuple[str, Any], Row] = {}
    for row in (
        *map(row_from_direct, mappings(at(cluster, "bundle_install_info", "extensions"))),
        *map(row_from_olm, mappings(at(cluster, "cluster_extension_info", "extensions"))),
        *(_row_given(item, f"extensions[{place}]") for place, item in enumerate(cluster.get("extensions") or ())),
    ):
        rows[row["name"], row["engine"]] = row
    labels = cluster.get("labels") or {}
    wanted = [
        item for item in mappings(cluster.get("wanted")) if is_for(item.get("when"), labels, f"{item.get('name')}.when")
    ]
    for item in wanted:
        _add_wanted(rows, item, cluster)
    for run in _single(cluster.get("runs")):
        _add_run(rows, run)
    for offer in _single(cluster.get("upgrades")):
        found = _find(rows, str(offer.get("name")), "direct")
        if found is not None:
            found["upgrade"] = found["upgrade"] or upgrade_of(offer)
    _add_blockers(list(rows.values()), wanted)
    return [rows[key] for key in sorted(rows, key=lambda key: (key[0], key[1] or ""))]


def row_from_direct(item: Mapping[str, Any]) -> Row:
    """A row from one of the extensions that bundle_install_info returns."""
    problems = texts(at(item, "health", "problems"))
    drift = item.get("drift") or {}
    changes = [
        " ".join(str(one[key]) for key in ("kind", "name") if one.get(key)) for one in mappings(drift.get("changes"))
    ]
    if changes:
        problems.append(f"differs from its revision: {', '.join(changes)}")
    problems += texts(drift.get("problems"))
    health = _DIRECT.get(str(item.get("state")), "degraded" if problems else "healthy")
    newest = next(iter(mappings(item.get("revisions"))), {})
    if health == "failed" and newest.get("outcome"):
        problems.insert(0, str(newest["outcome"]))
    elif health == "progressing":
        problems.insert(
            0, f"revision {newest.get('revision')} is {item.get('state')}: a run is at work, or was broken off"
        )
    return _row(
        name=item.get("name"),
        namespace=item.get("namespace"),
        engine="direct",
        package=at(item, "bundle", "package"),
        version=at(item, "bundle", "version"),
        revision=item.get("revision"),
        health=health,
        message="; ".join(problems),
    )


def row_from_olm(item: Mapping[str, Any]) -> Row:
    """A row from one of the extensions that cluster_extension_info returns."""
    version = at(item, "bundle", "version")
    health = _OLM.get(str(item.get("state"))) or ("degraded" if version else "failed")
    return _row(
        name=item.get("name"),
        namespace=item.get("namespace"),
        engine="olm",
        package=item.get("package"),
        wanted_version=item.get("version"),
        version=version,
        as_wanted=_fits(version, item.get("version")) if version else None,
        health=health,
        message="" if health == "healthy" else item.get("says") or "",
        upgrade=upgrade_of(item.get("offer")),
        deprecations=texts(item.get("deprecations")),
    )


def upgrade_of(offer: Any) -> dict[str, Any] | None:
    """A reachable upgrade from what cluster_extension_info calls `offer`, or catalog_resolve returns with `upgrade_path`."""
    path = [str(hop.get("version")) for hop in mappings(at(offer, "path"))]
    newest = at(offer, "newest", "version") or at(offer, "bundle", "version")
    if not newest or not path:
        return None
    return {"version": str(newest), "path": path}


def _row(**values: Any) -> Row:
    return {**_EMPTY, "deprecations": [], "blocked_by": [], **values}


def _row_given(item: Any, place: str) -> Row:
    """A row that a user made, completed. Only what a reader of the report would stumble over is refused."""
    if not isinstance(item, Mapping) or not item.get("name"):
        raise OptionError(f"{place} has no name; an extension is a mapping with a name")
    unknown = [str(key) for key in item if key not in _EMPTY]
    if unknown:
        advice = did_you_mean(unknown[0], _EMPTY)
        raise OptionError(f"{place} ({item['name']}) has the key {unknown[0]}, which no extension has{advice}")
    for key, accepted in (("health", tuple(HEALTH)), ("engine", (*_ENGINES, None))):
        if key in item and item[key] not in accepted:
            words = ", ".join(str(word) for word in accepted if word)
            raise OptionError(f"{place} ({item['name']}): {key} is {item[key]!r}; it can be {words}")
    upgrade, pending = item.get("upgrade"), item.get("pending_approval")
    return {
        **_EMPTY,
        **item,
        **{key: str(item[key]) for key in _TEXTS if item.get(key) is not None},
        "message": str(item.get("message") or ""),
        "upgrade": {"version": str(at(upgrade, "version")), "path": texts(at(upgrade, "path"))} if upgrade else None,
        "deprecations": texts(item.get("deprecations")),
        "pending_approval": {"digest": at(pending, "digest"), "gains": texts(at(pending, "gains"))}
        if pending
        else None,
        "blocked_by": texts(item.get("blocked_by")),
    }


def _add_wanted(rows: dict[tuple[str, Any], Row], item: Mapping[str, Any], cluster: Mapping[str, Any]) -> None:
    """Say of a row what is wanted of it; make one where there is none."""
    name, engine = (
        str(item.get("name")),
        item.get("engine") if item.get("engine") in _ENGINES else cluster.get("engine"),
    )
    removed = item.get("state") == "absent"
    row = _find(rows, name, engine)
    if row is None:
        if removed:
            return
        asked = cluster.get("reachable", True) and not cluster.get("error")
        row = _row(
            name=name,
            namespace=item.get("namespace"),
            engine=engine,
            package=item.get("package"),
            health="absent" if asked else "unknown",
            message="wanted and not installed" if asked else "",
        )
        rows[name, row["engine"]] = row
    if removed:
        row |= {"as_wanted": False, "message": row["message"] or "is to be removed and still there"}
        return
    version = str(item["version"]) if item.get("version") else row["wanted_version"]
    row |= {
        "wanted_version": version,
        "package": row["package"] or item.get("package"),
        "as_wanted": None if row["health"] == "unknown" else bool(row["version"]) and _fits(row["version"], version),
    }


def _fits(version: str, wanted: str | None) -> bool:
    if not wanted:
        return True
    try:
        return parse_constraints(str(wanted)).match(parse_version(str(version)))
    except (BadRange, BadVersion):
        return str(version) == str(wanted)


def _single(results: Any) -> Iterator[Mapping[str, Any]]:
    """The results of tasks, those of loops one by one; an item's name is the name of what it is about."""
    for result in mappings(results):
        if isinstance(result.get("results"), list):
            for one in mappings(result["results"]):
                name = one.get("name") or at(one, "item", "name")
                yield {**one, **({"name": name} if name else {})}
        elif isinstance(result.get("extensions"), list):
            yield from map(_of_fleet_extensions, mappings(result["extensions"]))
        else:
            yield result


def _of_fleet_extensions(one: Mapping[str, Any]) -> dict[str, Any]:
    """What became of one of several extensions, in the form in which a module for a single one tells it."""
    state = one.get("state")
    return {**one, "failed": state == "failed", "skipped": state in ("absent", "blocked"), "msg": one.get("message")}


def _add_run(rows: dict[tuple[str, Any], Row], run: Mapping[str, Any]) -> None:
    """What a run of bundle_install or cluster_extension says. What the cluster itself says of its health goes before it."""
    name = run.get("name") or at(run, "extension", "name")
    if not name:
        raise OptionError(
            "runs: a result does not say which extension it is of; add its name, as in result | combine({'name': 'greeter'})"
        )
    engine = run.get("engine") or at(run, "extension", "engine")
    row = _find(rows, str(name), engine)
    known = row is not None
    if row is None:
        row = _row(
            name=str(name),
            namespace=run.get("namespace") or at(run, "extension", "namespace"),
            engine=engine,
        )
        rows[str(name), engine] = row
    row["blocked_by"] = sorted({*row["blocked_by"], *texts(run.get("blocked_by"))})
    if run.get("failed"):
        row["message"] = str(run.get("msg") or row["message"])
        row["pending_approval"] = _pending(run)
        if not known or row["health"] in ("absent", "unknown"):
            row["health"] = "failed"
    elif run.get("skipped"):
        row["message"] = row["message"] or str(run.get("msg") or "")
    elif not known:
        row |= {
            "health": "healthy",
            "package": at(run, "bundle", "package") or at(run, "resolved", "package"),
            "version": at(run, "bundle", "version"),
            "revision": run.get("revision"),
        }


def _pending(run: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the gate holds a run for. Of runs that fail only those tell of permissions that it held."""
    gained, digest = texts(at(run, "permissions", "gained")), at(run, "permissions", "digest")
    return {"digest": digest, "gains": gained} if gained and digest else None


def _add_blockers(rows: list[Row], wanted: Iterable[Mapping[str, Any]]) -> None:
    """An extension that is not healthy itself is blocked by those that it needs and that are not."""
    health = {row["name"]: row["health"] for row in rows}
    needs = {str(item.get("name")): texts(item.get("needs")) for item in wanted}
    for row in rows:
        if row["health"] not in ("healthy", "unknown"):
            unmet = {name for name in needs.get(row["name"], ()) if health.get(name, "absent") != "healthy"}
            row["blocked_by"] = sorted({*row["blocked_by"], *unmet})


def _find(rows: Mapping[tuple[str, Any], Row], name: str, engine: Any) -> Row | None:
    """The row of that name and engine; with an engine that is not known, or not the one that is used, that of the name."""
    return rows.get((name, engine)) or next((row for key, row in rows.items() if key[0] == name), None)
