# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether a bundle, and a configuration for it, would be accepted: everything that is wrong, at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..bundle.model import REGISTRY_V1, Bundle
from ..bundle.problems import UnsupportedInstallMode
from ..config.deployment_config import mounts_without_volume
from ..config.parse import Config
from ..config.problems import InvalidConfig
from ..config.schema import DEPLOYMENT_CONFIG, schema_of
from ..nested import at
from .install_mode import target_namespaces
from .pipeline import problems_of


@dataclass(frozen=True)
class Checked:
    """What was found."""

    problems: tuple[str, ...]
    warnings: tuple[str, ...]


def check(bundle: Bundle, config: Any, install_namespace: str | None) -> Checked:
    """Check a bundle and, where an install namespace is given, a configuration for it."""
    problems = [f"invalid bundle '{bundle.name}': {problem}" for problem in problems_of(bundle)]
    if install_namespace is None:
        return Checked(tuple(problems), ())
    warnings: tuple[str, ...] = ()
    try:
        parsed, warnings = configured(bundle, config, install_namespace)
        if bundle.format == REGISTRY_V1:
            target_namespaces(bundle, parsed.watch_namespace, install_namespace)
    except InvalidConfig as error:
        problems += str(error).splitlines()
    except UnsupportedInstallMode as error:
        problems.append(str(error))
    return Checked(tuple(problems), warnings)


def configured(bundle: Bundle, config: Any, install_namespace: str) -> tuple[Config, tuple[str, ...]]:
    """A configuration for a bundle, and what its user should know about it although OLM v1 accepts it."""
    parsed = Config.parse(config, schema_of(bundle), install_namespace)
    mounts = mounts_without_volume(bundle, at(parsed.values, DEPLOYMENT_CONFIG) or {})
    return parsed, (*parsed.warnings, *mounts)
