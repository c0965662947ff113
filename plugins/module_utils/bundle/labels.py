# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The labels of a bundle's image: whoever only looks at them must learn what is inside."""

from __future__ import annotations

from collections.abc import Mapping

from .model import K8S_V1, Bundle
from .registry_v1 import PREFIX


def label_problems(bundle: Bundle, labels: Mapping[str, str]) -> list[str]:
    """Labels that contradict the annotations in the image; one that is missing contradicts nothing."""
    return [
        f"invalid bundle '{bundle.name}': the image has the label {name} with '{labels[name]}', but metadata/annotations.yaml says '{said}'"
        for name, said in sorted((bundle.annotations or {}).items())
        if name.startswith(PREFIX) and name in labels and labels[name] != said
    ]


def format_warnings(bundle: Bundle) -> tuple[str, ...]:
    """Who does not know the format."""
    if bundle.format != K8S_V1:
        return ()
    return (
        f"OLM does not know the format {K8S_V1}: install {bundle.name} with bundle_install, or turn it into registry+v1 with bundle_convert",
    )
