# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The form of a report, as JSON Schema. It is what `fleet_report` promises to whoever reads its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# From the worst to the best.
HEALTH: Mapping[str, str] = {
    "failed": "It was given up, or was never installed because of an error.",
    "degraded": "It is installed and does not do all of its work, or differs from what was installed.",
    "absent": "It is wanted and not there.",
    "unknown": "The cluster did not answer, or did not tell.",
    "progressing": "Somebody is at it.",
    "healthy": "It is installed and ready.",
}
REPORT = "fleet.olm/report/v1"

_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}
_TEXTS = {"type": "array", "items": _TEXT}
_COUNT = {"type": "integer", "minimum": 0}


def _object(description: str, properties: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "description": description,
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
        **more,
    }


EXTENSION_SCHEMA = _object(
    "One extension on one cluster: what is wanted, and what the cluster has.",
    {
        "name": {**_TEXT, "description": "Its name."},
        "namespace": {**_TEXT_OR_NULL, "description": "The install namespace."},
        "engine": {"enum": ["direct", "olm", None], "description": "Who applies it; null where that is not known."},
        "package": {**_TEXT_OR_NULL, "description": "The package."},
        "wanted_version": {**_TEXT_OR_NULL, "description": "The version or range that is wanted; null for any."},
        "version": {**_TEXT_OR_NULL, "description": "The version that is installed; null where none is."},
        "as_wanted": {
            "type": ["boolean", "null"],
            "description": "Whether the installed version is one that is wanted; null where nothing is said or known.",
        },
        "revision": {"type": ["integer", "null"], "description": "The revision of the direct engine."},
        "health": {"enum": list(HEALTH), "description": " ".join(f"{name}: {text}" for name, text in HEALTH.items())},
        "message": {
            **_TEXT,
            "description": "What is wrong, or what it waits for; empty where there is nothing to say.",
        },
        "upgrade": _object(
            "The newest version that can be reached, and the versions on the way to it; null where there is none.",
            {"version": _TEXT, "path": _TEXTS},
            type=["object", "null"],
        ),
        "deprecations": {**_TEXTS, "description": "What of it is deprecated."},
        "pending_approval": _object(
            "Permissions that an upgrade would gain and nobody accepted, and the digest that accepts just these.",
            {"digest": _TEXT_OR_NULL, "gains": _TEXTS},
            type=["object", "null"],
        ),
        "blocked_by": {**_TEXTS, "description": "The extensions that it needs and that are not healthy."},
    },
)

CLUSTER_SCHEMA = _object(
    "One cluster.",
    {
        "name": {**_TEXT, "description": "Its name in the inventory."},
        "reachable": {"type": "boolean", "description": "Whether it answered."},
        "error": {
            **_TEXT,
            "description": "Why it did not, or what of it could not be looked at; empty where all could.",
        },
        "kubernetes_version": {**_TEXT_OR_NULL, "description": "Its Kubernetes version."},
        "engine": {"enum": ["direct", "olm", None], "description": "The engine that is used on it by default."},
        "groups": {**_TEXTS, "description": "The groups of the inventory that it is in."},
        "labels": {"type": "object", "additionalProperties": _TEXT, "description": "Its labels."},
        "extensions": {"type": "array", "items": EXTENSION_SCHEMA, "description": "In the order of their names."},
    },
)

SUMMARY_SCHEMA = _object(
    "Counts over all of it.",
    {
        "clusters": {**_COUNT, "description": "Clusters."},
        "unreachable": {**_COUNT, "description": "Clusters that did not answer."},
        "extensions": {**_COUNT, "description": "Extensions on clusters: one on two clusters counts twice."},
        "health": _object("Extensions by health.", dict.fromkeys(HEALTH, _COUNT)),
        "not_as_wanted": {**_COUNT, "description": "Installed extensions whose version is not one that is wanted."},
        "upgrades": {**_COUNT, "description": "Extensions for which a newer version can be reached."},
        "deprecated": {**_COUNT, "description": "Extensions with something deprecated."},
        "pending_approval": {
            **_COUNT,
            "description": "Extensions whose upgrade waits for somebody to accept permissions.",
        },
        "blocked": {**_COUNT, "description": "Extensions that wait for another one."},
    },
)

REPORT_SCHEMA: Mapping[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Report of a fleet",
    **_object(
        "What clusters run, and how it is doing.",
        {
            "schema": {
                "const": REPORT,
                "description": "The form of this document. Fields may be added to it; a change that breaks readers has another name.",
            },
            "title": {**_TEXT, "description": "The title."},
            "time": {**_TEXT_OR_NULL, "description": "When it was made, where that was told."},
            "summary": SUMMARY_SCHEMA,
            "clusters": {"type": "array", "items": CLUSTER_SCHEMA, "description": "In the order of their names."},
        },
    ),
}
