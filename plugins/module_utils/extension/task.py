# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of cluster_extension, and what they ask for done on a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..bundle.source_options import SourceOptions
from ..call import Call, Outcome
from ..cluster.client import Client
from ..config.given import as_mapping
from ..direct.compose import named
from ..direct.diff import plan_diff
from ..nested import at
from .absent import extension_absent
from .conditions import conditions_told
from .diff import changes_diff
from .findings import Check
from .manifest import SPEC_OPTIONS, WantedExtension
from .present import extension_present
from .report import RETRY_GRACE, Report, Settings, shown

# Beside those of the connection and the registry.
OLM_OPTIONS: Mapping[str, Any] = {
    "name": {"type": "str", "required": True},
    "namespace": {"type": "str"},
    "create_namespace": {"type": "bool", "default": False},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "package": {"type": "str"},
    **SPEC_OPTIONS,
    "catalog": {"type": "raw"},
    "validate": {"type": "str", "choices": ["true", "warn", "false"], "default": "true"},
    "wait": {"type": "bool", "default": True},
    "wait_timeout": {"type": "int", "default": 300},
    "retry_grace": {"type": "int", "default": RETRY_GRACE},
    "force_conflicts": {"type": "bool", "default": False},
    "adopt_from": {"type": "str", "choices": ["direct"]},
    "delete_crds": {"type": "list", "elements": "str", "default": []},
    "delete_custom_resources": {"type": "list", "elements": "str", "default": []},
    "backup_dest": {"type": "path"},
}


def olm_task(call: Call, client: Client) -> Outcome:
    """Do what the options of cluster_extension say on a cluster."""
    options = call.options
    warnings: list[str] = []
    wanted = _wanted(options, warnings) if options["state"] == "present" else None
    settings = _settings(call)
    if wanted is not None:
        report = _present(client, wanted, settings, options)
    else:
        report = extension_absent(client, options["name"], options["namespace"], settings)
    namespace = at(report.content, "spec", "namespace") or options["namespace"]
    result: dict[str, Any] = {
        "extension": {"name": options["name"], "namespace": namespace, "engine": "olm"},
        "object": shown(report.content),
        "bundle": at(report.content, "status", "install", "bundle"),
        "conditions": conditions_told(report.content or {}),
        "plan": report.plan.told(),
        **report.more,
        "requests": client.requests,
    }
    warnings += [*report.warnings, *client.warnings]
    if call.diff:
        result["diff"] = [*plan_diff(report.plan), *changes_diff(report.more.get("changes") or {})]
    return Outcome(result, changed=report.changed, warnings=tuple(warnings))


def _present(client: Client, wanted: WantedExtension, settings: Settings, options: Mapping[str, Any]) -> Report:
    check = _check(client, options)
    if options["adopt_from"] != "direct":
        return extension_present(client, wanted, settings, check)
    from .from_direct import adopt_from_direct

    return adopt_from_direct(client, wanted, settings, check, SourceOptions.from_options(options))


def _check(client: Client, options: Mapping[str, Any]) -> Check | None:
    if options["validate"] == "false":
        return None
    # Only here: a module in a process of its own compiles all that it imports, and this is most of the collection.
    from .validate import findings

    access = SourceOptions.from_options(options)
    how = {"create_namespace": options["create_namespace"], "adopts": options["adopt_from"] == "direct"}
    return lambda rehearsed: findings(client, rehearsed, options["catalog"], access, **how)


def _wanted(options: Any, warnings: list[str]) -> WantedExtension:
    named(options["name"], options["namespace"])
    same = ("name", "namespace", "package", "version", "selector", "upgrade_constraint_policy", "crd_upgrade_safety")
    return WantedExtension(
        **{name: options[name] for name in (*same, "progress_deadline_minutes", "service_account")},
        channels=tuple(options["channels"]),
        config=as_mapping(options["config"], warnings),
    )


def _settings(call: Call) -> Settings:
    same = ("wait", "wait_timeout", "retry_grace", "force_conflicts", "create_namespace", "backup_dest", "validate")
    return Settings(
        **{name: call.options[name] for name in same},
        delete_crds=tuple(call.options["delete_crds"]),
        delete_custom_resources=tuple(call.options["delete_custom_resources"]),
        rehearse_only=call.check_mode,
        progress=call.progress,
    )
