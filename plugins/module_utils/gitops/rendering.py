# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Extensions as manifests. What several clusters run alike is rendered once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..bundle.load import LoadedBundle, load_bundle
from ..bundle.source_options import SourceOptions
from ..errors import FleetError, Problems
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
    """What a cluster runs, and the namespaces that come with it."""

    renderings: tuple[Rendering, ...]
    namespaces: tuple[str, ...]


def render_fleet(
    fleet: Mapping[str, list[Extension]], access: SourceOptions
) -> tuple[dict[str, Placed], tuple[str, ...]]:
    """What each cluster runs, and warnings; refused with all that cannot be rendered or does not go together."""
    renderer = _Renderer(access)
    placed = {cluster: renderer.cluster(cluster, extensions) for cluster, extensions in fleet.items()}
    problems = [*map(_failure, renderer.failures.values()), *renderer.conflicts]
    if problems:
        raise Problems(problems)
    return placed, tuple(dict.fromkeys(renderer.warnings))


@dataclass
class _Failure:
    """Why an extension cannot be rendered, and the clusters that were to have it."""

    name: str
    reasons: str
    clusters: list[str]


def _failure(failure: _Failure) -> str:
    first, *others = failure.clusters
    shown = f"{', '.join(others[:5])}{f' and {len(others) - 5} more' if len(others) > 5 else ''}"
    where = f"clusters.{first}.{failure.name}{f' (and the same on {shown})' if others else ''}"
    return "\n".join(f"{where}: {line}" for line in failure.reasons.splitlines())


class _Renderer:
    def __init__(self, access: SourceOptions) -> None:
        self.access = access
        self.loaded: dict[str, LoadedBundle] = {}
        self.rendered: dict[tuple[str, str], Rendering] = {}
        self.failures: dict[tuple[str, str], _Failure] = {}
        self.conflicts: list[str] = []
        self.warnings: list[str] = []

    def cluster(self, cluster: str, extensions: Iterable[Extension]) -> Placed:
        listed = list(extensions)
        found = [self.extension(cluster, extension) for extension in listed]
        renderings = tuple(rendering for rendering in found if rendering is not None)
        owners: dict[tuple[str, str, str, str], str] = {}
        for rendering in renderings:
            for manifest in rendering.manifests:
                key = identity(manifest)
                other = owners.setdefault(key, rendering.name)
                if other != rendering.name:
                    self.conflicts.append(
                        f"clusters.{cluster}: {other} and {rendering.name} both have the {key[1]} '{key[3]}'; one cluster cannot run both"
                    )
        return Placed(renderings, tuple(sorted({one.namespace for one in listed if one.create_namespace})))

    def extension(self, cluster: str, extension: Extension) -> Rendering | None:
        key = (extension.name, extension.identity)
        if key in self.failures:
            self.failures[key].clusters.append(cluster)
        elif key not in self.rendered:
            try:
                self.rendered[key] = self.rendering(extension)
            except FleetError as error:
                self.failures[key] = _Failure(extension.name, str(error), [cluster])
        return self.rendered.get(key)

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


def identity(manifest: Manifest) -> tuple[str, str, str, str]:
    """What no two objects of a cluster have in common: API group, kind, namespace and name."""
    group = str(manifest.get("apiVersion") or "").rpartition("/")[0]
    namespace, name = (str(at(manifest, "metadata", key) or "") for key in ("namespace", "name"))
    return group, str(manifest.get("kind") or ""), namespace, name
