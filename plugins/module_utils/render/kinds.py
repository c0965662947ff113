# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The order to apply rendered objects in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Later kinds need earlier ones: applied in this order, nothing waits for what is not there yet.
APPLY_ORDER = (
    "Namespace",
    "PriorityClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
    "NetworkPolicy",
    "Secret",
    "ConfigMap",
    "Service",
    "Issuer",
    "Certificate",
    "PodDisruptionBudget",
    "Deployment",
    "VerticalPodAutoscaler",
    "PodMonitor",
    "ServiceMonitor",
    "PrometheusRule",
    "ConsoleCLIDownload",
    "ConsoleLink",
    "ConsolePlugin",
    "ConsoleQuickStart",
    "ConsoleYAMLSample",
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
)
RANK = {kind: rank for rank, kind in enumerate(APPLY_ORDER)}


def apply_rank(manifest: Mapping[str, Any]) -> int:
    """Where an object stands in the order; stable sorting keeps the rest as it was."""
    return RANK.get(manifest["kind"], RANK["Deployment"])
