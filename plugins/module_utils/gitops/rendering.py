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
from ..fleet.told_once import ToldOnce
from ..manifests.brought_twice import brought_twice, identity
from ..manifests.mirrors import mirror_images
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
    if renderer.problems.lines:
        raise Problems(renderer.problems.lines)
    return placed, tuple(dict.fromkeys(renderer.warnings))


class _Renderer:
    def __init__(self, access: SourceOptions) -> None:
        self.access = access
        self.loaded: dict[str, LoadedBundle] = {}
        self.rendered: dict[tuple[str, str], Rendering | FleetError] = {}
        self.together: dict[tuple[str, ...], tuple[dict[str, tuple[Manifest, ...]], list[str]]] = {}
        self.problems = ToldOnce()
        self.warnings: list[str] = []

    def cluster(self, cluster: str, extensions: Iterable[Extension]) -> Placed:
        renderings: list[Rendering] = []
        namespaces = set()
        for extension in extensions:
            found = self.extension(extension)
            if isinstance(found, FleetError):
                self.problems.add(str(found), [cluster], f"{extension.name}: ")
            else:
                renderings.append(found)
            if extension.create_namespace:
                namespaces.add(extension.namespace)
        # Most clusters of a fleet run the same extensions as others.
        together = tuple(rendering.base for rendering in renderings)
        if together not in self.together:
            self.together[together] = _together(renderings)
        shared, problems = self.together[together]
        for line in problems:
            self.problems.add(line, [cluster])
        return Placed(tuple(renderings), tuple(sorted(namespaces)), shared)

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


def _together(renderings: Iterable[Rendering]) -> tuple[dict[str, tuple[Manifest, ...]], list[str]]:
    """Equal CRDs that an earlier extension of a cluster brings, by extension, and problems."""
    objects = {item.name: {identity(manifest): manifest for manifest in item.manifests} for item in renderings}
    shared, problems = brought_twice(objects.items())
    return {name: tuple(objects[name][key] for key in keys) for name, keys in shared.items()}, problems
