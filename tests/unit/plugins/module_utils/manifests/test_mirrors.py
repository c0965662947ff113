# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Images from other registries."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.manifests.mirrors import (
    Mirror,
    Rewritten,
    mirror_images,
    mirrored_image,
)

MIRRORS = (
    Mirror("a.example/x", "m.example/1"),
    Mirror("a.example/x/deep", "m.example/2"),
    Mirror("b.example", "m.example/b"),
)


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("a.example/x/app:1", "m.example/1/app:1"),
        ("a.example/x:1", "m.example/1:1"),
        ("a.example/x@sha256:00", "m.example/1@sha256:00"),
        ("a.example/x", "m.example/1"),
        ("a.example/xyz:1", "a.example/xyz:1"),
        ("a.example/x/deep/app:1", "m.example/2/app:1"),
        ("b.example:5000/app", "m.example/b:5000/app"),
        ("c.example/app", "c.example/app"),
    ],
)
def test_the_longest_prefix_counts_up_to_a_border(image: str, expected: str) -> None:
    assert mirrored_image(image, MIRRORS) == expected


def deployment(image: str) -> dict[str, Any]:
    variables = [
        {"name": "RELATED_IMAGE_X", "value": image},
        {"name": "OTHER", "value": image},
        {"name": "RELATED_IMAGE_Y"},
    ]
    pod = {"initContainers": [{"image": image}], "containers": [{"image": image, "env": variables}]}
    return {"kind": "Deployment", "spec": {"template": {"spec": pod}}}


def test_pods_and_their_variables_are_rewritten_and_listed() -> None:
    given = deployment("b.example/app")
    (changed,), rewritten = mirror_images([given], MIRRORS)
    pod = changed["spec"]["template"]["spec"]
    assert pod["initContainers"][0]["image"] == pod["containers"][0]["image"] == "m.example/b/app"
    assert [entry.get("value") for entry in pod["containers"][0]["env"]] == ["m.example/b/app", "b.example/app", None]
    assert rewritten == (Rewritten("b.example/app", "m.example/b/app"),)
    assert given == deployment("b.example/app")


def test_nothing_is_rewritten_without_rules() -> None:
    given = [deployment("b.example/app"), {"kind": "Service"}]
    assert mirror_images(given, ()) == (tuple(given), ())
