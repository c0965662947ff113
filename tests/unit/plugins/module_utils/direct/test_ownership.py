# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whose an object is, read off its metadata."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.direct.ownership import Extension, owner_of, stamped

GREETER = Extension("greeter", "greeter-system")

OWNERS: dict[str, tuple[dict[str, Any], str | None]] = {
    "nobody": ({"labels": {"app": "x"}, "annotations": {"note": "y"}}, None),
    "nothing at all": ({}, None),
    "an extension": (
        {"labels": {"fleet.olm/extension": "other"}, "annotations": {"fleet.olm/namespace": "ns"}},
        "extension other in namespace ns",
    ),
    "OLM v1": (
        {
            "labels": {
                "olm.operatorframework.io/owner-kind": "ClusterExtension",
                "olm.operatorframework.io/owner-name": "prom",
                "app.kubernetes.io/managed-by": "Helm",
            },
            "annotations": {"meta.helm.sh/release-name": "prom", "meta.helm.sh/release-namespace": "ns"},
        },
        "ClusterExtension prom of OLM v1",
    ),
    "OLM v0, by label": (
        {"labels": {"olm.owner": "prom.v1.0.0", "olm.owner.kind": "ClusterServiceVersion"}},
        "ClusterServiceVersion prom.v1.0.0 of OLM v0",
    ),
    "OLM v0, by reference": (
        {"ownerReferences": [{"kind": "ClusterServiceVersion", "name": "prom.v1.0.0"}]},
        "ClusterServiceVersion prom.v1.0.0 of OLM v0",
    ),
    "OLM v0, a CRD": (
        {"labels": {"olm.managed": "true", "operators.coreos.com/prom.operators": ""}},
        "OLM v0 operator prom.operators",
    ),
    "Helm": (
        {"annotations": {"meta.helm.sh/release-name": "prom", "meta.helm.sh/release-namespace": "ns"}},
        "Helm release ns/prom",
    ),
    "a label of Helm's without a release": ({"labels": {"app.kubernetes.io/managed-by": "Helm"}}, None),
    "Argo CD": (
        {"annotations": {"argocd.argoproj.io/tracking-id": "prom:apps/Deployment:ns/prom"}},
        "Argo CD Application prom",
    ),
    "Flux": (
        {"labels": {"kustomize.toolkit.fluxcd.io/name": "apps", "kustomize.toolkit.fluxcd.io/namespace": "flux"}},
        "Flux Kustomization flux/apps",
    ),
    "a Flux Helm release": (
        {
            "labels": {"helm.toolkit.fluxcd.io/name": "prom", "helm.toolkit.fluxcd.io/namespace": "flux"},
            "annotations": {"meta.helm.sh/release-name": "prom"},
        },
        "Flux HelmRelease flux/prom",
    ),
    "a controller": (
        {"ownerReferences": [{"kind": "Widget", "name": "one", "controller": True}]},
        "Widget one",
    ),
    "a reference that does not control": ({"ownerReferences": [{"kind": "Widget", "name": "one"}]}, None),
}


@pytest.mark.parametrize("case", OWNERS)
def test_an_owner_is_named(case: str) -> None:
    metadata, expected = OWNERS[case]
    owner = owner_of({"metadata": metadata})
    assert (owner and owner.described) == expected


def test_a_stamp_says_whose_it_is_and_touches_nothing_else() -> None:
    manifest = {"kind": "ConfigMap", "metadata": {"name": "x", "labels": {"app": "x"}}, "data": {"a": "b"}}
    marked = stamped(manifest, GREETER, 3)
    owner = owner_of(marked)
    assert owner is not None
    assert owner.extension == GREETER
    assert marked["metadata"]["labels"]["app"] == "x"
    assert marked["metadata"]["annotations"] == {"fleet.olm/namespace": "greeter-system", "fleet.olm/revision": "3"}
    assert marked["data"] == {"a": "b"}
    assert manifest["metadata"] == {"name": "x", "labels": {"app": "x"}}
