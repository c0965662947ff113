# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether OLM v1 will install what a ClusterExtension asks for: looked up before it is applied, and everything told at once.

What cannot be looked at, as a catalog that we may not read or a bundle in a registry that we do not reach, is told as a warning: OLM v1 may well be able to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from ..bundle.load import load_bundle
from ..bundle.model import REGISTRY_V1, WITH_CSV, Bundle
from ..bundle.source_options import SCHEME, SourceOptions
from ..catalog.answers import resolved as resolved_report
from ..catalog.catalog import Catalog
from ..catalog.problems import Unresolved
from ..catalog.query import CATALOG_PROVIDED, Query
from ..cluster.client import Client
from ..cluster.info import certificate_providers, controller_gates
from ..compare.bundles import compare_bundles, crd_sentence
from ..config.problems import InvalidConfig
from ..crd.change import Change
from ..crd.olm_refusals import refused_by_olm
from ..direct.ownership import Extension
from ..errors import ClusterError, FleetError, Forbidden
from ..nested import at, mappings, texts
from ..preflight.apis import apis_of, kinds_not_served
from ..preflight.crd_safety import crd_problems
from ..preflight.namespaces import look_at_namespaces
from ..preflight.versions import version_problems
from ..rbac.words import sentences
from ..render.certificates import CERT_MANAGER
from ..render.check import check, configured
from ..render.install_mode import target_namespaces
from ..render.pipeline import render
from .catalogd import ReadCatalogs, cluster_catalogs, given_catalogs
from .explanations import DEPLOYMENT_CONFIG, SINGLE_OWN_NAMESPACE, gate_words
from .findings import Findings
from .installed import installed_bundle, installed_image
from .owners import owner_problems
from .put import Rehearsed

_CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@dataclass
class _Found:
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def findings(
    client: Client, rehearsed: Rehearsed, catalog: Any, access: SourceOptions, *, create_namespace: bool, adopts: bool
) -> Findings:
    """Resolve as OLM v1 would from what the object would be, and look at the bundle that comes of it.

    Where `adopts` is set, what bundle_install has under the same name is about to be handed over.
    """
    after = rehearsed.after
    found = _Found()
    try:
        with _catalogs(client, catalog, access, after) as read:
            found.warnings += read.unread
            query = query_of(after, read.catalogs)
            try:
                report = resolved_report(query, read.catalogs)
            except Unresolved as error:
                if read.none and _is_kept(query, after):
                    found.warnings.append(f"{error}; OLM v1 keeps what is installed while there is no ClusterCatalog")
                else:
                    # With a catalog unread, nobody knows.
                    (found.warnings if read.unread else found.problems).append(str(error))
                why = error.details.get("why") or ()
                return Findings(tuple(found.problems), tuple(found.warnings), None, tuple(why))
    except ClusterError as error:
        return Findings(warnings=(f"what would be installed was not looked up: {error}",))
    chosen = report.result["bundle"]
    found.warnings += report.warnings
    installed = query.installed
    changes: Mapping[str, Any] = {}
    if rehearsed.changes or installed is None or installed.name != chosen["name"]:
        changes = _look_at_bundle(
            client, rehearsed, chosen, access, found, create_namespace=create_namespace, adopts=adopts
        )
    return Findings(tuple(found.problems), tuple(found.warnings), chosen, tuple(report.result["why"]), changes)


def query_of(content: Mapping[str, Any], catalogs: Iterable[Catalog]) -> Query:
    """What operator-controller asks of catalogs for a ClusterExtension."""
    catalog = at(content, "spec", "source", "catalog")
    package = str(at(catalog, "packageName") or "")
    name = at(content, "status", "install", "bundle", "name")
    packages = [found for one in catalogs if name and (found := one.package(package)) is not None]
    return Query(
        package=package,
        version=str(at(catalog, "version") or ""),
        channels=tuple(texts(at(catalog, "channels"))),
        installed=installed_bundle(content, [one.by_name[name].version for one in packages if name in one.by_name]),
        policy=str(at(catalog, "upgradeConstraintPolicy") or CATALOG_PROVIDED),
    )


def _is_kept(query: Query, content: Mapping[str, Any]) -> bool:
    """Whether nothing else is asked for than what is installed, in the words that operator-controller compares: without the release."""
    return query.installed is not None and query.version in ("", at(content, "status", "install", "bundle", "version"))


def _catalogs(
    client: Client, catalog: Any, access: SourceOptions, after: Mapping[str, Any]
) -> AbstractContextManager[ReadCatalogs]:
    package, selector = (
        at(after, "spec", "source", "catalog", "packageName"),
        at(after, "spec", "source", "catalog", "selector"),
    )
    if catalog is not None:
        return given_catalogs(client, catalog, access, package, selector)
    return cluster_catalogs(client, access, package, selector)


def _look_at_bundle(
    client: Client,
    rehearsed: Rehearsed,
    chosen: Mapping[str, Any],
    access: SourceOptions,
    found: _Found,
    *,
    create_namespace: bool,
    adopts: bool,
) -> Mapping[str, Any]:
    after = rehearsed.after
    namespace, config = str(at(after, "spec", "namespace")), at(after, "spec", "config", "inline")
    try:
        bundle = load_bundle(SCHEME + chosen["image"], access).bundle
    except FleetError as error:
        found.warnings.append(f"bundle {chosen['name']} was not looked at: {error}")
        return {}
    checked = check(bundle, config, namespace)
    found.problems += [*format_problems(bundle), *checked.problems]
    found.warnings += checked.warnings
    crds = _live_crds(client, bundle, found)
    if not checked.problems and bundle.format in WITH_CSV:
        parsed, _advice = configured(bundle, config, namespace)
        watched = target_namespaces(bundle, parsed.watch_namespace, namespace)
        # operator-controller asks for certificates as it was started, whether or not there is somebody to issue them.
        provider = next(iter(certificate_providers(client.discovery())), CERT_MANAGER) if bundle.webhooks else None
        manifests = render(bundle, parsed, namespace, provider)
        _namespaces(client, namespace, watched, manifests, found, create_namespace=create_namespace)
        found.problems += kinds_not_served(client.discovery().expecting(apis_of(manifests)), manifests)
        extension = Extension(str(at(after, "metadata", "name")), namespace)
        problems, warnings = owner_problems(client, manifests, extension, crds, adopts=adopts)
        found.problems += problems
        found.warnings += warnings
    found.problems += version_problems(client, at(bundle.csv, "spec", "minKubeVersion"))
    _gates(client, bundle, config, found)
    _crd_safety(client, bundle, crds, after, found)
    return _changes(rehearsed, bundle, config, namespace, access, found)


def format_problems(bundle: Bundle) -> list[str]:
    """OLM v1 installs bundles of one format only, and says of others that it cannot read them."""
    if bundle.format == REGISTRY_V1:
        return []
    return [
        f"OLM v1 does not know the format {bundle.format} of bundle {bundle.name}; make a {REGISTRY_V1} bundle of it with bundle_convert and "
        "bundle_build and list that in the catalog, or install this one with bundle_install"
    ]


def _namespaces(
    client: Client,
    install: str,
    watched: Sequence[str],
    manifests: Sequence[Mapping[str, Any]],
    found: _Found,
    *,
    create_namespace: bool,
) -> None:
    """A namespace that is watched has to be there only where something is put into it."""
    used = {install, *(str(at(manifest, "metadata", "namespace") or "") for manifest in manifests)}
    for name, line in look_at_namespaces(client, install, watched, may_create=create_namespace).told.items():
        (found.problems if name in used else found.warnings).append(line)


def _gates(client: Client, bundle: Bundle, config: Any, found: _Found) -> None:
    """Feature gates that are off and needed, where operator-controller's Deployment can be seen. What it is by default depends on the release."""
    modes = {
        str(item.get("type")) for item in mappings(at(bundle.csv, "spec", "installModes")) if item.get("supported")
    }
    needed = {
        SINGLE_OWN_NAMESPACE: "AllNamespaces" not in modes or bool(at(config, "watchNamespace")),
        DEPLOYMENT_CONFIG: bool(at(config, "deploymentConfig")),
    }
    if not any(needed.values()):
        return
    try:
        gates = controller_gates(client)
    except ClusterError:
        return
    if gates is None:
        return
    for name, wanted in needed.items():
        if wanted and not gates.get(name):
            what = "deploymentConfig" if name == DEPLOYMENT_CONFIG else "watching a single namespace"
            off = name in gates
            line = (
                f"config: {what} is behind a feature gate that {'is off' if off else 'may be off'}; {gate_words(name)}"
            )
            (found.problems if off else found.warnings).append(line)


def _live_crds(client: Client, bundle: Bundle, found: _Found) -> dict[str, Mapping[str, Any]]:
    """Those of a bundle's CRDs that are on the cluster."""
    live: dict[str, Mapping[str, Any]] = {}
    for crd in bundle.crds:
        name = str(at(crd, "metadata", "name"))
        try:
            there = client.find(f"{_CRDS}/{name}")
        except Forbidden:
            found.warnings.append(f"CRD {name} was not compared, because we may not read it")
            continue
        if there is not None:
            live[name] = there
    return live


def _crd_safety(
    client: Client, bundle: Bundle, live: Mapping[str, Mapping[str, Any]], after: Mapping[str, Any], found: _Found
) -> None:
    strict = at(after, "spec", "install", "preflight", "crdUpgradeSafety", "enforcement") != "None"
    crds = [crd for crd in bundle.crds if at(crd, "metadata", "name") in live]
    report = crd_problems(client, crds, "strict" if strict else "warn", live)
    found.problems += [
        f"{line}; look at the custom resources, then set crd_upgrade_safety: none" for line in report.problems
    ]
    found.warnings += report.warnings
    if strict:
        # They come CRD by CRD.
        refused = groupby(refused_by_olm(report.changes), key=lambda change: change.crd)
        found.problems += [_refused_though_harmless(name, list(changes)) for name, changes in refused]


def _refused_though_harmless(name: str, refused: Sequence[Change]) -> str:
    first = " ".join(filter(None, (refused[0].version, refused[0].path)))
    more = f", and {len(refused) - 1} more" if len(refused) > 1 else ""
    return (
        f"CRD {name}: OLM v1 refuses what hurts no custom resource, too ({first}: {refused[0].message}{more}); "
        "set crd_upgrade_safety: none"
    )


def _changes(
    rehearsed: Rehearsed, bundle: Bundle, config: Any, namespace: str, access: SourceOptions, found: _Found
) -> Mapping[str, Any]:
    """From the installed bundle to the resolved one. Which image it has is in the message of OLM v1's condition."""
    image = installed_image(rehearsed.live or {})
    if not image:
        return {}
    try:
        old = load_bundle(SCHEME + image, access).bundle
    except FleetError:
        return {}
    if old.name == bundle.name:
        return {}
    comparison = compare_bundles(old, bundle)
    try:
        configured(old, config, namespace)
        accepted = True
    except InvalidConfig:
        accepted = False
    broken = [change.message for change in comparison.schema if change.breaking]
    if accepted and broken and any(line.startswith("invalid bundle configuration") for line in found.problems):
        found.problems.append(f"config: {old.name} accepts it; with {bundle.name} {'; '.join(broken)}")
    return {
        "from": old.name,
        "to": bundle.name,
        "permissions_gained": sentences(comparison.gained),
        "permissions_lost": sentences(comparison.lost),
        "crds": [crd_sentence(change) for change in comparison.crd_changes],
    }
