# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All platform operators of a cluster: found, installed, told of, removed.

One that fails does not hold up the others; all failures are told at the end, and the call has failed then.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from ..errors import FleetError, NotReady, OptionError, Told, lines_of
from ..manifests.mirrors import Mirror
from ..nested import at
from ..render.check import configured
from .operators import KIND, Operator, creation, given_operators, live_operator, package_of, together, with_first_claims
from .report import CLUSTER_OPERATOR, collection, put_operator, write_cluster_operator, write_status
from .restrictions import package_problems
from .result import Result, Stage, aggregate, result_of_status
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


@dataclass
class Done:
    """What a run did so far, and what went wrong."""

    changed: bool = False
    removed: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def failed(self, name: str, message: str) -> None:
        """Note the failure of one operator, each line with its name."""
        self.problems += lines_of(name, message)


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
    done = Done()
    done.changed, operators = _put(fleet, given)
    mirrors = tuple(Mirror(**rule) for rule in options["image_mirrors"])
    results = [
        _settled(fleet, operator, sourcing, settings, mirrors, done.warnings, upgrade=options["upgrade"])
        for operator in operators
    ]
    for result in results:
        done.changed |= result.changed
        if result.failed is not None:
            done.failed(result.operator.name, result.message)
    if options["prune"]:
        wanted = {operator.name for operator in operators}
        _remove(fleet, set(fleet.extensions) - wanted, settings, done)
    _tell(fleet, results, done)
    return _outcome(fleet, results, [result.told() for result in results], done)


def _put(fleet: Fleet, given: Sequence[Operator]) -> tuple[bool, tuple[Operator, ...]]:
    """The operators that count, those that were given put on the cluster where it serves them."""
    operators = together(fleet.live, given)
    if not fleet.path:
        return False, with_first_claims(operators)
    changed = False
    created = {}
    # By name, so that of those that are made within one second the first is the first in every run.
    for operator in sorted(operators, key=lambda one: one.name):
        live, problem = operator.live, operator.problem
        there = live is not None and package_or_none(live) == operator.package
        if not there and not problem:
            try:
                live = put_operator(fleet.client, fleet.path, operator)
                changed = True
            except FleetError as error:
                problem = "; ".join(package_problems(operator.package)) or str(error)
        # What was only rehearsed is not there to have a status.
        seen = operator.live if fleet.client.dry_run else live
        created[creation(operator, live)] = replace(operator, live=seen, problem=problem)
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
    if operator.problem:
        return Result(operator, failed="Sourced", message=operator.problem)
    kept: Mapping[str, Any] = {}
    try:
        there = _installed_for(fleet, operator)
        kept = there.installed.bundle if there is not None and there.installed is not None else {}
        situation, wanted = _wanted(fleet, operator, there, sourcing, mirrors, warnings, upgrade=upgrade)
    except FleetError as error:
        return Result(operator, failed="Sourced", message=str(error), kept=kept)
    found = Result(operator, dict(wanted.identity), wanted.extension.namespace)
    try:
        report = install(situation, wanted, settings)
    except FleetError as error:
        stage: Stage = "Installed" if isinstance(error.__cause__ or error, NotReady) else "Applied"
        began = bool(error.details.get("changed"))
        failed = replace(found, failed=stage, message=str(error), kept={} if began else kept)
        return replace(failed, changed=began, revision=error.details.get("revision"))
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


def _installed_for(fleet: Fleet, operator: Operator) -> Situation | None:
    """What is there of its extension, where there is one, which has to be of this PlatformOperator."""
    extension = fleet.extensions.get(operator.name)
    situation = look(fleet.client, extension) if extension is not None else None
    if situation is not None and situation.newest is not None:
        _check_ours(situation, operator)
    return situation


def _wanted(
    fleet: Fleet,
    operator: Operator,
    situation: Situation | None,
    sourcing: Sourcing,
    mirrors: tuple[Mirror, ...],
    warnings: list[str],
    *,
    upgrade: bool,
) -> tuple[Situation, Wanted]:
    """What is to be installed: what is already, unless an upgrade is wanted and there is one."""
    kept: Wanted | None = None
    if situation is not None and situation.newest is not None and situation.installed is not None:
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
    done = Done()
    still_there = _remove(fleet, names, settings, done)
    left = []
    for operator in fleet.live:
        if operator.name not in names - still_there:
            left.append(result_of_status(operator))
            continue
        # Last, so that a removal that was broken off is found again by who reads PlatformOperators.
        try:
            fleet.client.delete(f"{fleet.path}/{operator.name}")
            done.changed = True
        except FleetError as error:
            done.failed(operator.name, str(error))
    return _outcome(fleet, left, [], done)


def _remove(fleet: Fleet, names: Collection[str], settings: Settings, done: Done) -> set[str]:
    """Remove those of the extensions that are platform operators; CRDs and custom resources stay. The names of those that did not go."""
    still_there = set()
    for name, extension in sorted(fleet.extensions.items()):
        if name not in names:
            continue
        try:
            situation = look(fleet.client, extension)
            if situation.newest is None or situation.newest.bundle.get(MARK) != name:
                continue
            report: Report = remove(situation, settings)
        except FleetError as error:
            still_there.add(name)
            done.failed(name, str(error))
            done.changed |= bool(error.details.get("changed"))
            continue
        done.warnings += report.warnings
        done.removed += [name] if report.changed else []
        done.changed |= report.changed
    return still_there


def _tell(fleet: Fleet, results: Iterable[Result], done: Done) -> None:
    """Write the status of each."""
    for result in results:
        if fleet.path and result.operator.live is not None:
            try:
                done.changed |= write_status(fleet.client, fleet.path, result)
            except FleetError as error:
                done.warnings.append(f"{result.operator.name}: its status could not be written: {error}")


def _outcome(fleet: Fleet, results: Sequence[Result], operators: list[dict[str, Any]], done: Done) -> Outcome:
    """Write what a ClusterOperator says of all of them, and tell what was done, or what failed."""
    try:
        aggregated, written = write_cluster_operator(fleet.client, results, served=bool(fleet.path))
        done.changed |= written
    except FleetError as error:
        aggregated = aggregate(results, {})
        done.warnings.append(f"ClusterOperator {CLUSTER_OPERATOR} could not be written: {error}")
    result = {
        "operators": operators,
        "removed": done.removed,
        "cluster_operator": {"name": CLUSTER_OPERATOR, **aggregated},
        "requests": fleet.client.requests,
    }
    warnings = (*done.warnings, *fleet.client.warnings)
    if done.problems:
        details = {"problems": done.problems, **result, "changed": done.changed}
        raise Told("\n".join(done.problems), {**details, **({"warnings": list(warnings)} if warnings else {})})
    return Outcome(result, changed=done.changed, warnings=warnings)
