# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of bundle_install, and what they ask for done on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..bundle.load import load_bundle
from ..bundle.source_options import SourceOptions
from ..call import Call, Outcome
from ..catalog.on_demand import of_client
from ..cluster.client import Client
from ..manifests.mirrors import MIRROR_OPTIONS, Mirror
from ..preflight.apis import apis_of
from ..render.check import configured
from .compose import PROVIDER_OPTIONS, compose, named
from .diff import plan_diff
from .install import install
from .remove import remove
from .rollback import roll_back
from .situation import Situation, look
from .wanted import Report, Settings, Wanted

# Beside those of the connection and the registry.
DIRECT_OPTIONS: Mapping[str, Any] = {
    **PROVIDER_OPTIONS,
    **MIRROR_OPTIONS,
    "name": {"type": "str", "required": True},
    "namespace": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent", "rolled_back"], "default": "present"},
    "source": {"type": "raw"},
    "create_namespace": {"type": "bool", "default": False},
    "config": {"type": "raw"},
    "revision": {"type": "int"},
    "wait": {"type": "bool", "default": True},
    "wait_timeout": {"type": "int", "default": 300},
    "wait_for": {"type": "str", "choices": ["ready", "applied"], "default": "ready"},
    "adopt": {"type": "bool", "default": False},
    "adopt_from": {"type": "str", "choices": ["olm"]},
    "force_conflicts": {"type": "bool", "default": False},
    "accept_permissions": {"type": "str"},
    "crd_safety": {"type": "str", "choices": ["live", "strict", "warn", "off"], "default": "live"},
    "delete_crds": {"type": "list", "elements": "str", "default": []},
    "delete_custom_resources": {"type": "list", "elements": "str", "default": []},
    "backup_dest": {"type": "path"},
    "history_limit": {"type": "int", "default": 5},
}


def direct_task(call: Call, client: Client, put: Callable[[Situation, Wanted, Settings], Report] = install) -> Outcome:
    """Do what the options of bundle_install say on a cluster. `put` is what installs, where it is not the usual."""
    options = call.options
    extension = named(options["name"], options["namespace"])
    settings = _settings(call)
    warnings: tuple[str, ...] = ()
    result: dict[str, Any] = {
        "extension": {"name": extension.name, "namespace": extension.namespace, "engine": "direct"}
    }
    situation = look(client, extension)
    if options["state"] == "present":
        access = SourceOptions.from_options(options)
        installed = situation.installed.bundle if situation.installed else None
        loaded = load_bundle(options["source"], access, installed=installed, of_cluster=of_client(client))
        config, advice = configured(loaded.bundle, options["config"], extension.namespace)
        warnings = (*loaded.warnings, *advice)
        mirrors = tuple(Mirror(**rule) for rule in options["image_mirrors"])
        provider = options["certificate_provider"]
        wanted = compose(client, extension, loaded, config, provider, mirrors, situation.newest)
        report = put(situation, wanted, settings)
        result["bundle"] = dict(wanted.identity)
        if call.check_mode:
            # For what comes after it on this client.
            client.expect(apis_of(wanted.manifests))
    elif options["state"] == "rolled_back":
        report = roll_back(situation, options["revision"], settings)
    else:
        report = remove(situation, settings)
    result |= {
        "revision": report.revision,
        "plan": report.plan.told(),
        "conditions": [dict(item) for item in report.conditions],
        "permissions": dict(report.permissions),
        "notes": list(report.notes),
        **report.more,
        "requests": client.requests,
        "bytes_sent": client.bytes_sent,
        "bytes_received": client.bytes_received,
    }
    warnings = (*warnings, *report.warnings, *client.warnings)
    if call.diff:
        result["diff"] = plan_diff(report.plan)
    return Outcome(result, changed=report.changed, warnings=warnings)


def _settings(call: Call) -> Settings:
    same = (
        "create_namespace",
        "wait",
        "wait_timeout",
        "wait_for",
        "adopt",
        "force_conflicts",
        "accept_permissions",
        "crd_safety",
        "history_limit",
        "backup_dest",
    )
    return Settings(
        **{name: call.options[name] for name in same},
        delete_crds=tuple(call.options["delete_crds"]),
        delete_custom_resources=tuple(call.options["delete_custom_resources"]),
        rehearse_only=call.check_mode,
        progress=call.progress,
    )
