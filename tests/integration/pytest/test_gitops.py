# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Trees for GitOps engines: the role's own example, kustomize as an independent reader, and API servers that know the engines' types.

The CustomResourceDefinitions are written by hand, with the names of fields that the engines' own have, as far as objects here use them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, perform
from ansible_collections.fleet.olm.plugins.modules import bundle_render, gitops_tree
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster
from ansible_collections.fleet.olm.tests.rig.definitions import add_crds, minimal_crd
from ansible_collections.fleet.olm.tests.rig.rig import Rig

ROOT = Path(__file__).resolve().parents[3]
BUNDLES = ROOT / "examples" / "bundles"
README = ROOT / "roles" / "gitops" / "README.md"
KUBECTL = shutil.which("kubectl")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def called(module: Any, **options: Any) -> dict[str, Any]:
    program = module.PROGRAM
    checked = ArgumentSpecValidator(dict(program.argument_spec), **program.constraints).validate(options)
    assert checked.error_messages == []
    result = perform(program, Call(checked.validated_parameters, check_mode=False, diff=False))
    assert not result.get("failed"), result["msg"]
    return result


def content(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_the_example_of_the_role_runs_and_is_stable(tmp_path: Path) -> None:
    inventory, play = re.findall(r"```yaml\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "inventory.yml").write_text(inventory)
    (tmp_path / "play.yml").write_text(play)
    (tmp_path / "examples").symlink_to(ROOT / "examples")

    def run(*more: str, succeeds: bool = True) -> str:
        words = [str(Path(sys.executable).parent / "ansible-playbook"), "-i", "inventory.yml", "play.yml", *more]
        environment = {**os.environ, "ANSIBLE_NOCOLOR": "1", "ANSIBLE_HOME": str(tmp_path / "ansible")}
        ran = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert (ran.returncode == 0) == succeeds, ran.stdout + ran.stderr
        return ran.stdout + ran.stderr

    assert "changed=1" in run("--check")
    assert not (tmp_path / "tree").exists()
    assert "changed=1" in run()
    before = content(tmp_path / "tree")
    assert {name.split("/")[1] for name in before if name.startswith("clusters/")} == {"canary", "edge-1", "edge-2"}
    assert len({name.split("/")[1] for name in before if name.startswith("bases/")}) == 2
    assert "| greeter | – | 1.0.0 | edge-1, edge-2 |" in (tmp_path / "pull-request.md").read_text()
    # The summary of the second run says that nothing changes; after that nothing does.
    run()
    assert "changed=0" in run()
    assert content(tmp_path / "tree") == before
    # A misspelt variable does not mean that the cluster runs nothing.
    (tmp_path / "inventory.yml").write_text(inventory + '      gitops_extensions: "{{ misspelt }}"\n')
    assert "'misspelt' is undefined" in run(succeeds=False)
    assert content(tmp_path / "tree") == before


FLEET = {
    "edge-1": [
        {
            "name": "greeter",
            "namespace": "greeter-system",
            "create_namespace": True,
            "source": str(BUNDLES / "greeter"),
            "config": {"watchNamespace": "greeter-system"},
        },
        {"name": "kiali", "namespace": "kiali-operator", "source": str(BUNDLES / "kiali-k8sv1")},
    ],
    "edge-2": [{"name": "stamper", "namespace": "stamper-system", "source": str(BUNDLES / "stamper")}],
}
GIT = {"repository": "https://git.example.com/fleet.git", "path": "tree"}
HAND_OVERS = [
    [{"to": "argocd", **GIT}, {"to": "flux", **GIT}, {"to": "ocm"}],
    [
        {"to": "argocd", "kind": "ApplicationSet", **GIT},
        {"to": "flux", "repository": "oci://registry.example.com/fleet", "kubeconfig_secret": "{cluster}-kubeconfig"},
        {"to": "ocm", "kind": "ManifestWorkReplicaSet"},
    ],
]


@pytest.mark.skipif(KUBECTL is None, reason="kubectl is not installed")
def test_kustomize_finds_what_was_rendered(tmp_path: Path) -> None:
    called(gitops_tree, clusters=FLEET, dest=str(tmp_path), hand_over=HAND_OVERS[0])
    for cluster, extensions in FLEET.items():
        ran = subprocess.run(
            [str(KUBECTL), "kustomize", str(tmp_path / "clusters" / cluster)],
            capture_output=True,
            check=True,
            text=True,
        )
        found = {json.dumps(without_marks(item), sort_keys=True) for item in yaml.safe_load_all(ran.stdout)}
        wanted = [
            manifest
            for extension in extensions
            for manifest in called(
                bundle_render,
                **{key: value for key, value in extension.items() if key not in ("name", "create_namespace")},
            )["manifests"]
        ]
        wanted += [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": extension["namespace"]}}
            for extension in extensions
            if extension.get("create_namespace")
        ]
        assert found == {json.dumps(item, sort_keys=True) for item in wanted}
        kept = [item for item in yaml.safe_load_all(ran.stdout) if item["kind"] in KEPT]
        assert kept
        assert all(set(item["metadata"]["annotations"]) >= MARKS for item in kept)


@pytest.mark.skipif(KUBECTL is None, reason="kubectl is not installed")
def test_extensions_may_bring_the_same_crd(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    shutil.copytree(BUNDLES / "greeter", bundle)
    file = bundle / "manifests" / "greeter.clusterserviceversion.yaml"
    csv = yaml.safe_load(file.read_text())
    del csv["spec"]["install"]["spec"]["clusterPermissions"]
    file.write_text(yaml.safe_dump(csv))
    extensions = [
        {"name": name, "namespace": name, "source": str(bundle), "config": {"watchNamespace": name}}
        for name in ("team-a", "team-b")
    ]
    called(gitops_tree, clusters={"edge-1": extensions}, dest=str(tmp_path / "tree"))
    words = [str(KUBECTL), "kustomize", str(tmp_path / "tree" / "clusters" / "edge-1")]
    found = list(yaml.safe_load_all(subprocess.run(words, capture_output=True, check=True, text=True).stdout))
    assert [item["kind"] for item in found].count("CustomResourceDefinition") == 1
    assert [item["kind"] for item in found].count("Deployment") == 2


KEPT = ("CustomResourceDefinition", "Namespace")
MARKS = {"argocd.argoproj.io/sync-options", "kustomize.toolkit.fluxcd.io/prune"}


def without_marks(manifest: dict[str, Any]) -> dict[str, Any]:
    if manifest["kind"] not in KEPT:
        return manifest
    metadata = dict(manifest["metadata"])
    annotations = {key: value for key, value in metadata.pop("annotations").items() if key not in MARKS}
    return {**manifest, "metadata": {**metadata, **({"annotations": annotations} if annotations else {})}}


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


TEXT: dict[str, Any] = {"type": "string"}
FLAG: dict[str, Any] = {"type": "boolean"}
DURATION = {"type": "string", "pattern": r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$"}
NAMED = of(name=TEXT)


def many(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


APPLICATION = of(
    project=TEXT,
    source=of(repoURL=TEXT, targetRevision=TEXT, path=TEXT),
    destination=of(name=TEXT, server=TEXT, namespace=TEXT),
    syncPolicy=of(automated=of(prune=FLAG, selfHeal=FLAG, allowEmpty=FLAG), syncOptions=many(TEXT)),
)
ANY_OBJECT = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
WORK = of(
    workload=of(manifests=many(ANY_OBJECT)),
    deleteOption=of(
        propagationPolicy={"type": "string", "enum": ["Foreground", "Orphan", "SelectivelyOrphan"]},
        selectivelyOrphans=of(
            orphaningRules=many(
                {**of(group=TEXT, name=TEXT, namespace=TEXT, resource=TEXT), "required": ["name", "resource"]}
            )
        ),
    ),
)
LABELS = of(
    matchLabels={"type": "object", "additionalProperties": TEXT},
    matchExpressions=many(of(key=TEXT, operator=TEXT, values=many(TEXT))),
)
# Group, version, kind, plural: the spec of the objects.
TYPES: dict[tuple[str, str, str, str], dict[str, Any]] = {
    ("argoproj.io", "v1alpha1", "Application", "applications"): APPLICATION,
    ("argoproj.io", "v1alpha1", "ApplicationSet", "applicationsets"): of(
        goTemplate=FLAG,
        goTemplateOptions=many(TEXT),
        generators=many(of(git=of(repoURL=TEXT, revision=TEXT, directories=many(of(path=TEXT, exclude=FLAG))))),
        syncPolicy=of(preserveResourcesOnDeletion=FLAG),
        template=of(metadata=of(name=TEXT, namespace=TEXT), spec=APPLICATION),
    ),
    ("kustomize.toolkit.fluxcd.io", "v1", "Kustomization", "kustomizations"): of(
        interval=DURATION,
        path=TEXT,
        prune=FLAG,
        wait=FLAG,
        timeout=DURATION,
        sourceRef=of(kind={"type": "string", "enum": ["OCIRepository", "GitRepository", "Bucket"]}, name=TEXT, namespace=TEXT),
        kubeConfig=of(secretRef=of(name=TEXT, key=TEXT)),
    ),
    ("source.toolkit.fluxcd.io", "v1", "GitRepository", "gitrepositories"): of(
        interval=DURATION,
        url={"type": "string", "pattern": "^(http|https|ssh)://.*$"},
        ref=of(branch=TEXT, tag=TEXT, semver=TEXT, name=TEXT, commit=TEXT),
    ),
    ("source.toolkit.fluxcd.io", "v1", "OCIRepository", "ocirepositories"): of(
        interval=DURATION, url={"type": "string", "pattern": "^oci://.*$"}, ref=of(tag=TEXT, digest=TEXT, semver=TEXT)
    ),
    ("work.open-cluster-management.io", "v1", "ManifestWork", "manifestworks"): WORK,
    ("work.open-cluster-management.io", "v1alpha1", "ManifestWorkReplicaSet", "manifestworkreplicasets"): of(
        manifestWorkTemplate=WORK,
        placementRefs=many({**NAMED, "required": ["name"]}),
    ),
    ("cluster.open-cluster-management.io", "v1beta1", "Placement", "placements"): of(
        predicates=many(of(requiredClusterSelector=of(labelSelector=LABELS))),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def hub(rig: Rig) -> Cluster:
    """An API server that knows the engines' types, and has their namespaces."""
    cluster = rig.add_cluster("hub")
    crds = (
        minimal_crd(group, plural, kind, version, scope="Namespaced", **spec["properties"])
        for (group, version, kind, plural), spec in TYPES.items()
    )
    add_crds(cluster, *crds)
    for name in ("argocd", "flux-system", *FLEET):
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        cluster.request("POST", "/api/v1/namespaces", namespace)
    return cluster


@pytest.mark.parametrize(
    ("hand_over", "kinds"),
    [
        (HAND_OVERS[0], {"Application", "Kustomization", "GitRepository", "ManifestWork"}),
        (HAND_OVERS[1], {"ApplicationSet", "Kustomization", "OCIRepository", "ManifestWorkReplicaSet", "Placement"}),
    ],
    ids=["one by one", "sets"],
)
def test_engines_know_every_field(
    hand_over: list[dict[str, Any]], kinds: set[str], hub: Cluster, tmp_path: Path
) -> None:
    files = called(gitops_tree, clusters=FLEET, dest=str(tmp_path), hand_over=hand_over)["files"]
    plurals = {(f"{group}/{version}", kind): plural for (group, version, kind, plural) in TYPES}
    sent = set()
    for name in files:
        if name.startswith(("bases/", "clusters/")) or name.endswith("/kustomization.yaml"):
            continue
        manifest = yaml.safe_load((tmp_path / name).read_text())
        key = (manifest["apiVersion"], manifest["kind"])
        path = f"/apis/{key[0]}/namespaces/{manifest['metadata']['namespace']}/{plurals[key]}"
        hub.request("POST", f"{path}?fieldValidation=Strict&dryRun=All", manifest)
        sent.add(manifest["kind"])
    assert sent == kinds
