# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fleets to report about: the same every time, with everything in them that a report can tell."""

from __future__ import annotations

import random
from typing import Any

PACKAGES = (
    "cert-manager", "greeter", "stamper", "external-dns", "ingress-gateway", "metrics-stack", "log-collector", "vault-agent",
    "postgres-operator", "redis-operator", "kafka-operator", "service-mesh", "policy-engine", "image-scanner", "backup-agent",
    "cluster-autoscaler", "node-tuning", "gpu-operator", "storage-csi", "secrets-store", "tracing", "alert-router",
    "cost-exporter", "workflow-engine", "chaos-agent", "feature-flags", "message-bus", "search-operator", "cache-warmer",
    "dns-failover",
)  # fmt: skip
REGIONS = ("eu-west", "us-east", "ap-south")
GAINS = ["may read and list Secrets in all namespaces (service account greeter)", "may delete Pods in all namespaces"]
DIGEST = "sha256:0feff8fb1c5b6d0e0d3e2f7c9a41b8a65cbb5d1cb8c6a0a7d7a5b2f4b1c0d9e8"


def small_fleet() -> list[dict[str, Any]]:
    """Four clusters with one of everything; the last does not answer."""
    healthy = {
        "name": "cert-manager",
        "namespace": "cert-manager",
        "engine": "direct",
        "version": "1.16.2",
        "health": "healthy",
    }
    held = {
        "name": "greeter",
        "namespace": "greeter-system",
        "engine": "direct",
        "package": "greeter",
        "wanted_version": "1.1.x",
        "version": "1.0.0",
        "as_wanted": False,
        "revision": 3,
        "health": "healthy",
        "message": "greeter: it gains permissions; held until accepted",
        "pending_approval": {"digest": DIGEST, "gains": GAINS},
    }
    offered = {
        "name": "stamper",
        "engine": "olm",
        "version": "2.0.0",
        "health": "healthy",
        "upgrade": {"version": "2.2.0", "path": ["2.1.0", "2.2.0"]},
        "deprecations": ["channel stable: use stable-v2"],
    }
    failed = {
        "name": "cert-manager",
        "engine": "direct",
        "version": "1.15.0",
        "health": "failed",
        "message": "Deployment cert-manager/cert-manager has 0 of 1 replicas; </script><b>not bold</b>",
    }
    absent = {"name": "greeter", "health": "absent", "wanted_version": "1.1.x", "blocked_by": ["cert-manager"]}
    labels = {"env": "prod", "region": "eu-west"}
    return [
        {"name": "edge-1", "groups": ["edge"], "kubernetes_version": "1.36.3", "extensions": [healthy, held, offered]},
        {"name": "edge-10", "groups": ["edge"], "kubernetes_version": "1.35.1", "extensions": [healthy, {**held, "health": "degraded"}]},
        {"name": "edge-2", "groups": ["edge"], "labels": labels, "kubernetes_version": "1.36.3", "extensions": [failed, absent]},
        {"name": "prod-1", "groups": ["prod"], "reachable": False, "error": "no route to host", "wanted": [{"name": "greeter", "version": "1.1.x"}]},
    ]  # fmt: skip


def large_fleet(clusters: int = 1000, extensions: int = 30) -> list[dict[str, Any]]:
    """A fleet as large as they come: mostly well, and something of everything."""
    chance = random.Random(7)  # noqa: S311 - made up, and the same every time
    names = [
        PACKAGES[place % len(PACKAGES)] + (f"-{place}" if place >= len(PACKAGES) else "") for place in range(extensions)
    ]
    return [_cluster(place, names, chance) for place in range(clusters)]


def _cluster(place: int, names: list[str], chance: random.Random) -> dict[str, Any]:
    region, kind = REGIONS[place % 3], ("edge", "edge", "edge", "prod", "staging")[place % 5]
    told = {
        "name": f"{kind}-{region}-{place:04}",
        "groups": [kind, region],
        "labels": {"env": kind, "region": region},
        "kubernetes_version": f"1.3{4 + place % 3}.{place % 5}",
        "engine": "olm" if place % 4 == 0 else "direct",
    }
    if chance.random() < 0.012:
        wanted = [{"name": name, "version": "1.4.x"} for name in names]
        return {**told, "reachable": False, "error": "https://10.0.0.9:6443: no answer within 10 s", "wanted": wanted}
    return {
        **told,
        "extensions": [
            _row(name, str(told["name"]), str(told["engine"]), chance) for name in names if chance.random() < 0.93
        ],
    }


def _row(name: str, cluster: str, engine: str, chance: random.Random) -> dict[str, Any]:
    version = chance.choice(["1.4.2"] * 7 + ["1.4.1", "1.3.0"])
    row: dict[str, Any] = {
        "name": name,
        "namespace": name,
        "engine": engine,
        "package": name,
        "wanted_version": "1.4.x",
        "version": version,
    }
    row |= {
        "health": "healthy",
        "revision": chance.randint(1, 4) if engine == "direct" else None,
        "as_wanted": version != "1.3.0",
    }
    if version != "1.4.2":
        row["upgrade"] = {"version": "1.4.2", "path": ["1.4.1", "1.4.2"] if version == "1.3.0" else ["1.4.2"]}
    if version == "1.3.0":
        row["deprecations"] = [f"bundle {name}.v1.3.0 is deprecated: it leaks memory"]
    drawn = chance.random()
    if drawn < 0.006:
        row |= {
            "health": "failed",
            "message": f"Deployment {name}/{name} on {cluster} has 0 of 1 replicas: ImagePullBackOff",
        }
    elif drawn < 0.018:
        row |= {"health": "degraded", "message": f"differs from its revision: Deployment {name}"}
    elif drawn < 0.024:
        row |= {"health": "progressing", "message": "revision 3 is pending: a run is at work, or was broken off"}
    elif drawn < 0.030:
        row |= {
            "health": "absent",
            "version": None,
            "as_wanted": False,
            "upgrade": None,
            "deprecations": [],
            "blocked_by": ["cert-manager"],
        }
    elif drawn < 0.040:
        row["pending_approval"] = {"digest": DIGEST, "gains": GAINS}
    return row
