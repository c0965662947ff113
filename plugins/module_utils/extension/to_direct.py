# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Taking an extension over from OLM v1 into the ledger of bundle_install, without a restart of anything.

The ClusterExtension is deleted so that its objects stay, and they are taken over as they are. Where that fails, it is created again and takes them back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..cluster.client import Client
from ..cluster.objects import ObjectKey
from ..direct.differences import differences
from ..direct.execute import delete
from ..direct.install import install
from ..direct.observe import at_once, rehearse
from ..direct.order import DEFINITIONS
from ..direct.ownership import EXTENSION, NAMESPACE, REVISION
from ..direct.plan import Desired, Plan, Step, desired_objects
from ..direct.situation import Situation
from ..direct.wanted import Report, Settings, Wanted
from ..errors import FleetError, Problems
from ..nested import at
from .absent import check_let_go
from .api import EXTENSIONS, extension_key
from .follow import follow
from .installed import installed_bundle
from .let_go import is_let_go, let_go, spec_before
from .marks import (
    OLM_MANAGERS,
    direct_marks,
    hand_off,
    identities,
    is_mark,
    not_the_same,
    olm_marks,
    put_marks,
    without,
)
from .owned import object_sets, owned_objects, release_records
from .report import RETRY_GRACE
from .revisions import extension_judge
from .verdict import extension_verdict

_OURS = (f"metadata.labels.{EXTENSION}", f"metadata.annotations.{NAMESPACE}", f"metadata.annotations.{REVISION}")
_MOST = 10


def adopt_from_olm(situation: Situation, wanted: Wanted, settings: Settings) -> Report:
    """Take over what a ClusterExtension of this name has; where there is nothing of it, this is an install that adopts."""
    client, extension = situation.client, wanted.extension
    adopting = replace(settings, adopt=True)
    key = extension_key(extension.name)
    live = client.find(key.path)
    owned = owned_objects(client, extension.name)
    if situation.newest is not None or (live is None and not owned):
        return install(situation, wanted, adopting)
    desired, _warnings = desired_objects(wanted.manifests, wanted.texts, situation.key_for)
    problems = [
        *object_sets(client, extension.name, live),
        *(_mismatches(live, wanted) if live is not None else ()),
        *_differences(client, desired, wanted),
    ]
    if problems:
        raise Problems(dict.fromkeys(problems), f"{extension.name} cannot be taken over: ")
    steps = tuple(Step("update", item.key, why="taken over from OLM v1") for item in desired)
    plan = Plan((*steps, *((Step("prune", key, why="its objects stay"),) if live is not None else ())))
    if settings.rehearse_only:
        return Report(True, None, plan)
    before = identities(client, owned)
    try:
        if live is not None:
            _let_go(client, key, live, owned, settings)
        hand_off(client, owned, without(olm_marks(extension.name, extension.namespace)), OLM_MANAGERS)
        # That nothing differs was looked at; what is left of conflicts is about defaults that the API server filled in.
        report = install(situation, wanted, replace(adopting, force_conflicts=True))
    except FleetError as error:
        undone = _undo(situation, key, live, owned, settings)
        raise FleetError(f"{extension.name} was not taken over: {error}. {undone}") from error
    for record, item in release_records(client, extension.name)[0].items():
        delete(client, record, str(at(item, "metadata", "uid")))
    changed = not_the_same(before, identities(client, owned))
    return replace(report, changed=True, plan=plan, warnings=(*report.warnings, *changed))


def _mismatches(live: Mapping[str, Any], wanted: Wanted) -> list[str]:
    problems = []
    verdict = extension_verdict(live)
    version = str(wanted.identity.get("version"))
    installed = installed_bundle(live, [version])
    has = (installed.name, installed.version) if installed is not None else ("nothing", "")
    # What a run that was broken off let go of is let go of again.
    if verdict.state != "done" and not is_let_go(live):
        problems.append(f"the ClusterExtension is not what its spec asks for: {verdict}")
    if has != (wanted.identity.get("name"), version):
        problems.append(
            f"source: OLM v1 has installed {has[0]}, and not {wanted.identity.get('name')}; take over that one, then upgrade"
        )
    if at(live, "spec", "namespace") != wanted.extension.namespace:
        problems.append(f"namespace: it is installed in {at(live, 'spec', 'namespace')}")
    if (at(live, "spec", "config", "inline") or {}) != (wanted.config or {}):
        problems.append("config: it is not what the ClusterExtension has; take it over with that, then change it")
    return problems


def _differences(client: Client, desired: tuple[Desired, ...], wanted: Wanted) -> list[str]:
    """In what the cluster differs from our rendering, by the API server's own dry run."""

    def compared(item: Desired) -> list[str]:
        seen = rehearse(client, item, wanted.extension, 1, new=False)
        if seen.refused:
            return [f"{item.key} is not accepted: {seen.refused}"]
        if seen.live is None or seen.after is None:
            return [f"{item.key} is in the rendering and not on the cluster"]
        changes = [
            change
            for change in differences(seen.live, seen.after)
            if change.path not in _OURS and not _added_ours(change) and not is_mark(change)
        ]
        return [
            f"{item.key} differs from the rendering: {change.path} is {change.before!r} instead of {change.after!r}"
            for change in changes[:_MOST]
        ]

    return [line for lines in at_once(compared, desired) for line in lines]


def _added_ours(change: Any) -> bool:
    """An object without any labels or annotations gets ours as a whole section."""
    return (
        change.before is None
        and change.path in ("metadata.labels", "metadata.annotations")
        and set(change.after or ()) <= {EXTENSION, NAMESPACE, REVISION}
    )


def _let_go(
    client: Client, key: ObjectKey, live: Mapping[str, Any], owned: Mapping[ObjectKey, Any], settings: Settings
) -> None:
    let_go(client, key, live, seconds=settings.wait_timeout, progress=settings.progress)
    definitions = [item for item in owned if item.kind == DEFINITIONS]
    check_let_go(client, definitions, str(at(live, "metadata", "uid")))


def _undo(
    situation: Situation,
    key: ObjectKey,
    live: Mapping[str, Any] | None,
    owned: Mapping[ObjectKey, Any],
    settings: Settings,
) -> str:
    """Give everything back to OLM v1."""
    client, extension = situation.client, situation.extension
    if live is None:
        return "Run it again to go on"
    try:
        put_marks(client, owned, olm_marks(extension.name, extension.namespace))
        hand_off(client, owned, direct_marks(), (extension.manager,))
        metadata = {
            name: value
            for name, value in live["metadata"].items()
            if name in ("name", "labels", "annotations") and value
        }
        again = {
            "apiVersion": EXTENSIONS.api_version,
            "kind": EXTENSIONS.kind,
            "metadata": metadata,
            "spec": spec_before(live),
        }
        content = client.apply(key.path, again).content
        situation.ledger.forget(situation.ledger.entries())
        follow(
            client,
            key,
            content,
            extension_judge(client),
            seconds=settings.wait_timeout,
            grace=RETRY_GRACE,
            progress=settings.progress,
        )
    except FleetError as error:
        return f"It could not be given back either ({error}); run it again"
    return "The ClusterExtension has everything again"
