# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which kind a resource of the Kubernetes API is: what RBAC rules name is the resource, what everything else names is the kind.

Groups that end in .k8s.io are not here: every cluster has them, and nobody asks for their kinds.
"""

from __future__ import annotations

from collections.abc import Mapping

KINDS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "": (
        "v1",
        {
            "bindings": "Binding",
            "componentstatuses": "ComponentStatus",
            "configmaps": "ConfigMap",
            "endpoints": "Endpoints",
            "events": "Event",
            "limitranges": "LimitRange",
            "namespaces": "Namespace",
            "nodes": "Node",
            "persistentvolumeclaims": "PersistentVolumeClaim",
            "persistentvolumes": "PersistentVolume",
            "pods": "Pod",
            "podtemplates": "PodTemplate",
            "replicationcontrollers": "ReplicationController",
            "resourcequotas": "ResourceQuota",
            "secrets": "Secret",
            "serviceaccounts": "ServiceAccount",
            "services": "Service",
        },
    ),
    "apps": (
        "v1",
        {
            "controllerrevisions": "ControllerRevision",
            "daemonsets": "DaemonSet",
            "deployments": "Deployment",
            "replicasets": "ReplicaSet",
            "statefulsets": "StatefulSet",
        },
    ),
    "autoscaling": ("v2", {"horizontalpodautoscalers": "HorizontalPodAutoscaler"}),
    "batch": ("v1", {"cronjobs": "CronJob", "jobs": "Job"}),
    "policy": ("v1", {"poddisruptionbudgets": "PodDisruptionBudget"}),
}


def built_in(group: str, resource: str) -> tuple[str, str] | None:
    """Version and kind of a resource that every cluster has."""
    version, kinds = KINDS.get(group, ("", {}))
    kind = kinds.get(resource)
    return (version, kind) if kind else None
