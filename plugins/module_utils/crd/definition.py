# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A CustomResourceDefinition in one shape, whether it was written for apiextensions.k8s.io/v1 or v1beta1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..nested import at, mappings, texts
from .schema import Node, mapping

V1BETA1 = "apiextensions.k8s.io/v1beta1"

_SPEC_FIELDS = {
    *("additionalPrinterColumns", "conversion", "group", "names", "preserveUnknownFields", "scope"),
    *("subresources", "validation", "version", "versions"),
}
_VERSION_FIELDS = {
    *("additionalPrinterColumns", "deprecated", "deprecationWarning", "name", "schema", "selectableFields"),
    *("served", "storage", "subresources"),
}


@dataclass(frozen=True)
class Version:
    """One version of the API. `schema` is None where it has none."""

    name: str
    served: bool
    storage: bool
    schema: Node | None
    deprecated: Any
    deprecation_warning: Any
    subresources: Any
    printer_columns: Any
    selectable_fields: Any
    other_fields: Mapping[str, Any]


@dataclass(frozen=True)
class Definition:
    """The CRD. `pruned` is False where fields that no schema knows are kept in all versions."""

    name: str
    format: str
    group: str
    scope: str
    names: Mapping[str, Any]
    conversion: Mapping[str, Any]
    pruned: bool
    versions: tuple[Version, ...]
    stored_versions: tuple[str, ...]
    labels: Any
    annotations: Any
    other_fields: Mapping[str, Any]

    def version(self, name: str) -> Version | None:
        return next((version for version in self.versions if version.name == name), None)

    @property
    def storage_version(self) -> Version | None:
        return next((version for version in self.versions if version.storage), None)

    @property
    def converts(self) -> bool:
        """Whether objects are converted between versions; else just their apiVersion is rewritten."""
        return self.conversion_strategy != "None"

    @property
    def conversion_strategy(self) -> str:
        return str(self.conversion.get("strategy") or "None")


def read_definition(crd: Mapping[str, Any]) -> Definition:
    """Anything that is not as it should be counts as absent."""
    spec = mapping(crd.get("spec"))
    written_for = str(crd.get("apiVersion") or "")
    old_format = written_for == V1BETA1
    # v1beta1 keeps unknown fields unless told otherwise, v1 drops them unless told otherwise.
    keeps = spec.get("preserveUnknownFields")
    pruned = not (keeps if isinstance(keeps, bool) else old_format)
    return Definition(
        name=str(at(crd, "metadata", "name") or f"{at(spec, 'names', 'plural')}.{spec.get('group')}"),
        format=written_for,
        group=str(spec.get("group") or ""),
        scope=str(spec.get("scope") or "Namespaced"),
        names=mapping(spec.get("names")),
        conversion=mapping(spec.get("conversion")),
        pruned=pruned,
        versions=_versions(spec, pruned, old_format),
        stored_versions=tuple(texts(at(crd, "status", "storedVersions"))),
        labels=at(crd, "metadata", "labels"),
        annotations=at(crd, "metadata", "annotations"),
        other_fields={key: spec[key] for key in spec if key not in _SPEC_FIELDS},
    )


def _versions(spec: Mapping[str, Any], pruned: bool, old_format: bool) -> tuple[Version, ...]:
    entries = mappings(spec.get("versions"))
    if not entries and spec.get("version"):
        entries = [{"name": spec["version"], "served": True, "storage": True}]
    found: dict[str, Version] = {}
    for entry in entries:
        version = _version(entry, spec if old_format else {}, pruned)
        if version.name:
            found.setdefault(version.name, version)
    return tuple(found.values())


def _version(entry: Mapping[str, Any], shared: Mapping[str, Any], pruned: bool) -> Version:
    schema = at(entry, "schema", "openAPIV3Schema")
    if schema is None:
        schema = at(shared, "validation", "openAPIV3Schema")
    return Version(
        name=str(entry.get("name") or ""),
        served=entry.get("served") is True,
        storage=entry.get("storage") is True,
        schema=Node(schema, pruned, root=True) if isinstance(schema, Mapping) else None,
        deprecated=entry.get("deprecated") or False,
        deprecation_warning=entry.get("deprecationWarning"),
        subresources=entry.get("subresources") or shared.get("subresources"),
        printer_columns=_columns(entry.get("additionalPrinterColumns") or shared.get("additionalPrinterColumns")),
        selectable_fields=entry.get("selectableFields"),
        other_fields={key: entry[key] for key in entry if key not in _VERSION_FIELDS},
    )


def _columns(columns: Any) -> Any:
    """v1beta1 writes JSONPath where v1 writes jsonPath."""
    if not isinstance(columns, list):
        return columns
    return [
        {("jsonPath" if key == "JSONPath" else key): value for key, value in column.items()}
        if isinstance(column, Mapping)
        else column
        for column in columns
    ]
