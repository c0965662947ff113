# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What operator-controller says to a ClusterExtension: the rules behind the recorded scenarios, as functions of data.

They reproduce what was recorded, word for word where a user gets to read it, and no more than that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import Bundle
from ansible_collections.fleet.olm.plugins.module_utils.catalog.model import Package
from ansible_collections.fleet.olm.plugins.module_utils.nested import at, mappings
from ansible_collections.fleet.olm.plugins.module_utils.render.check import check

GATES = frozenset({"SingleOwnNamespaceInstallSupport", "DeploymentConfig"})
_UNKNOWN = ("Unknown", "DeprecationStatusUnknown", "deprecation status unknown: catalog data unavailable")


@dataclass(frozen=True)
class Installed:
    """The bundle of the last release that was deployed."""

    name: str
    version: str
    image: str


class Refused(Exception):
    """Progressing is False: nothing more is tried until the spec changes."""


class Retried(Exception):
    """Progressing is True with reason Retrying."""


def condition(kind: str, status: str, reason: str, message: str) -> dict[str, Any]:
    """A condition without what depends on the moment."""
    return {"type": kind, "status": status, "reason": reason, "message": message}


def unresolved(spec: Mapping[str, Any], installed: Installed | None) -> Retried:
    """No bundle, or several."""
    catalog = spec["source"]["catalog"]
    text = f'error upgrading from currently installed version "{installed.version}": ' if installed else ""
    text += f'no bundles found for package "{catalog["packageName"]}"'
    text += f' matching version "{catalog["version"]}"' if catalog.get("version") else ""
    text += f" in channels [{' '.join(catalog['channels'])}]" if catalog.get("channels") else ""
    return Retried(text)


def deprecation_conditions(
    package: Package | None, installed: Installed | None, channels: list[str]
) -> list[dict[str, Any]]:
    """The four conditions about deprecation; `package` is None where nothing was resolved."""
    none_yet = condition("BundleDeprecated", "Unknown", "Absent", "no bundle installed yet")
    if package is None:
        unknown = [condition(kind, *_UNKNOWN) for kind in ("Deprecated", "PackageDeprecated", "ChannelDeprecated")]
        return [*unknown, condition("BundleDeprecated", *_UNKNOWN) if installed else none_yet]
    wanted = {"olm.package": [""], "olm.channel": channels, "olm.bundle": [installed.name] if installed else []}
    found = []
    for schema, names in wanted.items():
        word = schema.removeprefix("olm.")
        said = [item.message for item in package.deprecations if item.schema == schema and item.name in names]
        kind = f"{word.capitalize()}Deprecated"
        if schema == "olm.bundle" and not installed:
            found.append(none_yet)
        elif said:
            found.append(condition(kind, "True", "Deprecated", "\n".join(said)))
        else:
            found.append(condition(kind, "False", "NotDeprecated", f"{word} not deprecated"))
    messages = [item["message"] for item in found if item["status"] == "True"]
    if messages:
        return [condition("Deprecated", "True", "Deprecated", "\n".join(messages)), *found]
    return [condition("Deprecated", "False", "NotDeprecated", "not deprecated"), *found]


def installed_condition(installed: Installed | None) -> dict[str, Any]:
    """Whether a bundle is installed; not whether it is the one that is wanted."""
    if installed is None:
        return condition("Installed", "False", "Failed", "No bundle installed")
    return condition("Installed", "True", "Succeeded", f"Installed bundle {installed.image} successfully")


def check_bundle(bundle: Bundle, config: Any, namespace: str, gates: frozenset[str]) -> None:
    """What is refused before rendering."""
    modes = {
        str(item.get("type")) for item in mappings(at(bundle.csv, "spec", "installModes")) if item.get("supported")
    }
    if "AllNamespaces" not in modes and "SingleOwnNamespaceInstallSupport" not in gates:
        raise Retried("unsupported bundle: bundle does not support AllNamespaces install mode")
    problems = list(_config_problems(modes, config or {}, namespace, gates))
    if not problems and check(bundle, config, namespace).problems:
        problems = list(check(bundle, config, namespace).problems)
    if problems:
        text = (
            problems[0]
            if len(problems) == 1
            else "multiple errors found:" + "".join(f"\n  - {item}" for item in problems)
        )
        raise Refused(f"invalid ClusterExtension configuration: invalid configuration: {text}")


def _config_problems(
    modes: set[str], config: Mapping[str, Any], namespace: str, gates: frozenset[str]
) -> Iterator[str]:
    known = {
        "watchNamespace",
        *({"deploymentConfig"} & ({"deploymentConfig"} if "DeploymentConfig" in gates else set())),
    }
    yield from (f'unknown field "{key}"' for key in config if key not in known)
    watched = config.get("watchNamespace")
    if "AllNamespaces" not in modes and "watchNamespace" not in config:
        yield 'required field "watchNamespace" is missing'
    elif watched is not None and not isinstance(watched, str):
        yield 'invalid value for field "watchNamespace"'
        yield 'invalid type for field "watchNamespace": got number, want null'
        yield 'invalid type for field "watchNamespace": got number, want string'
    elif watched is not None and modes == {"OwnNamespace"} and watched != namespace:
        yield (
            f'invalid format for field "watchNamespace": \'{watched}\' is not valid ownNamespaceInstallMode: invalid value "{watched}": must be '
            f'"{namespace}" (the namespace where the operator is installed) because this operator only supports OwnNamespace install mode'
        )


def check_crd(live: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """The CRD upgrade safety check, as far as it was recorded: a field that is removed."""
    for version in mappings(at(wanted, "spec", "versions")):
        old = next(
            (item for item in mappings(at(live, "spec", "versions")) if item.get("name") == version.get("name")), None
        )
        before, after = _fields(at(old, "schema", "openAPIV3Schema")), _fields(at(version, "schema", "openAPIV3Schema"))
        removed = {path: kind for path, kind in before.items() if path not in after}
        if removed:
            name, paths = version["name"], [f"{version['name']}.^.{path}" for path in removed]
            lines = [f"existingFieldRemoval: removed field : {', '.join(paths)}"]
            lines += [f'{name}: ^.{path}: type: type changed : "{kind}" -> ""' for path, kind in removed.items()]
            text = "\n".join(lines)
            raise Retried(f'validating upgrade for CRD "{at(wanted, "metadata", "name")}": {text}')


def _fields(schema: Any, path: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for name, inner in (at(schema, "properties") or {}).items():
        place = f"{path}.{name}" if path else name
        found[place] = str(at(inner, "type") or "")
        found.update(_fields(inner, place))
    return found


def not_ours(kind: str, name: str, namespace: str) -> Retried:
    """An object that somebody else has."""
    return Retried(
        f"failed to get release state using server-side dry-run: {kind} '{name}' already exists in namespace '{namespace}' and "
        "cannot be managed by operator-controller"
    )
