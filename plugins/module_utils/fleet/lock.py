# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From what a fleet is to run to exactly what it runs: bundles by digest, configurations that fit them, nothing that collides.

Everything is done once for the whole fleet, however many clusters want the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..bundle.load import LoadedBundle, load_bundle
from ..bundle.source_options import SCHEME, SourceOptions
from ..catalog.model import CatalogBundle, Package
from ..catalog.query import SELF_CERTIFIED, Installed, parse_query
from ..catalog.resolution import deprecation_warnings, resolve
from ..catalog.sources import open_catalogs
from ..config.schema import schema_of
from ..direct.compose import AUTO
from ..errors import FleetError, SourceError
from ..manifests.brought_twice import Identity, brought_twice, identity
from ..manifests.mirrors import mirror_images, mirrors_of
from ..nested import at, texts
from ..rbac.gate import gain_sentences, grants_of_manifests
from ..render.certificates import CERT_MANAGER
from ..render.check import configured
from ..render.pipeline import digest, render
from .description import VARIABLE, Described
from .lock_file import Key, Locked, key_for
from .told_once import ToldOnce

_ADVICE = "run with update_lock=true to accept that"


@dataclass(frozen=True)
class Request:
    """What the whole fleet wants, what was locked before, and how strictly to hold it."""

    fleet: Mapping[str, Sequence[Described]]
    held: Mapping[Key, Locked] | None
    access: SourceOptions
    update: bool = False
    ask_catalogs: bool = True
    partial: bool = False


@dataclass(frozen=True)
class Answer:
    """The lock, the extensions of each cluster in order, and what to know. Of what `problems` are about nothing else is there."""

    entries: tuple[Locked, ...]
    extensions: Mapping[str, list[dict[str, Any]]]
    moves: tuple[Mapping[str, Any], ...] = ()
    newer: tuple[Mapping[str, Any], ...] = ()
    warnings: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass
class _Work:
    """What is found on the way."""

    request: Request
    problems: ToldOnce = field(default_factory=ToldOnce)
    warnings: list[str] = field(default_factory=list)
    newer: list[Mapping[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class _Wish:
    """An extension that some cluster is to have. Those with one `key` are one bundle, those with one `variant` are rendered alike."""

    one: Described
    key: Key
    variant: str


@dataclass(frozen=True)
class _Rendering:
    """One bundle rendered for one namespace and configuration."""

    told: Mapping[str, Any]
    permissions: tuple[str, ...]
    objects: Mapping[Identity, str]


def lock_fleet(request: Request) -> Answer:
    """Pin everything; what is wrong names the clusters that it is wrong for."""
    work = _Work(request)
    fleet = {cluster: [_wish(one) for one in wanted] for cluster, wanted in request.fleet.items()}
    locked: dict[Key, Locked] = {}
    bundles: dict[Key, LoadedBundle] = {}
    for wish, clusters in _distinct(fleet, lambda wish: wish.key):
        try:
            locked[wish.key], bundles[wish.key] = _pinned(wish, work)
        except FleetError as error:
            work.problems.add(str(error), clusters, f"{wish.one.name}: ")
    renderings: dict[str, _Rendering] = {}
    for wish, clusters in _distinct(fleet, lambda wish: wish.variant):
        if wish.key not in bundles:
            continue
        try:
            rendering = _rendered(wish.one, bundles[wish.key], work)
            locked[wish.key] = _with_rendering(locked[wish.key], rendering, work, wish.one)
            renderings[wish.variant] = rendering
        except FleetError as error:
            work.problems.add(str(error), clusters, f"{wish.one.name}: ")
    _collisions(fleet, renderings, work.problems)
    if not request.partial:
        work.warnings += _no_longer_described(request)
    extensions = {
        cluster: [_exact(wish.one, locked[wish.key]) for wish in wishes if wish.variant in renderings]
        for cluster, wishes in fleet.items()
    }
    moves = tuple(_moves(request.held or {}, locked.values())) if request.update else ()
    return Answer(
        entries=tuple(locked.values()),
        extensions=extensions,
        moves=moves,
        newer=tuple(work.newer),
        warnings=tuple(dict.fromkeys(work.warnings)),
        problems=tuple(work.problems.lines),
    )


def _no_longer_described(request: Request) -> Iterable[str]:
    """What was locked and nobody wants under this name any more: it stays where it is installed, where nobody would look for it."""
    described = {one.name for wanted in request.fleet.values() for one in wanted}
    advice = "" if request.update else "; update_lock=true takes it out of the lock"
    for name in sorted({entry.name for entry in (request.held or {}).values()} - described):
        yield (
            f"{name} was locked and is no longer in {VARIABLE}: it stays where it is installed. To remove it, describe it again and run "
            f"fleet.olm.remove -e extensions={name} first{advice}"
        )


def _wish(one: Described) -> _Wish:
    key = key_for(one.name, one.wanted)
    parts = [key, one.namespace, one.config, one.settings.get("certificate_provider"), _mirrors(one)]
    return _Wish(one, key, json.dumps(parts, sort_keys=True, default=str))


def _distinct(
    fleet: Mapping[str, Sequence[_Wish]], same: Callable[[_Wish], Key | str]
) -> list[tuple[_Wish, list[str]]]:
    """Every different wish once, with the clusters that have it."""
    found: dict[Key | str, tuple[_Wish, list[str]]] = {}
    for cluster, wishes in fleet.items():
        for wish in wishes:
            found.setdefault(same(wish), (wish, []))[1].append(cluster)
    return list(found.values())


def _pinned(wish: _Wish, work: _Work) -> tuple[Locked, LoadedBundle]:
    request, one = work.request, wish.one
    if request.held is None or request.update:
        return _fresh(one, work)
    entry = request.held.get(wish.key)
    if entry is None:
        others = [other.wanted for other in request.held.values() if other.name == one.name]
        raise SourceError(f"{_told_apart(one.wanted, others)}; {_ADVICE}")
    loaded = load_bundle(str(entry.bundle["source"]), request.access)
    if loaded.digest != entry.bundle["digest"]:
        raise SourceError(
            f"{entry.bundle['source']} is not what was locked: its digest is {loaded.digest}, and the lock has "
            f"{entry.bundle['digest']}; {_ADVICE}"
        )
    held, found = (entry.bundle["name"], entry.bundle["version"]), (loaded.bundle.name, loaded.bundle.version)
    if held != found:
        # OLM v1 is asked for the version, and would install another bundle than the one that was looked at.
        raise SourceError(
            f"the lock has {' '.join(held)} with the digest of {' '.join(found)}, as after an edit by hand; to move it, change the version in "
            f"{VARIABLE} and run with update_lock=true"
        )
    if "package" in one.wanted and request.ask_catalogs:
        _still_in_catalog(one, entry, work)
    # What was rendered for clusters that are not of this run stays locked; what is of it is added below.
    return entry, loaded


def _told_apart(wanted: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> str:
    """What is wanted and what is locked instead, with all that differs where the words for both are the same."""
    words = _words(wanted)
    if not others:
        return f"wanted is {words}, and the lock does not hold it"
    held = others[0]
    if words != _words(held):
        return f"wanted is {words}, and the lock holds it for {_words(held)}"
    differing = [key for key in sorted({*wanted, *held}) if _value(wanted, key) != _value(held, key)]
    ours, locked = (" and ".join(_value(side, key) for key in differing) for side in (wanted, held))
    return f"wanted is {words} with {ours}, and the lock holds it for {words} with {locked}"


def _value(wanted: Mapping[str, Any], key: str) -> str:
    return f"{key} {json.dumps(wanted[key], sort_keys=True, default=str)}" if key in wanted else f"no {key}"


def _words(wanted: Mapping[str, Any]) -> str:
    source = wanted.get("source")
    named = source if isinstance(source, Mapping) else wanted
    if not named.get("package"):
        return str(source)
    channels = named.get("channels")
    listed = channels if isinstance(channels, str) else ", ".join(texts(channels))
    return f"{named['package']} {named.get('version') or 'in any version'}{f' in {listed}' if listed else ''}"


def _fresh(one: Described, work: _Work) -> tuple[Locked, LoadedBundle]:
    source, image = one.wanted.get("source"), ""
    if source is None:
        found, package = _resolved(one, work)
        work.warnings += [f"{one.name}: {line}" for line in deprecation_warnings(package, found)]
        if not found.image:
            raise SourceError(f"the catalog has no image for {found.name}, only its manifests")
        image = found.image
        source = SCHEME + image.removeprefix(SCHEME)
    loaded = load_bundle(source, work.request.access)
    work.warnings += [f"{one.name}: {line}" for line in loaded.warnings]
    bundle = {
        "name": loaded.bundle.name,
        "package": loaded.bundle.package,
        "version": loaded.bundle.version,
        # A path means the same on every machine only as it was written; all else leads to an image.
        "source": source if isinstance(source, str) and not source.startswith(SCHEME) else loaded.reference,
        "digest": loaded.digest,
        "image": image,
    }
    document = schema_of(loaded.bundle).document
    return Locked(one.name, one.wanted, bundle, _digest(document) if document else "", (), ()), loaded


def _resolved(one: Described, work: _Work) -> tuple[CatalogBundle, Package]:
    """The bundle that OLM v1 would take: on a fleet that runs an earlier one, only what the catalog has as an upgrade of it."""
    policy = one.wanted.get("upgrade_constraint_policy")
    query = parse_query({**one.wanted, "policy": policy})
    before = _before(one, work)
    if before is not None and policy != SELF_CERTIFIED:
        query = replace(query, installed=Installed(str(before.bundle["name"]), str(before.bundle["version"])))
    with open_catalogs(one.wanted["catalog"], work.request.access, package=query.package) as opened:
        work.warnings += opened.warnings
        found = resolve(query, opened.catalogs)
        return found.bundle, found.package


def _before(one: Described, work: _Work) -> Locked | None:
    """What the clusters that want this ran until now, as far as the lock tells: the entry that it takes the place of."""
    held = work.request.held or {}
    key = key_for(one.name, one.wanted)
    if key in held:
        return held[key]
    still_wanted = {key_for(other.name, other.wanted) for wanted in work.request.fleet.values() for other in wanted}
    package = one.wanted.get("package")
    return next(
        (
            entry
            for entry in held.values()
            if entry.name == one.name and at(entry.wanted, "package") == package and entry.key not in still_wanted
        ),
        None,
    )


def _still_in_catalog(one: Described, entry: Locked, work: _Work) -> None:
    query = parse_query({**one.wanted, "policy": SELF_CERTIFIED})
    with open_catalogs(one.wanted["catalog"], work.request.access, package=query.package) as opened:
        for catalog in opened.catalogs:
            package = catalog.package(query.package)
            found = package.by_name.get(str(entry.bundle["name"])) if package is not None else None
            if found is not None and found.image == entry.bundle.get("image"):
                break
        else:
            raise SourceError(
                f"the catalog no longer has {entry.bundle['name']} as {entry.bundle.get('image')}, which is locked; {_ADVICE}"
            )
        best = resolve(query, opened.catalogs)
    work.warnings += [f"{one.name}: {line}" for line in deprecation_warnings(best.package, found)]
    if best.bundle.name != entry.bundle["name"]:
        work.newer.append({"name": one.name, "locked": entry.bundle["version"], "available": best.bundle.version})


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _mirrors(one: Described) -> Any:
    return one.settings.get("image_mirrors") or []


def _rendered(one: Described, loaded: LoadedBundle, work: _Work) -> _Rendering:
    config, advice = configured(loaded.bundle, one.config, one.namespace)
    work.warnings += [f"{one.name}: {line}" for line in advice]
    provider = one.settings.get("certificate_provider") or AUTO
    rendered = render(loaded.bundle, config, one.namespace, CERT_MANAGER if provider == AUTO else provider)
    manifests, _images = mirror_images(rendered, mirrors_of(_mirrors(one)))
    told = {"namespace": one.namespace, "config": _digest(config.values), "digest": digest(manifests)}
    if provider != AUTO:
        told["certificate_provider"] = provider
    if _mirrors(one):
        told["image_mirrors"] = _digest(_mirrors(one))
    objects = {identity(item): _digest(item) for item in manifests}
    return _Rendering(told, tuple(gain_sentences(grants_of_manifests(manifests))), objects)


def _with_rendering(entry: Locked, rendering: _Rendering, work: _Work, one: Described) -> Locked:
    """The entry with a rendering in it, which a lock that is held must have already."""
    told = rendering.told
    same = [item for item in entry.renderings if {**item, "digest": ""} == {**told, "digest": ""}]
    if same and same[0].get("digest") == told["digest"]:
        return entry
    if work.request.held is not None and not work.request.update:
        what = (
            "it renders otherwise than when it was locked"
            if same
            else f"the lock has no rendering of it for namespace {one.namespace} with this configuration"
        )
        raise SourceError(f"{what}; {_ADVICE}")
    permissions = sorted({*entry.permissions, *rendering.permissions})
    renderings = sorted((*entry.renderings, told), key=_digest)
    return replace(entry, permissions=tuple(permissions), renderings=tuple(renderings))


def _collisions(fleet: Mapping[str, Sequence[_Wish]], renderings: Mapping[str, _Rendering], problems: ToldOnce) -> None:
    """Objects that two extensions of one cluster both bring. Most clusters of a fleet run the same extensions as others."""
    alike: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for cluster, wishes in fleet.items():
        there = tuple((wish.one.name, wish.variant) for wish in wishes if wish.variant in renderings)
        alike.setdefault(there, []).append(cluster)
    for extensions, clusters in alike.items():
        _shared, found = brought_twice((name, renderings[variant].objects) for name, variant in extensions)
        for line in found:
            problems.add(line, clusters)


def _exact(one: Described, entry: Locked) -> dict[str, Any]:
    """An extension as a run is to install it."""
    package = "package" in one.wanted
    return {
        "name": one.name,
        "namespace": one.namespace,
        "engine": one.engine,
        "needs": list(one.needs),
        "wave": one.wave,
        "config": one.config,
        "source": entry.bundle["source"],
        **({"package": one.wanted["package"], "catalog": one.wanted["catalog"]} if package else {}),
        **{key: one.wanted[key] for key in ("channels", "upgrade_constraint_policy") if one.wanted.get(key)},
        "version": entry.bundle["version"],
        "create_namespace": True,
        **one.settings,
    }


def _moves(held: Mapping[Key, Locked], entries: Iterable[Locked]) -> Iterable[Mapping[str, Any]]:
    """What an update of the lock changes, for whoever reviews it."""
    for entry in entries:
        earlier = sorted((old for old in held.values() if old.name == entry.name), key=lambda old: old.key != entry.key)
        if not earlier:
            yield {"name": entry.name, "from": None, "to": entry.bundle["version"], "permissions_gained": []}
        elif earlier[0].bundle["digest"] != entry.bundle["digest"]:
            old = earlier[0]
            gained = [line for line in entry.permissions if line not in old.permissions]
            versions = {"from": old.bundle["version"], "to": entry.bundle["version"]}
            yield {"name": entry.name, **versions, "permissions_gained": gained}
