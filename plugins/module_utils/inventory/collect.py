# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inventory as a whole: sources to clusters, names, answers, hosts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..cluster.authentication import require_library
from ..errors import OptionError
from ..similar import did_you_mean
from . import argocd, cluster_api, kubeconfig_files, managed_clusters, plain_list
from .credentials import directory_of, keep
from .model import Cluster, Reading, Settings
from .names import unique
from .options import Check, checked, labels, shown, text
from .probe import probed

FLEET, UNREACHABLE = "fleet", "unreachable"
# Labels by which clusters commonly say where they are, where their source has no better word for it.
_REGION_LABELS = ("topology.kubernetes.io/region", "region")
_PROVIDER_LABELS = ("provider", "cloud")

Reader = Callable[[Mapping[str, Any], str, Settings], Reading]


@dataclass(frozen=True)
class Kind:
    """A kind of source: its keys beside those that all have, and who reads it. A hub has its keys in a mapping of its own."""

    read: Reader
    keys: Mapping[str, Check]
    hub: bool = False


SOURCES: Mapping[str, Kind] = {
    "kubeconfig": Kind(kubeconfig_files.read_contexts, kubeconfig_files.SOURCE),
    "folder": Kind(kubeconfig_files.read_folder, kubeconfig_files.FOLDER),
    "managed_clusters": Kind(managed_clusters.read_managed_clusters, managed_clusters.OPTIONS, hub=True),
    "cluster_api": Kind(cluster_api.read_cluster_api, cluster_api.OPTIONS, hub=True),
    "argocd": Kind(argocd.read_argocd, argocd.OPTIONS, hub=True),
    "clusters": Kind(plain_list.read_list, plain_list.OPTIONS),
}
COMMON: Mapping[str, Check] = {"labels": labels, "region": text, "provider": text}


@dataclass(frozen=True)
class Host:
    """One host of the inventory: its variables, and the groups that it is in whatever the user constructs besides."""

    name: str
    variables: Mapping[str, Any]
    groups: tuple[str, ...]


@dataclass(frozen=True)
class Fleet:
    """All hosts, the files that were written for them, and what is to be said."""

    hosts: tuple[Host, ...]
    files: tuple[str, ...]
    warnings: tuple[str, ...]


def collect(sources: Any, settings: Settings, inventory: str, credentials_root: Path) -> Fleet:
    """Read all sources; `inventory` is the path of the inventory file."""
    require_library()
    readings = [_read(*source, settings) for source in checked_sources(sources)]
    clusters, renamed = unique(cluster for reading in readings for cluster in reading.clusters)
    if settings.probe:
        clusters = probed(clusters, settings)
    paths = {}
    secret = {cluster.name: cluster.credentials for cluster in clusters if cluster.credentials is not None}
    if not settings.inline_credentials:
        paths = keep(directory_of(credentials_root, inventory), secret)
    return Fleet(
        hosts=tuple(_host(cluster, paths.get(cluster.name)) for cluster in clusters),
        files=tuple(paths.values()),
        warnings=(*(warning for reading in readings for warning in reading.warnings), *renamed),
    )


def checked_sources(sources: Any) -> list[tuple[str, Kind, dict[str, Any], dict[str, Any], str]]:
    """Every source as kind, its options, what it says of all its clusters, and its place. All are looked at before one is read."""
    if not isinstance(sources, list) or not sources:
        raise OptionError(f"sources: must be a list with at least one of {', '.join(SOURCES)} (got {shown(sources)})")
    found = []
    for number, source in enumerate(sources):
        where = f"sources[{number}]"
        kinds = [key for key in source if key in SOURCES] if isinstance(source, Mapping) else []
        if len(kinds) != 1:
            words = [str(key) for key in source] if isinstance(source, Mapping) else []
            hint = next(filter(None, (did_you_mean(word, SOURCES) for word in words if not kinds)), "")
            seen = ", ".join(words) or shown(source)
            raise OptionError(f"{where}: must have exactly one of {', '.join(SOURCES)} (got {seen}){hint}")
        kind = SOURCES[kinds[0]]
        if kind.hub:
            given = checked(source, where, {**COMMON, kinds[0]: _anything})
            own = checked(source[kinds[0]] or {}, f"{where}.{kinds[0]}", kind.keys)
        else:
            given = own = checked(source, where, {**COMMON, **kind.keys})
            if kinds[0] not in own:
                raise OptionError(f"{where}.{kinds[0]}: must not be empty")
        found.append((kinds[0], kind, own, {key: given[key] for key in COMMON if key in given}, where))
    return found


def _anything(value: Any, _where: str) -> Any:
    return value


def _read(
    name: str, kind: Kind, own: Mapping[str, Any], common: Mapping[str, Any], where: str, settings: Settings
) -> Reading:
    reading = kind.read(own, f"{where}.{name}" if kind.hub else where, settings)
    return replace(reading, clusters=tuple(_described(cluster, common) for cluster in reading.clusters))


def _described(cluster: Cluster, common: Mapping[str, Any]) -> Cluster:
    """With what is said of all clusters of a source, where they do not say it themselves."""
    together = {**common.get("labels", {}), **cluster.labels}

    def of_labels(names: tuple[str, ...]) -> str:
        return next((together[name] for name in names if together.get(name)), "")

    return replace(
        cluster,
        labels=together,
        region=cluster.region or of_labels(_REGION_LABELS) or common.get("region", ""),
        provider=cluster.provider or of_labels(_PROVIDER_LABELS) or common.get("provider", ""),
    )


def _host(cluster: Cluster, path: str | None) -> Host:
    options = dict(cluster.options)
    if path is not None and cluster.credentials is not None:
        options = {"context": cluster.credentials.get("current-context"), **options, "kubeconfig": path}
    elif path is None:
        options.update(cluster.inline)
    described = {
        "labels": dict(cluster.labels),
        "region": cluster.region,
        "provider": cluster.provider,
        "kubernetes_version": cluster.version,
        "cluster_source": cluster.source,
        "claims": dict(cluster.claims) if cluster.claims is not None else None,
        "unreachable_reason": " ".join(cluster.problem.split()),
    }
    variables = {**options, **{key: value for key, value in described.items() if value not in (None, "")}}
    minor = ".".join(cluster.version.split(".")[:2])
    named = (("region", cluster.region), ("provider", cluster.provider), ("version", minor))
    groups = [FLEET, *(f"{kind}_{value}" for kind, value in named if value)]
    return Host(cluster.name, variables, (*groups, *([UNREACHABLE] if cluster.problem else [])))
