# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two bundles side by side: what an upgrade from one to the other would change for those who run it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..bundle.facts import images, unsupported
from ..bundle.model import Bundle
from ..config.parse import Config
from ..config.problems import InvalidConfig
from ..config.schema import schema_of
from ..crd.change import Change
from ..crd.compare import compare_crds
from ..nested import at
from ..rbac.bundle import bundle_grants
from ..rbac.grants import Grant, gained
from ..rbac.words import sentences
from .acceptance import accepting_digest
from .schemas import SchemaChange, compare_schemas
from .webhooks import WebhookChange, changed_webhooks, webhooks_by_name


@dataclass(frozen=True)
class Sets:
    """What only the new one has, and what only the old one had."""

    added: tuple[str, ...]
    removed: tuple[str, ...]

    @classmethod
    def of(cls, old: Iterable[str], new: Iterable[str]) -> Sets:
        before, after = set(old), set(new)
        return cls(tuple(sorted(after - before)), tuple(sorted(before - after)))


@dataclass(frozen=True)
class Comparison:
    """All that differs between two bundles. `permissions_digest` is what the gate of an upgrade accepts."""

    old: Bundle
    new: Bundle
    install_modes: Sets
    schema: tuple[SchemaChange, ...]
    config_problems: tuple[str, ...]
    gained: frozenset[Grant]
    lost: frozenset[Grant]
    permissions_digest: str | None
    crds: Sets
    crd_changes: tuple[Change, ...]
    images: Sets
    webhooks: Sets
    webhook_changes: tuple[WebhookChange, ...]
    min_kube_version: tuple[str, str] | None

    @property
    def breaking(self) -> list[str]:
        """What can break an installation, each in one sentence."""
        lost_modes = [f"the install mode {mode} is no longer supported" for mode in self.install_modes.removed]
        config = [f"the configuration in use would be refused: {problem}" for problem in self.config_problems]
        schema = [change.message for change in self.schema if change.breaking]
        removed = [f"the CRD {name} is no longer part of the bundle" for name in self.crds.removed]
        changes = [crd_sentence(change) for change in self.crd_changes if change.severity != "harmless"]
        return lost_modes + config + schema + removed + changes + unsupported(self.new)


def compare_bundles(old: Bundle, new: Bundle, config: Any = None, install_namespace: str | None = None) -> Comparison:
    """Compare two bundles; with a configuration and the namespace that it is used in, also whether the new one takes it."""
    old_grants, new_grants = bundle_grants(old), bundle_grants(new)
    crds_before, crds_after = _crds(old), _crds(new)
    kept = [name for name in crds_before if name in crds_after]
    versions = (_min_kube_version(old), _min_kube_version(new))
    return Comparison(
        old=old,
        new=new,
        install_modes=Sets.of(old.supported_install_modes, new.supported_install_modes),
        schema=compare_schemas(schema_of(old).document, schema_of(new).document),
        config_problems=_config_problems(new, config, install_namespace),
        gained=frozenset(gained(old_grants, new_grants)),
        lost=frozenset(gained(new_grants, old_grants)),
        permissions_digest=accepting_digest(old, new, config, install_namespace),
        crds=Sets.of(crds_before, crds_after),
        crd_changes=tuple(change for name in kept for change in compare_crds(crds_before[name], crds_after[name])),
        images=Sets.of(_images(old), _images(new)),
        webhooks=Sets.of(webhooks_by_name(old), webhooks_by_name(new)),
        webhook_changes=changed_webhooks(old, new),
        min_kube_version=versions if versions[0] != versions[1] else None,
    )


def crd_sentence(change: Change) -> str:
    """A change of a CRD with its place."""
    place = " ".join(filter(None, (change.crd, change.version, change.path)))
    return f"{place}: {change.message} ({change.severity})"


def as_data(comparison: Comparison) -> dict[str, Any]:
    """A comparison as plain data."""

    def sets(value: Sets) -> dict[str, list[str]]:
        return {"added": list(value.added), "removed": list(value.removed)}

    return {
        "from": {"name": comparison.old.name, "version": comparison.old.version},
        "to": {"name": comparison.new.name, "version": comparison.new.version},
        "breaking": comparison.breaking,
        "install_modes": sets(comparison.install_modes),
        "schema": [
            {"path": change.path, "breaking": change.breaking, "message": change.message}
            for change in comparison.schema
        ],
        "config_problems": list(comparison.config_problems),
        "permissions": {
            "gained": sentences(comparison.gained),
            "lost": sentences(comparison.lost),
            "digest": comparison.permissions_digest,
        },
        "crds": {
            **sets(comparison.crds),
            "changed": [change.told() for change in comparison.crd_changes],
        },
        "images": sets(comparison.images),
        "webhooks": {
            **sets(comparison.webhooks),
            "changed": [
                {"webhook": change.webhook, "fields": list(change.fields)} for change in comparison.webhook_changes
            ],
        },
        "min_kube_version": list(comparison.min_kube_version) if comparison.min_kube_version else None,
    }


def _crds(bundle: Bundle) -> dict[str, Mapping[str, Any]]:
    return {str(at(crd, "metadata", "name")): crd for crd in bundle.crds}


def _images(bundle: Bundle) -> list[str]:
    return [str(item["image"]) for item in images(bundle)]


def _min_kube_version(bundle: Bundle) -> str:
    return str(at(bundle.csv, "spec", "minKubeVersion") or "none")


def _config_problems(bundle: Bundle, config: Any, install_namespace: str | None) -> tuple[str, ...]:
    if install_namespace is None:
        return ()
    try:
        Config.parse(config, schema_of(bundle), install_namespace)
    except InvalidConfig as error:
        return error.problems
    return ()
