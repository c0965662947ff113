# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What became of platform operators: conditions of each, and of all together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from ..nested import at, mappings
from .operators import Operator

Stage = Literal["Sourced", "Applied", "Installed"]
STAGES: tuple[Stage, ...] = ("Sourced", "Applied", "Installed")
_REASONS: Mapping[Stage, str] = {"Sourced": "Source", "Applied": "Apply", "Installed": "Install"}
_WORDS: Mapping[Stage, str] = {"Sourced": "found", "Applied": "applied", "Installed": "installed"}


@dataclass(frozen=True)
class Result:
    """What became of one: `failed` is the stage that it did not get over, `waiting` that nobody waited for it to be ready.

    `kept` is the bundle that is installed and stays, where only a newer one failed.
    """

    operator: Operator
    bundle: Mapping[str, Any] = field(default_factory=dict)
    namespace: str = ""
    revision: int | None = None
    failed: Stage | None = None
    waiting: bool = False
    message: str = ""
    changed: bool = False
    plan: Sequence[Mapping[str, Any]] = ()
    permissions: Mapping[str, Any] = field(default_factory=dict)
    kept: Mapping[str, Any] = field(default_factory=dict)

    @property
    def active(self) -> Mapping[str, Any] | None:
        """The bundle that is installed; of one that was read from a status only the name may be known."""
        if self.failed is not None:
            return self.kept or None
        return None if self.waiting else self.bundle

    @property
    def installed(self) -> bool:
        return self.active is not None

    def told(self) -> dict[str, Any]:
        """As data for the user."""
        return {
            "name": self.operator.name,
            "package": self.operator.package,
            "installed": self.installed,
            "message": self.message,
            "namespace": self.namespace or None,
            "bundle": dict(self.bundle) or None,
            "revision": self.revision,
            "changed": self.changed,
            "conditions": conditions(self),
            "plan": [dict(step) for step in self.plan],
            "permissions": dict(self.permissions),
        }


def conditions(result: Result) -> list[dict[str, str]]:
    """The conditions of a PlatformOperator, without times."""
    name = str(result.bundle.get("name") or f"a bundle of package {result.operator.package}")
    found = []
    for stage in STAGES:
        if result.failed is not None and STAGES.index(stage) >= STAGES.index(result.failed):
            if stage == "Installed" and result.kept:
                words = f"{result.kept.get('name')} is {_WORDS[stage]}"
                found.append(_condition(stage, "True", f"{_REASONS[stage]}Successful", words))
                continue
            found.append(_condition(stage, "False", f"{_REASONS[result.failed]}Failed", result.message))
        elif stage == "Installed" and result.waiting:
            found.append(_condition(stage, "Unknown", "InstallPending", f"{name} was applied and not waited for"))
        else:
            found.append(_condition(stage, "True", f"{_REASONS[stage]}Successful", f"{name} is {_WORDS[stage]}"))
    return found


def aggregate(results: Sequence[Result], known: Mapping[str, Any]) -> dict[str, Any]:
    """The state of all of them as a ClusterOperator has it: conditions without times, and versions.

    `known` has the versions that were told before, for results that were read from a status, which names none.
    """
    failed = [result for result in results if result.failed is not None]
    waiting = [result for result in results if result.waiting]
    lacking = [result for result in results if not result.installed]
    what = f"{len(results)} platform operator{'' if len(results) == 1 else 's'}"
    good = f"{what} {'is' if len(results) == 1 else 'are'} installed" if results else "there are no platform operators"
    names = "not installed: " + "; ".join(f"{one.operator.name} ({one.message or 'not waited for'})" for one in lacking)
    told = [
        _condition("Available", "False", "NotInstalled", names)
        if lacking
        else _condition("Available", "True", "AsExpected", good),
        _condition("Progressing", "True", "InstallPending", _list(waiting))
        if waiting
        else _condition("Progressing", "False", "AsExpected", "nothing is in progress"),
        _condition("Degraded", "True", "InstallFailed", _list(failed))
        if failed
        else _condition("Degraded", "False", "AsExpected", "no platform operator failed"),
    ]
    versions = []
    for result in results:
        if result.active is not None:
            version = result.active.get("version") or known.get(result.operator.name)
            versions += [{"name": result.operator.name, "version": str(version)}] if version else []
    return {"conditions": told, "versions": versions}


def with_times(
    wanted: Iterable[Mapping[str, str]], present: Any, generation: int | None = None
) -> list[dict[str, Any]]:
    """Conditions as they are written: the time is that of the last change of status. Those of others stay."""
    before = {str(item.get("type")): item for item in mappings(present)}
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    written = []
    for condition in wanted:
        old = before.pop(condition["type"], {})
        time = old.get("lastTransitionTime") if old.get("status") == condition["status"] else None
        observed = {"observedGeneration": generation} if generation else {}
        written.append({**condition, "lastTransitionTime": str(time or now), **observed})
    return [*written, *(dict(item) for item in before.values())]


def result_of_status(operator: Operator) -> Result:
    """What became of one as its status on the cluster says it."""
    told = {item.get("type"): item for item in mappings(at(operator.live, "status", "conditions"))}
    active = at(operator.live, "status", "activeBundleDeployment", "name")
    bundle = {"name": active} if active else {}
    for stage in STAGES:
        if told.get(stage, {}).get("status") == "False":
            message = str(told[stage].get("message") or "")
            return Result(operator, failed=stage, message=message, kept=bundle)
    if "Installed" not in told:
        return Result(operator, bundle, waiting=True, message="it was not installed yet")
    return Result(operator, bundle, waiting=told["Installed"].get("status") != "True")


def _condition(kind: str, status: str, reason: str, message: str) -> dict[str, str]:
    return {"type": kind, "status": status, "reason": reason, "message": " ".join(message.split())}


def _list(results: Iterable[Result]) -> str:
    return ", ".join(result.operator.name for result in results)
