# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A bundle directory from the manifests that one would apply by hand: what is written into which file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..bundle.model import K8S_V1, REGISTRY_V1
from ..bundle.objects import read_text
from ..bundle.registry_v1 import PACKAGE_ANNOTATION, read_annotations
from ..csvless.files import ENDINGS, FLAT, FLAT_METADATA, IMAGE, Layout, Placed, manifest_files, read_placed
from ..csvless.olm_yaml import OLM_YAML
from ..errors import OptionError
from .bundle_files import IMAGE_FOLDERS, annotations_text, bundle_annotations
from .found import FIRST_VERSION, Found, look, named
from .olm_text import first_olm_yaml, refreshed

DOCKERFILE = "Dockerfile"
_OURS = "# Written by fleet.olm; update: true writes it anew."
_ALWAYS = ("manifests", "metadata")
_DEPENDENCIES = '---\n# - type: olm.package\n#   value:\n#     packageName: other-operator\n#     version: ">=1.0.0"\ndependencies: []\n'
_CSV = """---
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: {package}.v{version}
spec:
  # FILL IN
  displayName: {package}
  version: {version}
  minKubeVersion: 1.16.0
  installModes:
    - type: AllNamespaces
      supported: true
    - type: OwnNamespace
      supported: false
    - type: SingleNamespace
      supported: false
    - type: MultiNamespace
      supported: false
  install:
    strategy: deployment
    spec:
      # FILL IN: name and spec of each Deployment
      deployments: []
"""


@dataclass(frozen=True)
class Scaffold:
    """The files of a bundle, those among them that are to be brought up to date, and what to tell about them."""

    format: str
    files: dict[str, str]
    refreshed: dict[str, str]
    found: Found | None
    fill_in: tuple[str, ...]
    warnings: tuple[str, ...]


def scaffold(
    src: Path, dest: Path, wanted: str | None, package: str | None, version: str | None, *, update: bool
) -> Scaffold:
    """What a bundle of the manifests in `src` is to consist of."""
    if not src.is_dir():
        raise OptionError(f"src: {src} is no directory")
    warnings: list[str] = []
    layout = IMAGE if (src / IMAGE.manifests).is_dir() else FLAT
    objects = read_placed(src, layout, warnings)
    csv = next((placed for placed in objects if placed.kind == "ClusterServiceVersion"), None)
    if not objects and wanted is None:
        raise OptionError(
            f"src: {src}: unable to infer mediatype when no manifests are present; set format to {REGISTRY_V1} or {K8S_V1}"
        )
    bundle_format = wanted or (REGISTRY_V1 if csv else K8S_V1)
    if csv and bundle_format == K8S_V1:
        raise OptionError(
            f"format: {csv.title} makes this a {REGISTRY_V1} bundle; turn it into {K8S_V1} with bundle_convert"
        )
    if objects and not csv and bundle_format == REGISTRY_V1:
        raise OptionError(
            f"format: {src} has no ClusterServiceVersion, which {REGISTRY_V1} needs; scaffold {K8S_V1} and use bundle_convert"
        )
    texts = {path.name: read_text(path, where) or "" for where, path in manifest_files(src, layout)}
    if texts and dest.resolve() != src.resolve():
        warnings += _left_behind(dest, IMAGE if bundle_format == REGISTRY_V1 else FLAT, texts)
    if bundle_format == REGISTRY_V1:
        return _with_csv(texts, csv, dest, package, version, warnings, update=update)
    return _plain(texts, look(objects), dest, package, version, warnings, update=update)


def _left_behind(dest: Path, layout: Layout, texts: Mapping[str, str]) -> list[str]:
    """Manifests that only the bundle has: a person may have put them there, or a file was renamed or removed since it was copied."""
    names = sorted(path.name for path in (dest / layout.manifests).glob("*") if path.is_file())
    if layout is FLAT:
        names = [name for name in names if name.endswith(ENDINGS) and name not in FLAT_METADATA]
    return [
        f"dest: {dest / layout.manifests / name} is part of the bundle, but not in src; remove it if it is not meant to be"
        for name in names
        if name not in texts
    ]


def _plain(
    texts: dict[str, str],
    found: Found,
    dest: Path,
    package: str | None,
    version: str | None,
    warnings: list[str],
    *,
    update: bool,
) -> Scaffold:
    said = _annotations(dest, FLAT, warnings)
    name = package or said.get(PACKAGE_ANNOTATION) or found.package or dest.resolve().name
    files = {
        **texts,
        OLM_YAML: first_olm_yaml(found, name, version or ""),
        "annotations.yaml": annotations_text(bundle_annotations(K8S_V1, name, said)),
        DOCKERFILE: _dockerfile(bundle_annotations(K8S_V1, name, said), _flat_copies(dest, sorted(texts))),
    }
    again: dict[str, str] = {}
    if update:
        again.update(texts)
        standing = read_text(dest / OLM_YAML, OLM_YAML)
        if standing is not None:
            again[OLM_YAML] = refreshed(standing, found, str(dest / OLM_YAML))
        again.update(_own_dockerfile(dest, files[DOCKERFILE]))
    fill_in = ("minKubeVersion", "displayName", *(() if version or found.version else ("version",)))
    warnings += found.refusals
    return Scaffold(K8S_V1, files, again, found, fill_in, tuple(warnings))


def _with_csv(
    texts: dict[str, str],
    csv: Placed | None,
    dest: Path,
    package: str | None,
    version: str | None,
    warnings: list[str],
    *,
    update: bool,
) -> Scaffold:
    said = _annotations(dest, IMAGE, warnings)
    name = package or said.get(PACKAGE_ANNOTATION) or (named(csv.manifest) if csv else "") or "operator"
    copies = {f"manifests/{file}": text for file, text in texts.items()}
    files = dict(copies)
    if not files:
        files["manifests/csv.yaml"] = _CSV.format(package=name, version=version or FIRST_VERSION)
    annotations = bundle_annotations(REGISTRY_V1, name, said)
    files["metadata/annotations.yaml"] = annotations_text(annotations)
    files["metadata/dependencies.yaml"] = _DEPENDENCIES
    folders = [folder for folder in IMAGE_FOLDERS if folder in _ALWAYS or (dest / folder).is_dir()]
    files[DOCKERFILE] = _dockerfile(annotations, [[folder, f"/{folder}/"] for folder in folders])
    fill_in = () if csv else ("displayName", "version", "install")
    again = {**copies, **_own_dockerfile(dest, files[DOCKERFILE])} if update else {}
    return Scaffold(REGISTRY_V1, files, again, None, fill_in, tuple(warnings))


def _annotations(dest: Path, layout: Layout, warnings: list[str]) -> dict[str, str]:
    """What the annotations of a bundle that is there say: its channels, for example."""
    file = layout.named("annotations.yaml")
    return read_annotations(str(dest), warnings, file) if (dest / file).is_file() else {}


def _flat_copies(dest: Path, manifests: list[str]) -> list[list[str]]:
    beside = [name for name in FLAT_METADATA if name in (OLM_YAML, "annotations.yaml") or (dest / name).is_file()]
    return [*([[*manifests, "/manifests/"]] if manifests else []), [*beside, "/metadata/"]]


def _dockerfile(labels: Mapping[str, str], copies: Iterable[list[str]]) -> str:
    """Only what docker, podman and buildah all know. Names stand in JSON, so that they may hold spaces."""
    lines = [_OURS, "FROM scratch"]
    lines += [f"LABEL {key}={json.dumps(value).replace('$', chr(92) + '$')}" for key, value in sorted(labels.items())]
    lines += [f"COPY {json.dumps(words)}" for words in copies]
    return "\n".join(lines) + "\n"


def _own_dockerfile(dest: Path, text: str) -> dict[str, str]:
    standing = read_text(dest / DOCKERFILE, DOCKERFILE)
    return {DOCKERFILE: text} if standing is not None and standing.startswith(_OURS) else {}
