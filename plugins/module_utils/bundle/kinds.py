# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The kinds of objects that a bundle may ship beside its ClusterServiceVersion and CustomResourceDefinitions."""

from __future__ import annotations

NAMESPACED = frozenset(
    {
        "ConfigMap",
        "NetworkPolicy",
        "PodDisruptionBudget",
        "PodMonitor",
        "PrometheusRule",
        "Role",
        "RoleBinding",
        "Secret",
        "Service",
        "ServiceAccount",
        "ServiceMonitor",
    }
)
# OLM treats VerticalPodAutoscaler as cluster-scoped although it is not.
CLUSTER_SCOPED = frozenset(
    {
        "ClusterRole",
        "ClusterRoleBinding",
        "ConsoleCLIDownload",
        "ConsoleLink",
        "ConsolePlugin",
        "ConsoleQuickStart",
        "ConsoleYAMLSample",
        "PriorityClass",
        "VerticalPodAutoscaler",
    }
)
