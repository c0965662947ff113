# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""CRDs in the notation of v1beta1."""

from __future__ import annotations

from typing import Any

from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import NAMES, crd, version


def old_format(schema: Any, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1beta1",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "names": NAMES,
            "version": "v1",
            "preserveUnknownFields": False,
            "validation": {"openAPIV3Schema": schema},
            **spec,
        },
    }


SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
COLUMNS = {"name": "A", "type": "string"}


def test_the_notation_alone_is_harmless() -> None:
    old = old_format(SCHEMA, subresources={"status": {}}, additionalPrinterColumns=[{**COLUMNS, "JSONPath": ".a"}])
    new = crd(
        version(schema=SCHEMA, subresources={"status": {}}, additionalPrinterColumns=[{**COLUMNS, "jsonPath": ".a"}])
    )
    assert [(change.rule, change.severity) for change in compare_crds(old, new)] == [("definition_format", "harmless")]


def test_its_one_schema_is_that_of_all_versions() -> None:
    versions = [{"name": "v1", "served": True, "storage": True}, {"name": "v2", "served": True, "storage": False}]
    old, new = old_format(SCHEMA, versions=versions), old_format({"type": "object"}, versions=versions)
    assert [(change.rule, change.version, change.path) for change in compare_crds(old, new)] == [
        ("property_removed", "v1", "a"),
        ("property_removed", "v2", "a"),
    ]
