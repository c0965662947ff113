# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The digest that opens the upgrade gate, told before anything is installed.

The gate compares manifests, so both bundles are rendered as far as they hand out rights.
"""

from __future__ import annotations

from typing import Any

from ..bundle.model import WITH_CSV, Bundle
from ..bundle.problems import UnsupportedInstallMode
from ..config.parse import Config
from ..config.problems import InvalidConfig
from ..config.schema import schema_of
from ..rbac.gate import permission_gate
from ..rbac.grants import INSTALLED
from ..render.certificates import NO_PROVIDER
from ..render.install_mode import target_namespaces
from ..render.options import Options
from ..render.rbac import cluster_roles, roles
from ..render.shipped import other_manifests

_GENERATORS = (roles, cluster_roles, other_manifests)


def accepting_digest(old: Bundle, new: Bundle, config: Any = None, install_namespace: str | None = None) -> str | None:
    """What the gate would ask for; None where it would ask for nothing, or where one of the two cannot be installed this way."""
    # No namespace can have this name, so none that a bundle names is taken for the one that it is installed in.
    namespace = install_namespace or INSTALLED
    try:
        before, after = (_access(bundle, config if install_namespace else None, namespace) for bundle in (old, new))
    except (InvalidConfig, UnsupportedInstallMode):
        return None
    return permission_gate(before, after, None, namespace).digest


def _access(bundle: Bundle, config: Any, namespace: str) -> list[dict[str, Any]]:
    if bundle.format not in WITH_CSV:
        return []
    watched = _watched(bundle, config, namespace)
    options = Options(namespace, target_namespaces(bundle, watched, namespace), NO_PROVIDER, {})
    return [manifest for generate in _GENERATORS for manifest in generate(bundle, options)]


def _watched(bundle: Bundle, config: Any, namespace: str) -> str | None:
    """The watched namespace. Without a configuration these are all, or its own where the bundle supports nothing wider."""
    if config:
        return Config.parse(config, schema_of(bundle), namespace).watch_namespace
    return None if "AllNamespaces" in bundle.supported_install_modes else namespace
