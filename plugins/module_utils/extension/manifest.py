# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From options to the ClusterExtension and the ClusterCatalog that are applied: only what was given is in them.

What is left out is left to others: server-side apply takes away what this field manager set before and no longer sets, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .api import CATALOGS, EXTENSIONS

# Documented by each module that takes it.
SPEC_OPTIONS: Mapping[str, Any] = {
    "version": {"type": "str"},
    "channels": {"type": "list", "elements": "str", "default": []},
    "selector": {"type": "dict"},
    "upgrade_constraint_policy": {"type": "str", "choices": ["CatalogProvided", "SelfCertified"]},
    "config": {"type": "raw"},
    "crd_upgrade_safety": {"type": "str", "choices": ["strict", "none"]},
    "progress_deadline_minutes": {"type": "int"},
    "service_account": {"type": "str"},
}
_ENFORCEMENT = {"strict": "Strict", "none": "None"}


@dataclass(frozen=True)
class WantedExtension:
    """An extension as a user describes it; None and empty mean not given."""

    name: str
    namespace: str
    package: str
    version: str | None = None
    channels: tuple[str, ...] = ()
    selector: Mapping[str, Any] | None = None
    upgrade_constraint_policy: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    crd_upgrade_safety: str | None = None
    progress_deadline_minutes: int | None = None
    service_account: str | None = None


@dataclass(frozen=True)
class WantedCatalog:
    """A catalog as a user describes it; None means not given."""

    name: str
    image: str
    poll_interval_minutes: int | None = None
    priority: int | None = None
    availability_mode: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)


def extension_manifest(wanted: WantedExtension) -> dict[str, Any]:
    """The ClusterExtension to apply."""
    catalog = _given(
        packageName=wanted.package,
        version=wanted.version,
        channels=list(wanted.channels),
        selector=dict(wanted.selector or {}),
        upgradeConstraintPolicy=wanted.upgrade_constraint_policy,
    )
    enforcement = _ENFORCEMENT.get(wanted.crd_upgrade_safety or "")
    spec = _given(
        namespace=wanted.namespace,
        serviceAccount=_given(name=wanted.service_account),
        source={"sourceType": "Catalog", "catalog": catalog},
        config={"configType": "Inline", "inline": dict(wanted.config)} if wanted.config else None,
        install={"preflight": {"crdUpgradeSafety": {"enforcement": enforcement}}} if enforcement else None,
        progressDeadlineMinutes=wanted.progress_deadline_minutes,
    )
    return _object(EXTENSIONS.api_version, EXTENSIONS.kind, {"name": wanted.name}, spec)


def catalog_manifest(wanted: WantedCatalog) -> dict[str, Any]:
    """The ClusterCatalog to apply."""
    image = _given(ref=wanted.image, pollIntervalMinutes=wanted.poll_interval_minutes)
    spec = _given(
        source={"type": "Image", "image": image},
        priority=wanted.priority,
        availabilityMode=wanted.availability_mode,
    )
    metadata = _given(name=wanted.name, labels=dict(wanted.labels))
    return _object(CATALOGS.api_version, CATALOGS.kind, metadata, spec)


def _object(api_version: str, kind: str, metadata: Mapping[str, Any], spec: Mapping[str, Any]) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": dict(metadata), "spec": dict(spec)}


def _given(**fields: Any) -> dict[str, Any]:
    """Those that hold something; 0 is something."""
    return {name: value for name, value in fields.items() if value is not None and value not in ("", [], {})}
