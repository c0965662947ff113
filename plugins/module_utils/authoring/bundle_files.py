# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of a bundle as text, laid out as in an image."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..manifests.yaml_writer import to_yaml

PREFIX = "operators.operatorframework.io.bundle"
ANNOTATIONS = "metadata/annotations.yaml"
# What the annotations of a bundle name, and what scorecard looks for.
IMAGE_FOLDERS = ("manifests", "metadata", "tests")
DEPENDENCIES = "metadata/dependencies.yaml"


def stream(manifests: Iterable[Mapping[str, Any]]) -> str:
    """Manifests as one YAML stream."""
    return "".join(f"---\n{to_yaml(manifest)}" for manifest in manifests)


def bundle_annotations(bundle_format: str, package: str, kept: Mapping[str, str] | None = None) -> dict[str, str]:
    """The annotations of a bundle, which are the labels of its image, too; what else it had is kept."""
    return {
        **(kept or {}),
        f"{PREFIX}.mediatype.v1": bundle_format,
        f"{PREFIX}.manifests.v1": "manifests/",
        f"{PREFIX}.metadata.v1": "metadata/",
        f"{PREFIX}.package.v1": package,
    }


def annotations_text(annotations: Mapping[str, str]) -> str:
    """The text of annotations.yaml."""
    return f"---\n{to_yaml({'annotations': dict(annotations)})}"
