# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plain manifests through a ClusterServiceVersion and back to manifests: the operator may do the same and runs the same.

FLEET_OLM_FUZZ sets how many operators are made up, FLEET_OLM_SEED where chance begins.
"""

from __future__ import annotations

import os
import random
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.plugins.module_utils.bundle.facts import bundle_facts
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import read_directory
from ansible_collections.fleet.olm.plugins.module_utils.config.parse import Config
from ansible_collections.fleet.olm.plugins.module_utils.config.schema import schema_of
from ansible_collections.fleet.olm.plugins.module_utils.errors import FleetError
from ansible_collections.fleet.olm.plugins.module_utils.rbac.grants import grants_of
from ansible_collections.fleet.olm.plugins.module_utils.render.pipeline import digest, render

from .given import HOME, api_service, binding, crd, deployment, effective, olm, role, rule, service, webhooks, write

TIMES = int(os.environ.get("FLEET_OLM_FUZZ", "200"))
SEED = int(os.environ.get("FLEET_OLM_SEED", "0")) or secrets.randbelow(2**31)
ROOT = Path(__file__).resolve().parents[5]


def running(manifests: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What is run: pods by Deployment, without what OLM adds."""
    pods = {
        item["metadata"]["name"]: item["spec"]["template"]["spec"] for item in manifests if item["kind"] == "Deployment"
    }
    return {
        name: {
            "account": pod.get("serviceAccountName"),
            "containers": [
                {key: item.get(key) or None for key in ("image", "args", "volumeMounts")} for item in pod["containers"]
            ],
            "volumes": pod.get("volumes") or None,
        }
        for name, pod in pods.items()
    }


def annotated(manifests: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The annotations of Deployments themselves."""
    return {
        item["metadata"]["name"]: item["metadata"].get("annotations") or None
        for item in manifests
        if item["kind"] == "Deployment"
    }


def rendered(root: Path, config: Mapping[str, Any], namespace: str = HOME) -> tuple[dict[str, Any], ...]:
    bundle = read_directory(root)
    return render(bundle, Config.parse(config or None, schema_of(bundle), namespace), namespace, None)


def made_up(chance: random.Random) -> list[dict[str, Any]]:
    """An operator of one to three Deployments, with roles, bindings and volumes as it comes."""
    accounts = ["tea", "kettle", "cup"][: chance.randint(1, 3)]
    manifests = []
    for account in accounts:
        volumes = [{"name": f"v{number}", "emptyDir": {}} for number in range(chance.randint(0, 2))]
        mounts = [{"name": volume["name"], "mountPath": f"/{volume['name']}"} for volume in volumes]
        container = {"name": "manager", "image": f"registry.example.com/{account}:{chance.randint(1, 9)}"}
        container.update({"args": [f"--{chance.choice('abc')}"], "volumeMounts": mounts})  # type: ignore[dict-item]
        made = deployment(account, chance.choice([account, "tea"]), containers=[container], volumes=volumes)
        if chance.random() < 0.5:
            made["metadata"]["annotations"] = {"example.com/owner": account}
        manifests.append(made)
    roles = []
    for number in range(chance.randint(0, 5)):
        rules = [
            rule(
                chance.choice(["", "apps", "drinks.example.com"]),
                chance.choice(["pods", "teas", "deployments/scale"]),
                *verbs,
            )
            for verbs in (
                chance.sample(["get", "list", "watch", "create"], chance.randint(1, 3))
                for _one in range(chance.randint(0, 3))
            )
        ]
        if chance.random() < 0.2:
            rules.append({"nonResourceURLs": ["/metrics"], "verbs": ["get"]})
        kind = chance.choice(["Role", "ClusterRole"])
        labels = {"gather": "me"} if kind == "ClusterRole" and chance.random() < 0.5 else None
        roles.append(role(f"r{number}", *rules, kind=kind, labels=labels))
    if chance.random() < 0.3:
        roles.append(role("gathering", aggregationRule={"clusterRoleSelectors": [{"matchLabels": {"gather": "me"}}]}))
    manifests += roles
    for number in range(chance.randint(0, 6) if roles else 0):
        bound = chance.choice(roles)
        kind = "RoleBinding" if bound["kind"] == "Role" else chance.choice(["RoleBinding", "ClusterRoleBinding"])
        subjects = chance.sample([*accounts, "stranger"], chance.randint(1, len(accounts) + 1))
        manifests.append(
            binding(f"b{number}", *subjects, kind=kind, role_kind=bound["kind"], to=bound["metadata"]["name"])
        )
    chance.shuffle(manifests)
    return manifests


@pytest.mark.parametrize("number", range(TIMES // 5))
def test_an_operator_may_do_and_runs_what_its_manifests_say(number: int, tmp_path: Path) -> None:
    chance = random.Random(SEED + number)  # noqa: S311 - tests need the same chance again, not a secret one
    manifests = made_up(chance)
    out = rendered(write(tmp_path, olm(), *manifests), {"watchNamespace": HOME})
    assert effective(out) == effective(manifests), f"FLEET_OLM_SEED={SEED + number}"
    assert running(out) == running(manifests), f"FLEET_OLM_SEED={SEED + number}"
    assert annotated(out) == annotated(manifests), f"FLEET_OLM_SEED={SEED + number}"
    names = [(item["kind"], item["metadata"]["name"]) for item in out]
    # Two bindings of one role to one account are one permission, which OLM v1 writes twice, the same each time.
    assert len({digest([item]) for item in out}) == len(set(names))


def test_what_a_cluster_leaves_on_a_deployment_is_not_applied(tmp_path: Path) -> None:
    given = deployment()
    given["metadata"]["annotations"] = {"deployment.kubernetes.io/revision": "3", "example.com/owner": "tea"}
    out = rendered(write(tmp_path, olm(), given), {"watchNamespace": HOME})
    assert annotated(out) == {"tea": {"example.com/owner": "tea"}}


def test_watching_all_namespaces_lifts_what_roles_allow(tmp_path: Path) -> None:
    manifests = [deployment(), role("r", rule("", "secrets"), kind="Role"), binding("r", "tea", kind="RoleBinding")]
    out = rendered(write(tmp_path, olm(), *manifests), {})
    read = {"verbs": ["get", "list", "watch"], "apiGroups": [""], "resources": ["namespaces"]}
    assert effective(out) == grants_of([rule("", "secrets"), read], "everywhere", "tea")


def test_the_example_of_the_proposal_is_rendered_as_it_was_written() -> None:
    root = ROOT / "examples" / "bundles" / "kiali-k8sv1"
    manifests = [
        item
        for path in sorted(root.glob("*.yaml"))
        for item in yaml.safe_load_all(path.read_text())
        if item and "kind" in item
    ]
    out = rendered(root, {"watchNamespace": HOME})
    assert effective(out) == effective(manifests)
    assert running(out) == running(manifests)


STRANGE: tuple[Any, ...] = (
    None, True, 0, -1, 2**64, 1.5, float("nan"), "", "x", "*", "yes", "\x00", [], [None], [[]], {}, {"": None}, {"a": {"b": []}}, {1: 2}, {None: 1},
)  # fmt: skip
SEEDS = [
    olm(
        apis=[
            {
                "apiVersion": "cups.example.com/v1",
                "kind": "Cup",
                "descriptors": [{"path": "spec.a", "capabilities": ["x"]}],
            }
        ],
        icon=[{"base64data": "x", "mediatype": "y"}],
        packageDependencies=[{"packageName": "a", "version": "1.0.0"}],
        annotations={"a": "b"},
        selector={"matchLabels": {"a": "b"}},
    ),
    deployment(volumes=[{"name": "v", "emptyDir": {}}]),
    role(
        "r",
        rule("cups.example.com", "cups"),
        aggregationRule={"clusterRoleSelectors": [{"matchExpressions": [{"key": "k"}]}]},
    ),
    binding("r", "tea", optional=True),
    role("s", rule(), kind="Role"),
    binding("s", "tea", kind="RoleBinding"),
    service(),
    webhooks(),
    api_service(),
    {**crd(), "apiVersion": "apiextensions.k8s.io/v1beta1"},
]


def spoiled(value: Any, chance: random.Random) -> Any:
    """The value with one thing in it replaced by something strange."""
    if chance.random() < 0.15 or not isinstance(value, (dict, list)) or not value:
        return chance.choice(STRANGE)
    key = chance.choice(list(value) if isinstance(value, dict) else range(len(value)))
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    if chance.random() < 0.1:
        del copy[key]
    else:
        copy[key] = spoiled(copy[key], chance)
    return copy


@pytest.mark.parametrize("number", range(TIMES))
def test_whatever_a_bundle_holds_it_is_read_or_refused_in_words(number: int, tmp_path: Path) -> None:
    chance = random.Random(SEED + number)  # noqa: S311 - tests need the same chance again, not a secret one
    parts = list(SEEDS)
    for _time in range(chance.randint(1, 3)):
        at = chance.randrange(len(parts))
        parts[at] = spoiled(parts[at], chance)
    try:
        root = write(tmp_path, *parts)
    except yaml.YAMLError:
        return
    try:
        bundle = read_directory(root)
        bundle_facts(bundle)
        render(bundle, Config.parse(None, schema_of(bundle), "home"), "home", "cert-manager")
    except FleetError as error:
        refused = str(error)
        assert refused.strip(), f"FLEET_OLM_SEED={SEED + number}"
