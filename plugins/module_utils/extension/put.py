# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Applying an object of OLM v1: first as the API server's own rehearsal, then in earnest, and its refusals in the words of the options."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..cluster.client import Client
from ..cluster.objects import ObjectKey
from ..direct.differences import FieldChange, differences
from ..errors import ApiError, Conflict, NotFound, OptionError, Problems
from ..nested import at

# Which option says what stands in a field.
_OPTIONS = {
    "metadata.name": "name",
    "metadata.labels": "labels",
    "spec.namespace": "namespace",
    "spec.serviceAccount": "service_account",
    "spec.source.catalog.packageName": "package",
    "spec.source.catalog.version": "version",
    "spec.source.catalog.channels": "channels",
    "spec.source.catalog.selector": "selector",
    "spec.source.catalog.upgradeConstraintPolicy": "upgrade_constraint_policy",
    "spec.config": "config",
    "spec.install.preflight.crdUpgradeSafety": "crd_upgrade_safety",
    "spec.progressDeadlineMinutes": "progress_deadline_minutes",
    "spec.source.image.ref": "image",
    "spec.source.image.pollIntervalMinutes": "poll_interval_minutes",
    "spec.priority": "priority",
    "spec.availabilityMode": "availability_mode",
}
_UNDECLARED = re.compile(r"\.(\S+): field not declared in schema")
_CONFLICT = re.compile(r'conflict with "([^"]+)"')
_EXPERIMENTAL = {
    "config": "it takes the experimental CRDs of OLM v1 and, for watchNamespace and deploymentConfig, the feature gates "
    "SingleOwnNamespaceInstallSupport and DeploymentConfig",
    "progress_deadline_minutes": "it takes the experimental CRDs of OLM v1",
}


@dataclass(frozen=True)
class Rehearsed:
    """What is there, what it would become, and the fields in which the two differ."""

    live: Mapping[str, Any] | None
    after: Mapping[str, Any]
    fields: tuple[FieldChange, ...]

    @property
    def changes(self) -> bool:
        return self.live is None or bool(self.fields)


def rehearse(client: Client, key: ObjectKey, manifest: Mapping[str, Any], *, force: bool) -> Rehearsed:
    """Ask the API server what an apply would do: two requests, nothing is changed."""
    live = client.find(key.path)
    after = _applied(client.rehearsal(), key, manifest, force=force)
    if live is None:
        # What the API server makes up for an object that it does not store, another time.
        metadata = {
            name: value for name, value in after["metadata"].items() if name not in ("uid", "creationTimestamp")
        }
        return Rehearsed(None, {**after, "metadata": metadata}, ())
    return Rehearsed(live, after, differences(live, after))


def put(client: Client, key: ObjectKey, manifest: Mapping[str, Any], *, force: bool) -> Mapping[str, Any]:
    """Apply it; the object as the API server has it then."""
    return _applied(client, key, manifest, force=force)


def _applied(client: Client, key: ObjectKey, manifest: Mapping[str, Any], *, force: bool) -> Mapping[str, Any]:
    try:
        return client.apply(key.path, dict(manifest), force=force).content
    except NotFound as error:
        raise OptionError(
            f"{key}: cluster {client.name} does not serve {key.kind}s, so OLM v1 is not installed there; install it, or use bundle_install, "
            "which needs no OLM"
        ) from error
    except Conflict as error:
        taken = [cause for cause in error.causes if cause.reason == "FieldManagerConflict"]
        if not taken:
            raise
        raise Problems(
            [
                f"{option_for(cause.field)}: {_manager(cause.message)} set {cause.field.lstrip('.')}; leave it to them, or take it over with "
                "force_conflicts: true"
                for cause in taken
            ],
            f"{key}: ",
        ) from error
    except ApiError as error:
        problems = _refusals(error, manifest)
        if not problems:
            raise
        raise Problems(problems, f"{key}: ") from error


def option_for(field: str) -> str:
    """The option that a field of the object comes from; the field itself where none does."""
    path = field.lstrip(".")
    named = [
        (place, option)
        for place, option in _OPTIONS.items()
        if path == place or path.startswith((f"{place}.", f"{place}["))
    ]
    return max(named)[1] if named else path


def _manager(message: str) -> str:
    found = _CONFLICT.search(message)
    return f"field manager {found[1]}" if found else "another field manager"


def _refusals(error: ApiError, manifest: Mapping[str, Any]) -> list[str]:
    undeclared = _UNDECLARED.findall(error.said)
    if undeclared:
        return [_not_served(path) for path in undeclared]
    if error.status != 422:
        return []
    return [_invalid(cause.field, cause.message, manifest) for cause in error.causes if cause.field]


def _not_served(path: str) -> str:
    option = option_for(path)
    takes = f"; {_EXPERIMENTAL[option]}" if option in _EXPERIMENTAL else ""
    return f"{option}: the cluster's CRD has no field {path}{takes}"


def _invalid(field: str, message: str, manifest: Mapping[str, Any]) -> str:
    option = option_for(field)
    if "is immutable" in message:
        wanted = at(manifest, *field.split("."))
        if "may be cleared" in message:
            return f"{option}: it cannot be changed to {wanted} once it is set; leave it out, which clears it"
        return (
            f"{option}: it cannot be changed to {wanted} once the extension is there; remove the extension with state: absent, which keeps CRDs and "
            "custom resources, and create it again"
        )
    if option == "service_account" and "Required" in message:
        return (
            "service_account: this release of OLM v1 needs one; name a ServiceAccount that may do what the bundle takes"
        )
    return f"{option}: {message}"
