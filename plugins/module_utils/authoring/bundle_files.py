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
DEPENDENCIES = "metadata/dependencies.yaml"


def stream(manifests: Iterable[Mapping[str, Any]]) -> str:
    """Manifests as one YAML stream."""
    return "".join(f"---\n{to_yaml(manifest)}" for manifest in manifests)


def annotations_text(bundle_format: str, package: str, kept: Mapping[str, str] | None = None) -> str:
    """The text of annotations.yaml; what else it had is kept."""
    written = {
        **(kept or {}),
        f"{PREFIX}.mediatype.v1": bundle_format,
        f"{PREFIX}.manifests.v1": "manifests/",
        f"{PREFIX}.metadata.v1": "metadata/",
        f"{PREFIX}.package.v1": package,
    }
    return f"---\n{to_yaml({'annotations': written})}"
