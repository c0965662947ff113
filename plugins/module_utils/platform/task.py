# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All platform operators of a cluster: found, installed, told of, removed.

One that fails does not hold up the others; all failures are told at the end, and the call has failed then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..bundle.facts import SUGGESTED_NAMESPACE
from ..bundle.model import Bundle
from ..bundle.source_options import SourceOptions
from ..call import Call, Outcome
from ..cluster.client import Client
from ..direct.compose import AUTO, compose, named
from ..direct.install import install
from ..direct.ownership import Extension
from ..direct.remove import remove
from ..direct.rollback import as_recorded
from ..direct.situation import Situation, look
from ..direct.status import extensions_on
from ..direct.wanted import Report, Settings, Wanted
from ..errors import FleetError, NotReady, OptionError, Told
from ..manifests.mirrors import Mirror
from ..nested import at
from ..render.check import configured
from .operators import KIND, Operator, creation, given_operators, live_operator, package_of, together, with_first_claims
from .report import collection, put_operator, write_cluster_operator, write_status
from .result import Result, Stage, result_of_status
from .sourcing import Sourcing, chosen, loaded

# What the ledger of an extension remembers: the PlatformOperator that it was installed for.
MARK = "platform_operator"


@dataclass(frozen=True)
class Fleet:
    """What a run works with: the cluster, the path of its PlatformOperators where it serves them, and the extensions it has."""

    client: Client
    path: str
    extensions: Mapping[str, Extension]
    live: tuple[Operator, ...]


def platform_task(call: Call, client: Client) -> Outcome:
    """Do what the options of platform_operator say on a cluster."""
    options = call.options
    given = given_operators(options["operators"], options["src"])
    fleet = _looked(client)
    if options["state"] == "absent":
        if not given:
            raise OptionError("operators: must name those to remove, or src must hold them, where state is absent")
        return _absent(call, fleet, {operator.name for operator in given})
    if not given and not fleet.path:
        raise OptionError(
            f"operators: must be given, or src, because {client.name} serves no PlatformOperators that could be read instead"
        )
    return _present(call, fleet, given)


def _looked(client: Client) -> Fleet:
    path = collection(client)
    live = [item for item in client.each(path) if not at(item, "metadata", "deletionTimestamp")] if path else []
    extensions = {extension.name: extension for extension in extensions_on(client, None, None)}
    return Fleet(client, path, extensions, tuple(live_operator(item) for item in live))


def _present(call: Call, fleet: Fleet, given: Sequence[Operator]) -> Outcome:
    options, client = call.options, fleet.client
    settings = Settings(
        create_namespace=True,
        wait=options["wait"],
        wait_timeout=options["wait_timeout"],
        wait_for=options["wait_for"],
        accept_permissions=options["accept_permissions"],
        rehearse_only=call.check_mode,
        progress=call.progress,
    )
    sourcing = Sourcing(
        client, options["catalog"], options["selector"], SourceOptions.from_options(options), options["bundle_sources"]
    )
    changed, operators = _put(fleet, given)
    mirrors = tuple(Mirror(**rule) for rule in options["image_mirrors"])
    warnings: list[str] = []
    results = [
        _settled(fleet, operator, sourcing, settings, mirrors, warnings, upgrade=options["upgrade"])
        for operator in operators
    ]
    removed: list[str] = []
    if options["prune"]:
        removed = _remove(fleet, _orphans(fleet, operators), settings, warnings)
    changed = _told(fleet, results, warnings) or bool(removed) or any(result.changed for result in results) or changed
    return _outcome(fleet, results, removed, warnings, changed=changed)


def _put(fleet: Fleet, given: Sequence[Operator]) -> tuple[bool, tuple[Operator, ...]]:
    """The operators that count, those that were given put on the cluster where it serves them."""
    operators = together(fleet.live, given)
    if not fleet.path:
        return False, with_first_claims(operators)
    changed = False
    created = {}
    for operator in operators:
        live = operator.live
        there = live is not None and package_or_none(live) == operator.package
        if not there and not operator.problem:
            live = put_operator(fleet.client, fleet.path, operator)
            changed = True
        # What was only rehearsed is not there to have a status.
        seen = operator if fleet.client.dry_run else replace(operator, live=live)
        created[creation(operator, live)] = seen
    return changed, with_first_claims(seen for _key, seen in sorted(created.items()))


def package_or_none(live: Mapping[str, Any]) -> str | None:
    """The package of a PlatformOperator on the cluster; None where it names none."""
    try:
        return package_of(live, KIND)
    except OptionError:
        return None


def _settled(
    fleet: Fleet,
    operator: Operator,
    sourcing: Sourcing,
    settings: Settings,
    mirrors: tuple[Mirror, ...],
    warnings: list[str],
    *,
    upgrade: bool,
) -> Result:
    """One operator, from its package to what became of it."""
    try:
        if operator.problem:
            raise OptionError(operator.problem)
        situation, wanted = _wanted(fleet, operator, sourcing, mirrors, warnings, upgrade=upgrade)
    except FleetError as error:
        return Result(operator, failed="Sourced", message=str(error))
    found = Result(operator, dict(wanted.identity), wanted.extension.namespace)
    try:
        report = install(situation, wanted, settings)
    except FleetError as error:
        stage: Stage = "Installed" if isinstance(error.__cause__ or error, NotReady) else "Applied"
        began = bool(error.details.get("changed"))
        return replace(found, failed=stage, message=str(error), changed=began, revision=error.details.get("revision"))
    warnings += [f"{operator.name}: {warning}" for warning in report.warnings]
    return replace(
        found,
        revision=report.revision,
        waiting=_not_known(operator, report, settings),
        changed=report.changed,
        plan=report.plan.told(),
        permissions=report.permissions,
    )


def _not_known(operator: Operator, report: Report, settings: Settings) -> bool:
    """Whether it may or may not be ready: nobody waits, and nobody did before."""
    if settings.wait or settings.wait_for != "ready":
        return False
    return report.changed or not result_of_status(operator).installed


def _wanted(
    fleet: Fleet,
    operator: Operator,
    sourcing: Sourcing,
    mirrors: tuple[Mirror, ...],
    warnings: list[str],
    *,
    upgrade: bool,
) -> tuple[Situation, Wanted]:
    """What is to be installed: what is already, unless an upgrade is wanted and there is one."""
    extension = fleet.extensions.get(operator.name)
    situation = look(fleet.client, extension) if extension is not None else None
    installed = situation.installed if situation is not None else None
    if situation is not None and situation.newest is not None:
        _check_ours(situation, operator)
    kept: Wanted | None = None
    if situation is not None and situation.newest is not None and installed is not None:
        kept = as_recorded(situation, situation.newest)
    if situation is not None and kept is not None and not upgrade:
        return situation, kept
    choice = chosen(sourcing, operator.package)
    if situation is not None and kept is not None and not choice.is_newer_than(str(kept.identity.get("version"))):
        return situation, kept
    found = loaded(sourcing, choice)
    if situation is None:
        namespace = install_namespace(found.bundle, operator.package)
        situation = look(fleet.client, named(operator.name, namespace))
    config, advice = configured(found.bundle, None, situation.extension.namespace)
    warnings += [f"{operator.name}: {warning}" for warning in (*choice.warnings, *found.warnings, *advice)]
    wanted = compose(fleet.client, situation.extension, found, config, AUTO, mirrors, situation.newest)
    return situation, replace(wanted, identity={**wanted.identity, MARK: operator.name})


def _check_ours(situation: Situation, operator: Operator) -> None:
    newest = situation.newest
    bundle = newest.bundle if newest is not None else {}
    if bundle.get(MARK) != operator.name:
        raise OptionError(
            f"{situation.extension} is there already and was not installed for a PlatformOperator; remove it, or give the "
            "PlatformOperator another name"
        )
    if bundle.get("package") != operator.package:
        raise OptionError(
            f"package {bundle.get('package')} is installed for it, not {operator.package}; remove the PlatformOperator, then "
            "make it anew"
        )


def install_namespace(bundle: Bundle, package: str) -> str:
    """The namespace that the bundle suggests, or one named after the package."""
    return str(at(bundle.csv, "metadata", "annotations", SUGGESTED_NAMESPACE) or f"{package}-system")


def _absent(call: Call, fleet: Fleet, names: set[str]) -> Outcome:
    settings = Settings(
        wait=call.options["wait"],
        wait_timeout=call.options["wait_timeout"],
        rehearse_only=call.check_mode,
        progress=call.progress,
    )
    warnings: list[str] = []
    removed = _remove(
        fleet, [one for name, one in sorted(fleet.extensions.items()) if name in names], settings, warnings
    )
    changed = bool(removed)
    for operator in fleet.live:
        # Last, so that a removal that was broken off is found again by who reads PlatformOperators.
        if operator.name in names:
            fleet.client.delete(f"{fleet.path}/{operator.name}")
            changed = True
    left = [result_of_status(operator) for operator in fleet.live if operator.name not in names]
    aggregated, written = write_cluster_operator(fleet.client, left, served=bool(fleet.path))
    result = {"operators": [], "removed": removed, "cluster_operator": aggregated, "requests": fleet.client.requests}
    return Outcome(result, changed=changed or written, warnings=(*warnings, *fleet.client.warnings))


def _orphans(fleet: Fleet, operators: Iterable[Operator]) -> list[Extension]:
    wanted = {operator.name for operator in operators}
    return [extension for name, extension in sorted(fleet.extensions.items()) if name not in wanted]


def _remove(fleet: Fleet, extensions: Iterable[Extension], settings: Settings, warnings: list[str]) -> list[str]:
    """Remove those of the extensions that are platform operators; CRDs and custom resources stay."""
    removed = []
    for extension in extensions:
        situation = look(fleet.client, extension)
        if situation.newest is None or situation.newest.bundle.get(MARK) != extension.name:
            continue
        report: Report = remove(situation, settings)
        warnings += report.warnings
        removed += [extension.name] if report.changed else []
    return removed


def _told(fleet: Fleet, results: Iterable[Result], warnings: list[str]) -> bool:
    """Write the status of each; whether one was written."""
    written = False
    for result in results:
        if fleet.path and result.operator.live is not None:
            try:
                written = write_status(fleet.client, fleet.path, result) or written
            except FleetError as error:
                warnings.append(f"{result.operator.name}: its status could not be written: {error}")
    return written


def _outcome(
    fleet: Fleet, results: Sequence[Result], removed: list[str], warnings: list[str], *, changed: bool
) -> Outcome:
    aggregated, written = write_cluster_operator(fleet.client, results, served=bool(fleet.path))
    result = {
        "operators": [one.told() for one in results],
        "removed": removed,
        "cluster_operator": aggregated,
        "requests": fleet.client.requests,
    }
    failed = [one for one in results if one.failed is not None]
    if failed:
        problems = [
            f"{one.operator.name}: {line.removeprefix(f'{one.operator.name}: ')}"
            for one in failed
            for line in one.message.splitlines()
        ]
        raise Told("\n".join(problems), {"problems": problems, **result, "changed": changed or written})
    return Outcome(result, changed=changed or written, warnings=(*warnings, *fleet.client.warnings))
