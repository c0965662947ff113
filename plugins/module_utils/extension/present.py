# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Making a ClusterExtension or a ClusterCatalog what is wanted, and waiting until OLM v1 has made it so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..cluster.client import METADATA_ONLY, Client
from ..cluster.objects import ObjectKey
from ..direct.custom_resources import DEFINITIONS_OF_CLUSTER, definition_key
from ..direct.differences import FieldChange
from ..direct.holder import now
from ..direct.ledger import Ledger
from ..direct.namespaces import making
from ..direct.ownership import EXTENSION, Extension
from ..direct.plan import Plan, Step
from ..errors import ClusterError, FleetError, Forbidden
from ..nested import at, texts
from ..preflight.namespaces import look_at_namespaces
from .api import ASKED_AGAIN, RELEASE_NAMESPACE, catalog_key, extension_key, owned_by
from .behind import what_is_behind
from .conditions import deprecations
from .findings import Check, Findings, Refused
from .follow import Judge, NeverReady, follow
from .manifest import WantedCatalog, WantedExtension, catalog_manifest, extension_manifest
from .marks import Sections, put_marks
from .put import Rehearsed, put, rehearse
from .report import Report, Settings, Unfinished
from .revisions import extension_judge
from .verdict import catalog_verdict, extension_verdict


def extension_present(
    client: Client, wanted: WantedExtension, settings: Settings, check: Check | None = None
) -> Report:
    """Make a ClusterExtension what is wanted. Where nothing is to be done, two requests, and those of `check`, which looks whether it will work."""
    key, manifest = extension_key(wanted.name), extension_manifest(wanted)
    rehearsed = rehearse(client, key, manifest, force=settings.force_conflicts)
    _not_ending(key, rehearsed.live)
    before: list[Step] = []
    problems: list[str] = []
    if not at(rehearsed.live, "status", "install"):
        before, problems = _namespace(client, wanted, settings)
    found = check(rehearsed) if check is not None else Findings()
    problems += found.problems
    # What speaks against something that OLM v1 has done, and that stays as it is, is good to know.
    strict = settings.validate == "true" and not _is_done(rehearsed)
    warnings = [*found.warnings, *(() if strict else problems)]
    if not strict:
        problems = []
    if rehearsed.live is None:
        problems += _other_engine(client, wanted)
        before += _left_behind(client, wanted)
    if problems:
        raise Refused(dict.fromkeys(problems), f"{key}: ", found)
    again = _asks_again(rehearsed, extension_verdict, settings)
    plan = Plan((*before, _step(key, manifest, rehearsed, again=again)))
    content = rehearsed.after
    if not settings.rehearse_only:
        with _begun(plan) as begin:
            for step in before:
                if step.action == "create":
                    client.create(step.key.collection.path, dict(step.manifest or {}))
                    begin()
            marked = [step.key for step in before if step.action == "update"]
            if marked:
                put_marks(client, marked, _release(wanted))
                begin()
            content = _put(client, key, manifest, rehearsed, settings, again=again)
            if rehearsed.changes or again:
                begin()
            content = _waited(client, key, content, extension_judge(client), settings, plan, stale=again)
    # The catalog says the same as the condition that comes of it.
    known = [line.partition(" is deprecated: ")[2] for line in warnings]
    deprecated = [line for line in deprecations(content) if line.partition(" is deprecated: ")[2] not in known]
    told = tuple(dict.fromkeys((*warnings, *deprecated)))
    return Report(plan.changed, plan, content, told, found.told())


def catalog_present(client: Client, wanted: WantedCatalog, settings: Settings) -> Report:
    """Make a ClusterCatalog what is wanted. Where nothing is to be done, two requests."""
    key, manifest = catalog_key(wanted.name), catalog_manifest(wanted)
    rehearsed = rehearse(client, key, manifest, force=settings.force_conflicts)
    _not_ending(key, rehearsed.live)
    again = _asks_again(rehearsed, catalog_verdict, settings)
    plan = Plan((_step(key, manifest, rehearsed, again=again),))
    if settings.rehearse_only:
        return Report(plan.changed, plan, rehearsed.after)
    with _begun(plan) as begin:
        content = _put(client, key, manifest, rehearsed, settings, again=again)
        if rehearsed.changes or again:
            begin()
        content = _waited(client, key, content, catalog_verdict, settings, plan, stale=again)
    return Report(plan.changed, plan, content)


@contextmanager
def _begun(plan: Plan) -> Iterator[Callable[[], None]]:
    """Work whose failures say what was changed; the callable notes that something was written."""
    wrote = False

    def begin() -> None:
        nonlocal wrote
        wrote = True

    try:
        yield begin
    except Unfinished:
        raise
    except FleetError as error:
        if not wrote:
            raise
        raise Unfinished(str(error), changed=plan.changed, plan=plan) from error


def _is_done(rehearsed: Rehearsed) -> bool:
    return not rehearsed.changes and extension_verdict(rehearsed.live or {}).state == "done"


def _asks_again(rehearsed: Rehearsed, judge: Judge, settings: Settings) -> bool:
    """Whether there is nothing to change and yet something to wait for that ended in an error: its cause may be gone, and the controller does not know.

    It tries again after ever longer pauses, or never.
    """
    return settings.wait and not rehearsed.changes and judge(rehearsed.live or {}).state in ("stuck", "failed")


def _put(
    client: Client,
    key: ObjectKey,
    manifest: Mapping[str, Any],
    rehearsed: Rehearsed,
    settings: Settings,
    *,
    again: bool,
) -> Mapping[str, Any]:
    if again:
        return client.merge(key.path, {"metadata": {"annotations": {ASKED_AGAIN: now()}}})
    return put(client, key, manifest, force=settings.force_conflicts) if rehearsed.changes else rehearsed.after


def _not_ending(key: ObjectKey, live: Mapping[str, Any] | None) -> None:
    since = at(live, "metadata", "deletionTimestamp")
    if since:
        held = ", ".join(texts(at(live, "metadata", "finalizers"))) or "nothing"
        raise ClusterError(f"{key} is being deleted since {since}, held by {held}; run it again when it is gone")


def _step(key: ObjectKey, manifest: Mapping[str, Any], rehearsed: Rehearsed, *, again: bool) -> Step:
    if rehearsed.live is None:
        return Step("create", key, dict(manifest))
    if again:
        return Step(
            "update", key, dict(manifest), why="its controller gave up or is waiting, and is asked to look again"
        )
    return Step("update" if rehearsed.fields else "keep", key, dict(manifest), fields=rehearsed.fields)


def _namespace(client: Client, wanted: WantedExtension, settings: Settings) -> tuple[list[Step], list[str]]:
    """How the install namespace comes to be, and why it cannot be used. OLM v1 makes none."""
    looked = look_at_namespaces(client, wanted.namespace, (), may_create=settings.create_namespace)
    if wanted.namespace not in looked.absent or not settings.create_namespace:
        return [], list(looked.problems)
    return [making(Extension(wanted.name, wanted.namespace))], []


def _release(wanted: WantedExtension) -> Sections:
    return {"annotations": {RELEASE_NAMESPACE: wanted.namespace}}


def _left_behind(client: Client, wanted: WantedExtension) -> list[Step]:
    """CRDs that stayed when an extension of this name was removed from another namespace. OLM v1 would refuse them for its sake."""
    query = {"labelSelector": owned_by(wanted.name)}
    try:
        found = list(client.each(DEFINITIONS_OF_CLUSTER.path, query, accept=METADATA_ONLY))
    except Forbidden:
        return []
    steps = []
    for item in found:
        before = (at(item, "metadata", "annotations") or {}).get(RELEASE_NAMESPACE)
        if before and before != wanted.namespace and EXTENSION not in at(item, "metadata", "labels"):
            change = FieldChange(f"metadata.annotations.{RELEASE_NAMESPACE}", before, wanted.namespace)
            key = definition_key(str(at(item, "metadata", "name")))
            steps.append(Step("update", key, fields=(change,), why="it stayed when the extension was removed there"))
    return steps


def _other_engine(client: Client, wanted: WantedExtension) -> list[str]:
    """Why an extension is not ours to install: bundle_install did."""
    try:
        entries = Ledger(client, Extension(wanted.name, wanted.namespace)).entries()
    except Forbidden:
        return []
    if not entries:
        return []
    return [
        f"bundle_install owns extension {wanted.name} in namespace {wanted.namespace} (revision {entries[0].number}); "
        "hand it over with adopt_from: direct, or remove it there first"
    ]


def _waited(
    client: Client,
    key: ObjectKey,
    content: Mapping[str, Any],
    judge: Judge,
    settings: Settings,
    plan: Plan,
    *,
    stale: bool,
) -> Mapping[str, Any]:
    if not settings.wait:
        return content
    try:
        return follow(
            client,
            key,
            content,
            judge,
            seconds=settings.wait_timeout,
            grace=settings.retry_grace,
            progress=settings.progress,
            stale=stale,
        )
    except NeverReady as error:
        message = str(error)
        if error.verdict.state == "waiting":
            message += what_is_behind(client, key)
        raise Unfinished(
            message, changed=plan.changed, plan=plan, content=error.content, objects=error.objects
        ) from error
