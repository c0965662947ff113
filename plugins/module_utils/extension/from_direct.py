# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Handing an extension of bundle_install over to OLM v1, without a restart of anything.

The objects are marked as operator-controller marks its own. A ClusterExtension of the same version and configuration then takes them over as they are.
Until that is done the ledger of bundle_install stays; where it fails, marks and ClusterExtension are taken away again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..bundle.load import load_bundle
from ..bundle.source_options import SCHEME, SourceOptions
from ..cluster.client import Client
from ..cluster.info import controller_gates
from ..cluster.objects import ObjectKey, key_of
from ..config.parse import Config
from ..config.schema import schema_of
from ..direct.custom_resources import DEFINITIONS_OF_CLUSTER
from ..direct.differences import differences
from ..direct.execute import delete
from ..direct.observe import at_once, labelled, live_objects, metadata_in, owners_ledger_is_gone
from ..direct.ownership import Extension, owner_of
from ..direct.plan import Plan, Step
from ..direct.planning import plan_again
from ..direct.record import Record
from ..direct.situation import Situation, look
from ..errors import ClusterError, FleetError, Forbidden, NotFound, Problems
from ..nested import at, mappings
from ..render.pipeline import render
from ..waiting.gone import wait_until_gone
from .api import extension_key
from .findings import Check
from .follow import follow
from .let_go import let_go
from .manifest import WantedExtension, extension_manifest
from .marks import direct_marks, hand_off, identities, is_mark, not_the_same, olm_marks, put_back, put_marks
from .owned import release_records
from .present import extension_present
from .put import put, rehearse
from .report import Report, Settings, Unfinished
from .revisions import BOXCUTTER, extension_judge, revisions_of
from .verdict import extension_verdict, in_range

_MOST = 10


def adopt_from_direct(
    client: Client, wanted: WantedExtension, settings: Settings, check: Check | None, access: SourceOptions
) -> Report:
    """Hand over what bundle_install has, then make it what is wanted; where bundle_install has nothing, only the latter."""
    situation = look(client, Extension(wanted.name, wanted.namespace))
    situation.readable()
    record = situation.newest
    if record is None:
        return _taken_up(client, situation.extension, wanted, settings, check)
    pinned = replace(wanted, version=str(record.bundle.get("version")))
    key, manifest = extension_key(wanted.name), extension_manifest(pinned)
    rehearsed = rehearse(client, key, manifest, force=settings.force_conflicts)
    problems = [*_takes_nothing(client), *_mismatches(record, wanted)]
    warnings: list[str] = []
    # OLM v1 has it already, and a run was broken off while it took our marks away: there is nothing left to compare.
    taken = rehearsed.live is not None and not rehearsed.changes and extension_verdict(rehearsed.live).state == "done"
    if not problems and not taken:
        problems = _differences(situation, record)
        if check is not None and not problems:
            found = check(rehearsed)
            problems += found.problems
            warnings += found.warnings
            image = at(found.resolved, "image")
            problems += _rendered_otherwise(client, situation, record, str(image), access, warnings) if image else []
    if problems:
        raise Problems(dict.fromkeys(problems), f"{wanted.name} cannot be handed over: ")
    keys = [placed.key for placed in record.objects]
    steps = [Step("update", item, why="handed over to OLM v1") for item in keys]
    plan = Plan((*steps, Step("create" if rehearsed.live is None else "keep", key, manifest)))
    if settings.rehearse_only:
        return Report(True, plan, rehearsed.after, tuple(warnings))
    warnings += _carried_out(client, situation, record, key, manifest, keys, settings, plan)
    report = extension_present(client, wanted, settings, check)
    return replace(report, changed=True, plan=plan, warnings=tuple(dict.fromkeys((*warnings, *report.warnings))))


def _taken_up(
    client: Client, extension: Extension, wanted: WantedExtension, settings: Settings, check: Check | None
) -> Report:
    """An extension whose CRDs are all that bundle_install left when it removed it: OLM v1 would refuse them, unless they are marked as its own."""
    found = labelled(client, extension, [DEFINITIONS_OF_CLUSTER], passed_over=(Forbidden, NotFound))
    left = [key for key, item in found.items() if _is_left(client, item, extension)]
    if not left:
        return extension_present(client, wanted, settings, check)
    # All that speaks against it is told before anything is marked.
    problems = _takes_nothing(client)
    if problems:
        raise Problems(problems, f"{wanted.name} cannot be handed over: ")
    rehearsed = extension_present(client, wanted, replace(settings, rehearse_only=True), check)
    steps = tuple(Step("update", key, why="it stayed when bundle_install removed the extension") for key in left)
    plan = Plan((*steps, *rehearsed.plan.steps))
    if settings.rehearse_only:
        return replace(rehearsed, changed=plan.changed, plan=plan)
    put_marks(client, left, olm_marks(extension.name, extension.namespace))
    hand_off(client, left, direct_marks(), (extension.manager,))
    report = extension_present(client, wanted, settings, check)
    return replace(report, changed=plan.changed, plan=plan)


def _is_left(client: Client, item: Mapping[str, Any], extension: Extension) -> bool:
    """Whether it stayed of an extension of this name that is no more, in whichever namespace."""
    owner = owner_of(item)
    left_by = owner.extension if owner is not None else None
    if left_by is None or left_by.name != extension.name:
        return False
    return left_by.namespace in ("", extension.namespace) or bool(owners_ledger_is_gone(client, left_by))


def _takes_nothing(client: Client) -> list[str]:
    """Why OLM v1 would take over nothing, where its Deployment can be seen."""
    try:
        gates = controller_gates(client) or {}
    except ClusterError:
        return []
    if not gates.get(BOXCUTTER):
        return []
    return [
        f"OLM v1 rolls extensions out with ClusterObjectSets here (its feature gate {BOXCUTTER} is on), and they take over nothing that is there already"
    ]


def _mismatches(record: Record, wanted: WantedExtension) -> list[str]:
    version, package = record.bundle.get("version"), record.bundle.get("package")
    problems = []
    if record.state != "installed" or record.removing:
        problems.append(f"revision {record.number} is {record.state}; finish it with bundle_install first")
    if package != wanted.package:
        problems.append(f"package: {package} is installed, and not {wanted.package}")
    if not in_range(version, wanted.version):
        problems.append(
            f"version: {version} is installed, which is not in the range {wanted.version}; hand over that one, then upgrade"
        )
    if (record.config or {}) != dict(wanted.config):
        problems.append(
            f"config: it is not what revision {record.number} was installed with; hand over that one, then change it"
        )
    problems += [
        f"{placed.key} is shared with another extension, which OLM v1 does not allow"
        for placed in record.objects
        if placed.shared
    ]
    return problems


def _differences(situation: Situation, record: Record) -> list[str]:
    """In what the cluster differs from the revision: operator-controller would change it back, and restart what it changes."""
    metadata = metadata_in(live_objects(situation.client, situation.extension, situation.recorded.values()))
    plan = plan_again(situation, record.number, situation.ledger.manifests(record), metadata)
    return [*plan.problems, *(_told(step) for step in plan.steps if not _is_as_recorded(step))]


def _is_as_recorded(step: Step) -> bool:
    """Whether nothing is to be done, or only what a run that was broken off marked already."""
    marked = step.action == "update" and all(is_mark(change) for change in step.fields)
    return marked or step.action in ("keep", "retain")


def _told(step: Step) -> str:
    fields = ", ".join(
        f"{change.path} is {change.before!r} instead of {change.after!r}" for change in step.fields[:_MOST]
    )
    return f"{step.key} differs from the rendering: {fields or step.why or step.action}"


def _rendered_otherwise(
    client: Client, situation: Situation, record: Record, image: str, access: SourceOptions, warnings: list[str]
) -> list[str]:
    """In what OLM v1 would render the bundle of its catalog otherwise than bundle_install did, as images from mirrors."""
    try:
        bundle = load_bundle(SCHEME + image, access).bundle
    except FleetError as error:
        warnings.append(f"whether OLM v1 renders the same was not looked at: {error}")
        return []
    namespace = record.extension.namespace
    config = Config.parse(record.config, schema_of(bundle), namespace)
    manifests = render(bundle, config, namespace, record.certificate_provider)
    ours: dict[Any, Mapping[str, Any]] = {situation.key_for(item): item for item in situation.ledger.manifests(record)}
    theirs = {key_of(item, client.discovery()): item for item in manifests}
    problems = [f"{key} is not in OLM v1's rendering" for key in ours if key not in theirs]
    for key, item in theirs.items():
        if key not in ours:
            problems.append(f"{key} is in OLM v1's rendering only")
            continue
        problems += [
            f"{key} would be changed by OLM v1: {change.path} from {change.before!r} to {change.after!r}"
            for change in differences(ours[key], item)[:_MOST]
        ]
    return problems


def _carried_out(
    client: Client,
    situation: Situation,
    record: Record,
    key: ObjectKey,
    manifest: Mapping[str, Any],
    keys: list[ObjectKey],
    settings: Settings,
    plan: Plan,
) -> list[str]:
    extension = record.extension
    hold = situation.ledger.take(record)
    marked: dict[ObjectKey, Any] = {}

    def progress(text: str) -> None:
        hold.renew()
        settings.progress(text)

    try:
        put_marks(client, keys, olm_marks(extension.name, extension.namespace), marked)
        before = identities(client, keys, generations=True)
        content = put(client, key, manifest, force=settings.force_conflicts)
        follow(
            client,
            key,
            content,
            extension_judge(client),
            seconds=settings.wait_timeout,
            grace=settings.retry_grace,
            progress=progress,
        )
    except FleetError as error:
        undone = _undo(client, key, marked, settings)
        hold.release()
        message = f"{extension.name} was not handed over: {error}. {undone}"
        raise Unfinished(message, changed=False, plan=plan) from error
    changed = not_the_same(before, identities(client, keys, generations=True))
    hand_off(client, keys, direct_marks(), (extension.manager,))
    situation.ledger.forget(situation.ledger.entries())
    return changed


def _undo(client: Client, key: ObjectKey, marked: Mapping[ObjectKey, Any], settings: Settings) -> str:
    """Take the ClusterExtension away and what it was to find, and leave everything else."""
    try:
        live = client.find(key.path)
        if live is not None:
            let_go(client, key, live, seconds=settings.wait_timeout, progress=settings.progress)
        _take_revisions_away(client, key.name, live, list(marked), settings)
        for record, item in release_records(client, key.name)[0].items():
            delete(client, record, str(at(item, "metadata", "uid")))
        put_back(client, marked)
    except FleetError as error:
        return f"It could not be undone either ({error}); run it again, or look at the objects with the label fleet.olm/extension={key.name}"
    return "Everything is as before, and bundle_install's"


def _take_revisions_away(
    client: Client, name: str, live: Mapping[str, Any] | None, keys: list[ObjectKey], settings: Settings
) -> None:
    """Revisions are let go of with the ClusterExtension. They would go on trying, and put everything back when bundle_install removes it."""
    try:
        revisions = revisions_of(client, name, live)
    except Forbidden:
        if at(live, "status", "activeRevisions"):
            raise
        return
    going = [(key, str(at(item, "metadata", "uid"))) for key, item in revisions.items()]
    holders = {uid: key for key, uid in going}
    for key, item in zip(keys, at_once(lambda key: client.find(key.path), keys if going else []), strict=False):
        for reference in mappings(at(item, "metadata", "ownerReferences")):
            if reference.get("uid") in holders:
                raise ClusterError(f"{holders[reference['uid']]} has taken {key}, and would delete it when it goes")
    for key, uid in going:
        client.delete(key.path, propagation="Orphan", uid=uid)
    wait_until_gone(client, going, seconds=settings.wait_timeout, progress=settings.progress)
