# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Extensions as manifests. What several clusters run alike is rendered once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..bundle.load import LoadedBundle, load_bundle
from ..bundle.source_options import SourceOptions
from ..errors import FleetError, Problems
from ..fleet.description import clusters_named
from ..manifests.mirrors import mirror_images
from ..nested import at
from ..render.check import configured
from ..render.pipeline import digest, render
from .description import Extension

_DIGITS = 12
Manifest = Mapping[str, Any]


@dataclass(frozen=True)
class Rendering:
    """An extension as it is on some clusters."""

    name: str
    namespace: str
    bundle: Mapping[str, str]
    manifests: tuple[Manifest, ...]
    digest: str

    @property
    def base(self) -> str:
        """The folder that clusters with this very rendering share."""
        return f"{self.name}-{self.digest.removeprefix('sha256:')[:_DIGITS]}"


@dataclass(frozen=True)
class Placed:
    """What a cluster runs, the namespaces that come with it, and by extension what another one brings already."""

    renderings: tuple[Rendering, ...]
    namespaces: tuple[str, ...] = ()
    brought: Mapping[str, tuple[Manifest, ...]] = field(default_factory=dict)


def render_fleet(
    fleet: Mapping[str, list[Extension]], access: SourceOptions
) -> tuple[dict[str, Placed], tuple[str, ...]]:
    """What each cluster runs, and warnings; refused with all that cannot be rendered or does not go together."""
    renderer = _Renderer(access)
    placed = {cluster: renderer.cluster(cluster, extensions) for cluster, extensions in fleet.items()}
    if renderer.problems:
        raise Problems(f"{clusters_named(clusters)}: {line}" for line, clusters in renderer.problems.items())
    return placed, tuple(dict.fromkeys(renderer.warnings))


class _Renderer:
    def __init__(self, access: SourceOptions) -> None:
        self.access = access
        self.loaded: dict[str, LoadedBundle] = {}
        self.rendered: dict[tuple[str, str], Rendering | FleetError] = {}
        self.together: dict[tuple[str, ...], tuple[dict[str, tuple[Manifest, ...]], list[str]]] = {}
        self.problems: dict[str, list[str]] = {}
        self.warnings: list[str] = []

    def cluster(self, cluster: str, extensions: Iterable[Extension]) -> Placed:
        renderings: list[Rendering] = []
        namespaces = set()
        for extension in extensions:
            found = self.extension(extension)
            if isinstance(found, FleetError):
                for line in str(found).splitlines():
                    self.problem(cluster, f"{extension.name}: {line}")
            else:
                renderings.append(found)
            if extension.create_namespace:
                namespaces.add(extension.namespace)
        # Most clusters of a fleet run the same extensions as others.
        together = tuple(rendering.base for rendering in renderings)
        if together not in self.together:
            self.together[together] = brought_twice(renderings)
        shared, problems = self.together[together]
        for line in problems:
            self.problem(cluster, line)
        return Placed(tuple(renderings), tuple(sorted(namespaces)), shared)

    def problem(self, cluster: str, line: str) -> None:
        self.problems.setdefault(line, []).append(cluster)

    def extension(self, extension: Extension) -> Rendering | FleetError:
        key = (extension.name, extension.identity)
        if key not in self.rendered:
            try:
                self.rendered[key] = self.rendering(extension)
            except FleetError as error:
                self.rendered[key] = error
        return self.rendered[key]

    def rendering(self, extension: Extension) -> Rendering:
        source = json.dumps(extension.source, sort_keys=True, default=str)
        loaded = self.loaded.get(source) or load_bundle(extension.source, self.access)
        self.loaded[source], bundle = loaded, loaded.bundle
        config, advice = configured(bundle, extension.config, extension.namespace)
        self.warnings += [f"{extension.name}: {warning}" for warning in (*loaded.warnings, *advice)]
        manifests = render(bundle, config, extension.namespace, extension.certificate_provider)
        mirrored, _images = mirror_images(manifests, extension.mirrors)
        # Applied one after the other the last would win; kustomize takes each object once.
        once = tuple({identity(manifest): manifest for manifest in mirrored}.values())
        named = {"name": bundle.name, "package": bundle.package, "version": bundle.version}
        return Rendering(extension.name, extension.namespace, named, once, digest([named, *once]))


def brought_twice(renderings: Iterable[Rendering]) -> tuple[dict[str, tuple[Manifest, ...]], list[str]]:
    """Equal CRDs that an earlier extension of a cluster brings, and all else that two bring, which is a problem."""
    owners: dict[tuple[str, str, str, str], tuple[str, Manifest]] = {}
    shared: dict[str, tuple[Manifest, ...]] = {}
    problems = []
    for rendering in renderings:
        for manifest in rendering.manifests:
            key = identity(manifest)
            other, its = owners.setdefault(key, (rendering.name, manifest))
            if other == rendering.name:
                continue
            if key[1] == "CustomResourceDefinition" and its == manifest:
                shared[rendering.name] = (*shared.get(rendering.name, ()), manifest)
            else:
                place = f"{key[2]}/{key[3]}" if key[2] else key[3]
                problems.append(f"{other} and {rendering.name} both bring {key[1]} {place}")
    return shared, problems


def identity(manifest: Manifest) -> tuple[str, str, str, str]:
    """What no two objects of a cluster have in common: API group, kind, namespace and name."""
    group = str(manifest.get("apiVersion") or "").rpartition("/")[0]
    namespace, name = (str(at(manifest, "metadata", key) or "") for key in ("namespace", "name"))
    return group, str(manifest.get("kind") or ""), namespace, name
