# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The roles that docs/olm.md prints, given to a user, and what of them a run used."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import yaml
from ansible_collections.fleet.olm.tests.rig.cluster import LIMITED, Cluster
from ansible_collections.fleet.olm.tests.rig.faults import Request

ROOT = Path(__file__).resolve().parents[3]
ROLES = {
    name: yaml.safe_load(rules)
    for name, rules in re.findall(
        r"```yaml\n# role: (\S+)\n(.*?)```", (ROOT / "docs" / "olm.md").read_text(encoding="utf-8"), re.DOTALL
    )
}
RBAC = "/apis/rbac.authorization.k8s.io/v1"
VERBS = {"PATCH": "patch", "POST": "create", "DELETE": "delete"}


def give(server: Cluster, name: str) -> None:
    """Let the user with few rights hold a role of the documentation."""
    server.request("POST", f"{RBAC}/clusterroles", {"metadata": {"name": name}, "rules": ROLES[name]})
    subjects = [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": LIMITED}]
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}
    binding = {"metadata": {"name": name}, "subjects": subjects, "roleRef": reference}
    server.request("POST", f"{RBAC}/clusterrolebindings", binding)


def take_away(server: Cluster, name: str) -> None:
    """Let them hold it no more."""
    server.request("DELETE", f"{RBAC}/clusterrolebindings/{name}")
    server.request("DELETE", f"{RBAC}/clusterroles/{name}")


def documented(role: str) -> set[tuple[str, str, str]]:
    return {
        (verb, group, resource)
        for rule in ROLES[role]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def used(requests: Iterable[Request]) -> set[tuple[str, str, str]]:
    return {found for request in requests if (found := asked(request)) is not None}


def asked(request: Request) -> tuple[str, str, str] | None:
    """Verb, group and resource of a request."""
    parts = urlsplit(request.path)
    path = parts.path.strip("/").split("/")
    if path[0] == "api":
        group, rest = "", path[2:]
    elif path[0] == "apis" and len(path) > 3:
        group, rest = path[1], path[3:]
    else:
        return None
    if rest[:1] == ["namespaces"] and len(rest) > 2:
        rest = rest[2:]
    resource = f"{rest[0]}/proxy" if "proxy" in rest else rest[0]
    watched = "watch" in parse_qs(parts.query)
    return VERBS.get(request.method, "watch" if watched else "get" if len(rest) > 1 else "list"), group, resource
