# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether a bundle, and a configuration for it, would be accepted: everything that is wrong, at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..bundle.facts import unsupported
from ..bundle.model import WITH_CSV, Bundle
from ..bundle.problems import UnsupportedInstallMode
from ..config.parse import Config
from ..config.problems import InvalidConfig
from ..config.schema import DEPLOYMENT_CONFIG, schema_of
from ..config.validate import checked_namespace
from ..nested import at, mappings
from .install_mode import target_namespaces
from .pipeline import problems_of

# Those that OLM v1 installs in.
INSTALL_MODES = ("AllNamespaces", "SingleNamespace", "OwnNamespace")


@dataclass(frozen=True)
class Checked:
    """What was found."""

    problems: tuple[str, ...]
    warnings: tuple[str, ...]


def check(bundle: Bundle, config: Any, install_namespace: str | None) -> Checked:
    """Check a bundle and, where an install namespace is given, a configuration for it."""
    problems = [f"invalid bundle '{bundle.name}': {problem}" for problem in problems_of(bundle)]
    if install_namespace is None:
        return Checked((*problems, *_modes(bundle)), tuple(unsupported(bundle)))
    warnings: tuple[str, ...] = ()
    try:
        parsed, warnings = configured(bundle, config, install_namespace)
        if bundle.format in WITH_CSV:
            target_namespaces(bundle, parsed.watch_namespace, install_namespace)
    except InvalidConfig as error:
        problems += str(error).splitlines()
    except UnsupportedInstallMode as error:
        problems.append(str(error))
    return Checked(tuple(problems), (*unsupported(bundle), *warnings))


def _modes(bundle: Bundle) -> list[str]:
    """Wherever it is installed, it has to watch all namespaces or one."""
    if bundle.format not in WITH_CSV or set(bundle.supported_install_modes) & set(INSTALL_MODES):
        return []
    supported = ", ".join(bundle.supported_install_modes) or "none"
    return [
        f"bundle '{bundle.name}' cannot be installed: it must support one of {', '.join(INSTALL_MODES)}, and supports {supported}"
    ]


def configured(bundle: Bundle, config: Any, install_namespace: str) -> tuple[Config, tuple[str, ...]]:
    """A configuration for a bundle, and what its user should know about it although OLM v1 accepts it."""
    parsed = Config.parse(config, schema_of(bundle), checked_namespace(install_namespace))
    mounts = mounts_without_volume(bundle, at(parsed.values, DEPLOYMENT_CONFIG) or {})
    return parsed, (*parsed.warnings, *mounts)


def mounts_without_volume(bundle: Bundle, given: Mapping[str, Any]) -> list[str]:
    """Mounts of volumes that neither the configuration nor a deployment has; its pods would never start."""
    configured = {volume.get("name") for volume in mappings(given.get("volumes"))}
    return [
        f"configuration: '{DEPLOYMENT_CONFIG}.volumeMounts[{number}]' mounts the volume '{mount.get('name')}', "
        f"which deployment '{deployment.get('name')}' does not have"
        for deployment in bundle.deployments
        for number, mount in enumerate(mappings(given.get("volumeMounts")))
        if mount.get("name") not in configured | volume_names(deployment)
    ]


def volume_names(deployment: Mapping[str, Any]) -> set[Any]:
    """The volumes of a deployment's pods."""
    return {volume.get("name") for volume in mappings(at(deployment, "spec", "template", "spec", "volumes"))}
