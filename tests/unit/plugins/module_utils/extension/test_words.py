# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields in the words of options, addresses as paths of the API server, and what differs from a wanted spec."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.catalog.on_cluster import proxied
from ansible_collections.fleet.olm.plugins.module_utils.cluster.objects import Collection, ObjectKey
from ansible_collections.fleet.olm.plugins.module_utils.extension.diff import changes_diff
from ansible_collections.fleet.olm.plugins.module_utils.extension.installed import installed_image
from ansible_collections.fleet.olm.plugins.module_utils.extension.manifest import WantedExtension, extension_manifest
from ansible_collections.fleet.olm.plugins.module_utils.extension.marks import (
    Identity,
    not_the_same,
    olm_marks,
    without,
)
from ansible_collections.fleet.olm.plugins.module_utils.extension.put import option_for
from ansible_collections.fleet.olm.plugins.module_utils.extension.status import drift


@pytest.mark.parametrize(
    ("field", "option"),
    [
        ("spec.source.catalog.version", "version"),
        (".spec.source.catalog.channels[0]", "channels"),
        ("spec.config.inline.watchNamespace", "config"),
        ("spec.serviceAccount.name", "service_account"),
        ("spec.source.image.ref", "image"),
        ("metadata.labels.team", "labels"),
        ("spec.somethingNew", "spec.somethingNew"),
    ],
)
def test_a_field_is_told_as_the_option_that_it_comes_from(field: str, option: str) -> None:
    assert option_for(field) == option


@pytest.mark.parametrize(
    ("url", "path"),
    [
        (
            "https://catalogd-service.olmv1-system.svc/catalogs/a/api/v1/all",
            "/api/v1/namespaces/olmv1-system/services/https:catalogd-service:443/proxy/catalogs/a/api/v1/all",
        ),
        (
            "http://catalogd.x.svc.cluster.local:8080/catalogs/a",
            "/api/v1/namespaces/x/services/http:catalogd:8080/proxy/catalogs/a",
        ),
        ("https://localhost:18443/catalogs/a", None),
        ("ftp://catalogd.x.svc/a", None),
        ("https://catalogs.example.com/a", None),
    ],
)
def test_only_the_address_of_a_service_goes_through_the_api_server(url: str, path: str | None) -> None:
    assert proxied(url) == path


def test_drift_is_about_what_is_wanted_and_nothing_else() -> None:
    live = extension_manifest(WantedExtension("greeter", "a", "greeter", version="1.0.0", crd_upgrade_safety="none"))
    wanted = WantedExtension("greeter", "a", "greeter", version="1.1.x", channels=("stable",))
    assert drift(live, wanted) == [
        {"path": "spec.source.catalog.version", "before": "1.0.0", "after": "1.1.x"},
        {"path": "spec.source.catalog.channels", "before": None, "after": ["stable"]},
    ]
    assert drift(live, WantedExtension("greeter", "a", "greeter")) == []


@pytest.mark.parametrize(
    ("message", "image"),
    [("Installed bundle r.example/a@sha256:1 successfully", "r.example/a@sha256:1"), ("Installed something else", "")],
)
def test_the_installed_image_is_in_the_condition(message: str, image: str) -> None:
    condition = {"type": "Installed", "status": "True", "reason": "Succeeded", "message": message}
    assert installed_image({"status": {"conditions": [condition]}}) == image


def test_what_did_not_stay_is_named() -> None:
    keys = [ObjectKey(Collection("apps", "v1", "deployments", "Deployment", "a"), name) for name in "wxyz"]
    before = {key: Identity("1", {"replicas": 1}, 1) for key in keys}
    after: dict[ObjectKey, Any] = {
        keys[0]: Identity("1", {"replicas": 1}, 1),
        keys[1]: Identity("1", {"replicas": 2}, 2),
        keys[2]: Identity("2", {"replicas": 1}, 1),
    }
    assert not_the_same(before, after) == [
        "Deployment a/x was changed when it was handed over",
        "Deployment a/y was made anew when it was handed over",
        "Deployment a/z was deleted when it was handed over",
    ]


def test_marks_are_taken_off_by_their_names() -> None:
    marks = olm_marks("greeter", "a")
    assert marks["annotations"] == {"meta.helm.sh/release-name": "greeter", "meta.helm.sh/release-namespace": "a"}
    assert set(without(marks)["labels"].values()) == {None}


def test_an_upgrade_shows_what_it_may_and_what_it_may_no_longer() -> None:
    changes = {
        "from": "a.v1",
        "to": "a.v2",
        "permissions_gained": ["may more"],
        "permissions_lost": [],
        "crds": ["x: y"],
    }
    assert changes_diff(changes) == [
        {"before_header": "a.v1", "after_header": "a.v2", "before": "", "after": "may more\nx: y\n"}
    ]
    assert changes_diff({}) == []
