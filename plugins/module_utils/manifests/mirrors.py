# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Images from other registries: prefix rules, as disconnected clusters have them in an ImageDigestMirrorSet."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..bundle.model import RELATED_IMAGE_PREFIX
from ..errors import OptionError
from ..nested import at, mappings

# Documented by each module that takes them.
MIRROR_OPTIONS: Mapping[str, Any] = {
    "image_mirrors": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {"source": {"type": "str", "required": True}, "mirror": {"type": "str", "required": True}},
    }
}


@dataclass(frozen=True)
class Mirror:
    """Images below `source` are taken from `mirror` instead."""

    source: str
    mirror: str

    def takes(self, image: str) -> bool:
        return image == self.source or (image.startswith(self.source) and image[len(self.source)] in "/:@")


def mirrors_of(rules: Any) -> tuple[Mirror, ...]:
    """The rules of the option image_mirrors, which in a description may be anything."""
    if not isinstance(rules, list) or not all(_is_mirror(rule) for rule in rules):
        raise OptionError("image_mirrors must be a list of mappings with source and mirror")
    return tuple(Mirror(**rule) for rule in rules)


def _is_mirror(rule: Any) -> bool:
    return (
        isinstance(rule, Mapping)
        and set(rule) == {"source", "mirror"}
        and all(isinstance(v, str) for v in rule.values())
    )


@dataclass(frozen=True, order=True)
class Rewritten:
    """An image that was replaced."""

    image: str
    by: str


def mirrored_image(image: str, mirrors: Iterable[Mirror]) -> str:
    """The image under its other name; of several rules that fit, the one with the longest prefix."""
    fitting = [rule for rule in mirrors if rule.takes(image)]
    if not fitting:
        return image
    rule = max(fitting, key=lambda rule: len(rule.source))
    return rule.mirror + image[len(rule.source) :]


def mirror_images(
    manifests: Iterable[Mapping[str, Any]], mirrors: tuple[Mirror, ...]
) -> tuple[tuple[Mapping[str, Any], ...], tuple[Rewritten, ...]]:
    """The manifests with images of pods and RELATED_IMAGE_ variables replaced, and which ones were."""
    rewritten: set[Rewritten] = set()
    result = []
    for manifest in manifests:
        if mirrors and mappings(at(manifest, "spec", "template", "spec", "containers")):
            changed = copy.deepcopy(dict(manifest))
            rewritten |= _mirror_pod(changed["spec"]["template"]["spec"], mirrors)
            result.append(changed)
        else:
            result.append(dict(manifest))
    return tuple(result), tuple(sorted(rewritten))


def _mirror_pod(pod: dict[str, Any], mirrors: tuple[Mirror, ...]) -> set[Rewritten]:
    places: list[tuple[Any, str]] = []
    for field in ("initContainers", "containers"):
        for container in mappings(pod.get(field)):
            places.append((container, "image"))
            places += [
                (entry, "value")
                for entry in mappings(container.get("env"))
                if str(entry.get("name")).startswith(RELATED_IMAGE_PREFIX)
            ]
    rewritten = set()
    for holder, key in places:
        image = holder.get(key)
        if isinstance(image, str):
            by = mirrored_image(image, mirrors)
            if by != image:
                holder[key] = by
                rewritten.add(Rewritten(image, by))
    return rewritten
