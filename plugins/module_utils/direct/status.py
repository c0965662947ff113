# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What extensions a cluster has: their revisions, health, drift and permissions. Nothing is changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..cluster.client import METADATA_ONLY, Client
from ..cluster.objects import ObjectKey
from ..nested import at, mappings
from ..preflight.permissions import permission_problems
from ..preflight.roles import smallest_roles
from ..rbac.gate import gain_sentences, grants_of_manifests
from ..waiting.ready import READY, ready
from .before import absent_namespaces, rights
from .ledger import Ledger
from .observe import live_objects, metadata_in
from .order import DEFINITIONS, DEPLOYMENT
from .ownership import Extension
from .plan import desired_objects
from .planning import plan_again
from .record import LEDGER, SECRET_TYPE, Record
from .situation import Situation, look
from .wanted import Wanted

# Whose readiness is told by the object alone, and that are small enough to be read whole.
_TOLD = frozenset({DEPLOYMENT, "Certificate", "Issuer"})


def extensions_on(client: Client, name: str | None, namespace: str | None) -> list[Extension]:
    """The extensions of a cluster, or of a namespace, in order. One request."""
    path = f"/api/v1/namespaces/{namespace}/secrets" if namespace else "/api/v1/secrets"
    selector = f"{LEDGER}={name}" if name else LEDGER
    found = client.read(path, {"labelSelector": selector, "fieldSelector": f"type={SECRET_TYPE}"}, accept=METADATA_ONLY)
    metadata = [item.get("metadata") or {} for item in mappings(found.get("items"))]
    pairs = {(str(item.get("namespace")), str(at(item, "labels", LEDGER))) for item in metadata}
    return [Extension(name, namespace) for namespace, name in sorted(pairs)]


def told(client: Client, extension: Extension) -> dict[str, Any]:
    """Everything about one extension, as plain data."""
    ledger = Ledger(client, extension)
    records = ledger.all()
    situation = Situation(client, ledger, tuple(record for record in records if record.state != "superseded"))
    newest, installed = situation.newest, situation.installed
    current = installed or newest
    result: dict[str, Any] = {
        "name": extension.name,
        "namespace": extension.namespace,
        "engine": "direct",
        "state": _state(newest),
        "revision": current.number if current is not None else None,
        "bundle": dict(current.bundle) if current is not None else None,
        "revisions": [_revision(record) for record in records],
    }
    if current is None:
        return result
    live = live_objects(client, extension, situation.recorded.values(), whole=_TOLD)
    manifests = situation.ledger.manifests(current)
    return {
        **result,
        "health": _health(current, live),
        "drift": _drift(situation, manifests, live) if installed is not None and newest is installed else None,
        "permissions": gain_sentences(grants_of_manifests(manifests)),
        "objects": [_object(item.key) for item in current.objects],
        "crds": [item.key.name for item in current.objects if item.key.kind == DEFINITIONS],
    }


def permissions_needed(client: Client, wanted: Wanted, *, create_namespace: bool) -> dict[str, Any]:
    """What one has to be allowed to do to install something: the smallest roles, and what of it we may not."""
    situation = look(client, wanted.extension)
    desired, _warnings = desired_objects(wanted.manifests, wanted.texts, situation.key_for)
    absent = absent_namespaces(client, wanted)
    creates = create_namespace and wanted.extension.namespace in absent
    needs, grantings = rights(situation, wanted, desired, creates_namespace=creates)
    return {
        "roles": list(smallest_roles(needs, grantings, name=f"fleet-olm-{wanted.extension.name}", absent=absent)),
        "missing": permission_problems(client, needs, grantings),
    }


def _state(newest: Record | None) -> str:
    if newest is None:
        return "absent"
    return "removing" if newest.removing else newest.state


def _revision(record: Record) -> dict[str, Any]:
    return {
        "revision": record.number,
        "state": record.state,
        "bundle": dict(record.bundle),
        "started": record.started,
        "finished": record.finished or None,
        "by": record.by,
        "outcome": record.outcome or None,
        "rolled_back_to": record.rolled_back_to,
    }


def _health(record: Record, live: Mapping[ObjectKey, Mapping[str, Any]]) -> dict[str, Any]:
    problems = []
    for item in record.objects:
        if item.key not in live:
            problems.append(f"{item.key} is not there")
        elif item.key.kind in _TOLD and (item.key.collection.group, item.key.kind) in READY:
            status = ready(live[item.key])
            problems += [] if status.ready else [f"{item.key} {status.message}"]
    return {"ready": not problems, "problems": problems}


def _drift(
    situation: Situation, manifests: tuple[dict[str, Any], ...], live: Mapping[ObjectKey, Mapping[str, Any]]
) -> dict[str, Any]:
    """What a run of the same would mend, and what would keep it from that."""
    number = situation.newest.number if situation.newest is not None else 0
    plan = plan_again(situation, number, manifests, metadata_in(live))
    changes = [step.told() for step in plan.of("create", "update", "recreate")]
    return {"found": bool(changes), "changes": changes, "problems": list(plan.problems)}


def _object(key: ObjectKey) -> dict[str, Any]:
    return {
        "apiVersion": key.collection.api_version,
        "kind": key.kind,
        "name": key.name,
        "namespace": key.namespace or None,
    }
