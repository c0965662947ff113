# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which namespaces an operator watches, and whether its bundle supports that."""

from __future__ import annotations

from ..bundle.model import Bundle
from ..bundle.problems import UnsupportedInstallMode
from .options import ALL_NAMESPACES


def target_namespaces(bundle: Bundle, watch_namespace: str | None, install_namespace: str) -> tuple[str, ...]:
    """The watched namespaces; refused where the bundle supports no install mode for them."""
    if not watch_namespace:
        mode, targets, wanted = "AllNamespaces", ALL_NAMESPACES, "watching all namespaces"
    elif watch_namespace == install_namespace:
        mode, targets, wanted = "OwnNamespace", (watch_namespace,), f"watching its own namespace '{watch_namespace}'"
    else:
        mode, targets, wanted = (
            "SingleNamespace",
            (watch_namespace,),
            f"watching another namespace, '{watch_namespace}'",
        )
    supported = bundle.supported_install_modes
    if mode not in supported:
        raise UnsupportedInstallMode(
            f"{wanted} takes the install mode {mode}; bundle '{bundle.name}' supports {', '.join(supported) or 'no install mode'}"
        )
    return targets
