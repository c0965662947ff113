# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""CRDs and custom resources to compare, from as little as a test is about."""

from __future__ import annotations

from typing import Any

from ansible_collections.fleet.olm.plugins.module_utils.crd.affects import effect
from ansible_collections.fleet.olm.plugins.module_utils.crd.change import SEVERITIES, Change
from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds

V1 = "apiextensions.k8s.io/v1"
NAMES = {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"}


def version(name: str = "v1", schema: Any = None, **fields: Any) -> dict[str, Any]:
    """A version that is served and stored unless told otherwise."""
    entry: dict[str, Any] = {"name": name, "served": True, "storage": True, **fields}
    if schema is not None:
        entry["schema"] = {"openAPIV3Schema": schema}
    return entry


def crd(*versions: Any, stored: list[str] | None = None, **spec: Any) -> dict[str, Any]:
    document = {
        "apiVersion": V1,
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": NAMES,
            "versions": list(versions or [version(schema={"type": "object"})]),
            **spec,
        },
    }
    return document if stored is None else {**document, "status": {"storedVersions": stored}}


def with_field(schema: Any) -> dict[str, Any]:
    """A CRD with this schema at spec.field."""
    spec = {"type": "object", "properties": {"field": schema}}
    return crd(version(schema={"type": "object", "properties": {"spec": spec}}))


def widget(value: Any) -> dict[str, Any]:
    """A custom resource with this value at spec.field."""
    return {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": "one", "namespace": "here"},
        "spec": {"field": value},
    }


def changes_of_field(old: Any, new: Any) -> tuple[Change, ...]:
    return compare_crds(with_field(old), with_field(new))


def by_rule(rule: str, changes: tuple[Change, ...]) -> list[Change]:
    return [change for change in changes if change.rule == rule]


def severities(rule: str, old: Any, new: Any) -> dict[str, str]:
    """The worst that a rule says to a change at spec.field, by path from there."""
    found = sorted(by_rule(rule, changes_of_field(old, new)), key=lambda change: SEVERITIES.index(change.severity))
    return {change.path.removeprefix("spec.field").removeprefix("."): change.severity for change in found}


def worst_effect(changes: list[Change], custom_resource: Any, stored: list[str] | None = None) -> str:
    effects = {effect(change, custom_resource, stored) for change in changes}
    return next((word for word in ("affected", "undecided") if word in effects), "unaffected")


def effect_on(rule: str, old: Any, new: Any, value: Any) -> str:
    """What a rule's findings at spec.field do to a custom resource that has this value there."""
    return worst_effect(by_rule(rule, changes_of_field(old, new)), widget(value))
