# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether changing CRDs would hurt custom resources; the same question for upgrades and for going back.

One request for each CRD, unless the caller has read it, and where a change could matter one for each 500 custom
resources in each version that such a change is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..cluster.client import Client
from ..crd.change import Change, static_verdict
from ..crd.compare import compare_crds
from ..crd.definition import Definition, read_definition
from ..errors import ApiError, Forbidden
from ..nested import at
from .custom_resources import Hurt, Look, look

Mode = Literal["strict", "live", "warn", "off"]

_CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@dataclass(frozen=True)
class CrdReport:
    """Problems forbid the change, warnings do not, notes say why something was found harmless. `changes` are all that were found."""

    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    changes: tuple[Change, ...] = field(default=(), compare=False)


def crd_problems(
    client: Client,
    desired_crds: Iterable[Mapping[str, Any]],
    mode: Mode,
    live_crds: Mapping[str, Mapping[str, Any]] | None = None,
) -> CrdReport:
    """`strict`: any change that could matter is a problem. `live`: only one that hurts a custom resource. `warn`: that is a warning.

    What an API server does not take is a problem in all of them; `off` looks at nothing. `live_crds` are the CRDs of the cluster
    by name, for callers that have read them.
    """
    if mode == "off":
        return CrdReport()
    reports = [_report(client, desired, mode, live_crds) for desired in desired_crds]
    return CrdReport(
        problems=tuple(line for report in reports for line in report.problems),
        notes=tuple(line for report in reports for line in report.notes),
        warnings=tuple(line for report in reports for line in report.warnings),
        changes=tuple(change for report in reports for change in report.changes),
    )


def _report(
    client: Client, desired: Mapping[str, Any], mode: Mode, live_crds: Mapping[str, Mapping[str, Any]] | None
) -> CrdReport:
    name = str(at(desired, "metadata", "name") or "")
    try:
        live = client.find(f"{_CRDS}/{name}") if live_crds is None else live_crds.get(name)
    except Forbidden:
        return CrdReport(problems=(f"CRD {name}: we may not read it, so what would change cannot be judged",))
    if live is None:
        return CrdReport()
    changes = compare_crds(live, desired)
    crd = read_definition(live)
    refused = tuple(_refusal(change, crd) for change in changes if change.refused)
    because = [change for change in static_verdict(changes).because if not change.refused]
    if mode == "strict":
        return CrdReport(problems=(*refused, *(_static(change) for change in because)), changes=changes)
    found = _looked_at(client, crd, because) if because else CrdReport()
    if mode == "warn":
        return CrdReport(refused, found.notes, found.problems, changes)
    return CrdReport((*refused, *found.problems), found.notes, changes=changes)


def _looked_at(client: Client, crd: Definition, changes: Sequence[Change]) -> CrdReport:
    problems: list[str] = []
    looked_at = 0
    for version, about in _by_version(crd, changes).items():
        path = f"/apis/{crd.group}/{version}/{crd.names.get('plural')}"
        if not version:
            why = "no version of it is served, so its custom resources cannot be looked at"
            problems += [f"{_static(change)}; {why}" for change in about]
            continue
        try:
            seen = look(client, path, about, crd.stored_versions)
        except Forbidden:
            why = f"we may not list {crd.names.get('plural')}.{crd.group} in all namespaces, so none was looked at"
            problems += [f"{_static(change)}; {why}" for change in about]
        except ApiError as error:
            problems.append(_unreadable(crd, version, len(about), error))
        else:
            looked_at = max(looked_at, seen.looked_at)
            problems += [_hurting(hurt, seen) for hurt in seen.hurt if hurt.count]
    if problems:
        return CrdReport(problems=tuple(problems))
    count = f"{len(changes)} change{'s' if len(changes) > 1 else ''} that could matter"
    return CrdReport(notes=(f"CRD {crd.name}: {count}, no custom resource is affected ({looked_at} looked at)",))


def _by_version(crd: Definition, changes: Sequence[Change]) -> dict[str, list[Change]]:
    """Changes by the version to read custom resources in: that which they are about, else the one that they are stored in."""
    served = [version.name for version in crd.versions if version.served]
    storage = crd.storage_version
    otherwise = storage.name if storage is not None and storage.served else next(iter(served), "")
    found: dict[str, list[Change]] = {}
    for change in changes:
        found.setdefault(change.version if change.version in served else otherwise, []).append(change)
    return found


def _refusal(change: Change, crd: Definition) -> str:
    if change.rule != "stored_version_removed":
        return f"{_static(change)}; an API server does not take that while the CRD exists"
    storage = crd.storage_version
    first = (
        f"first make another version than {change.version} the storage version, then "
        if storage is not None and storage.name == change.version
        else ""
    )
    return (
        f"{_static(change)}; {first}migrate the storage: write every custom resource once more, "
        f"then take {change.version} out of status.storedVersions of the CRD"
    )


def _static(change: Change) -> str:
    place = " ".join(filter(None, (change.version, change.path)))
    return f"CRD {change.crd}{f', {place}' if place else ''}: {change.message}"


def _hurting(hurt: Hurt, seen: Look) -> str:
    names = ", ".join(hurt.names)
    more = hurt.count - len(hurt.names)
    if more:
        names += f" and {more} more" if seen.complete else f" and at least {more} more"
    if hurt.undecided == hurt.count:
        verdict = "which only the API server could judge for"
    elif hurt.undecided:
        verdict = f"which hurts, or for {hurt.undecided} of them only the API server could judge,"
    else:
        verdict = "which hurts"
    return f"{_static(hurt.change)}, {verdict} {names}"


def _unreadable(crd: Definition, version: str, changes: int, error: ApiError) -> str:
    webhook = at(crd.conversion, "webhook", "clientConfig")
    service = at(webhook, "service")
    by = at(webhook, "url") or (f"Service {at(service, 'namespace')}/{at(service, 'name')}" if service else "")
    cure = f"; see that the conversion webhook ({by}) answers" if crd.converts and by else ""
    return (
        f"CRD {crd.name}: its custom resources cannot be read in version {version}, so {changes} "
        f"change{'s' if changes > 1 else ''} that could matter cannot be judged: {error.said}{cure}"
    )
