# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Trees for GitOps engines: what is shared, what goes, what is refused, and what a change comes to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, perform
from ansible_collections.fleet.olm.plugins.module_utils.gitops import ocm
from ansible_collections.fleet.olm.plugins.module_utils.gitops.hand_over import HandOver, object_name
from ansible_collections.fleet.olm.plugins.module_utils.gitops.rendering import Placed, Rendering
from ansible_collections.fleet.olm.plugins.modules.gitops_tree import PROGRAM

BUNDLES = Path(__file__).resolve().parents[5] / "examples" / "bundles"
GIT = "https://git.example.com/fleet.git"


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def written(dest: Path, clusters: dict[Any, Any], *, check: bool = False, **options: Any) -> dict[str, Any]:
    given = {"clusters": clusters, "dest": str(dest), **options}
    checked = ArgumentSpecValidator(dict(PROGRAM.argument_spec), **PROGRAM.constraints).validate(given)
    assert checked.error_messages == []
    return perform(PROGRAM, Call(checked.validated_parameters, check, diff=False))


def greeter(version: str = "greeter", **more: Any) -> dict[str, Any]:
    return {"name": "greeter", "namespace": "greeter-system", "source": str(BUNDLES / version), **more}


def stamper(**more: Any) -> dict[str, Any]:
    return {"name": "stamper", "namespace": "stamper-system", "source": str(BUNDLES / "stamper"), **more}


def content(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def bases(result: dict[str, Any]) -> set[str]:
    return {name.split("/")[1] for name in result["files"] if name.startswith("bases/")}


def test_the_same_fleet_gives_the_same_bytes(tmp_path: Path) -> None:
    fleet = {"b": [stamper(), greeter(create_namespace=True)], "a": [greeter()]}
    turned = {"a": [greeter()], "b": [greeter(create_namespace=True), stamper()]}
    hand_over = [{"to": "argocd", "repository": GIT}, {"to": "flux", "repository": GIT}, {"to": "ocm"}]
    predicted = written(tmp_path / "one", fleet, check=True, hand_over=hand_over)
    assert not (tmp_path / "one").exists()
    first = written(tmp_path / "one", fleet, hand_over=hand_over)
    before = content(tmp_path / "one")
    again = written(tmp_path / "one", turned, hand_over=hand_over)
    other = written(tmp_path / "two", turned, hand_over=list(reversed(hand_over)))
    assert [one["changed"] for one in (predicted, first, again, other)] == [True, True, False, True]
    assert content(tmp_path / "one") == before == content(tmp_path / "two")
    assert sorted(before) == first["files"] == predicted["files"]
    assert "Nothing that runs on a cluster changes." in again["summary"]


def test_clusters_that_run_the_same_share_a_base(tmp_path: Path) -> None:
    fleet = {f"c{number}": [greeter()] for number in range(3)}
    assert len(bases(written(tmp_path, fleet))) == 1
    fleet["c2"] = [greeter(config={"watchNamespace": "greeter-system"})]
    changed = written(tmp_path, fleet)
    assert len(bases(changed)) == 2
    assert [(item["from"], item["to"], item["clusters"]) for item in changed["changes"]] == [("1.0.0", "1.0.0", ["c2"])]
    assert "1.0.0 (configured otherwise)" in changed["summary"]


def test_what_no_longer_belongs_goes_and_all_else_stays(tmp_path: Path) -> None:
    written(tmp_path, {"a": [greeter(), stamper()], "b": [greeter()]}, hand_over=[{"to": "argocd", "repository": GIT}])
    (tmp_path / "clusters" / "b" / "notes.yaml").write_text("mine: true\n")
    (tmp_path / "README.md").write_text("mine\n")
    after = written(tmp_path, {"a": [greeter()]})
    assert sorted(content(tmp_path)) == sorted([*after["files"], "README.md", "clusters/b/notes.yaml"])
    assert {path.name for path in tmp_path.iterdir()} == {"README.md", "bases", "clusters"}
    assert [(item["extension"], item["to"], item["clusters"]) for item in after["changes"]] == [
        ("greeter", None, ["b"]),
        ("stamper", None, ["a"]),
    ]


def test_a_file_of_somebody_else_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "clusters" / "a").mkdir(parents=True)
    (tmp_path / "clusters" / "a" / "kustomization.yaml").write_text("mine: true\n")
    result = written(tmp_path, {"a": [greeter()]})
    assert (
        "holds files that were not written here and would be replaced: clusters/a/kustomization.yaml" in result["msg"]
    )
    assert content(tmp_path) == {"clusters/a/kustomization.yaml": b"mine: true\n"}


def test_permissions_that_are_gained_are_told_with_the_clusters(tmp_path: Path) -> None:
    written(tmp_path, {"a": [greeter()], "b": [greeter()]})
    result = written(tmp_path, {"a": [greeter("greeter-1.1.0")], "b": [greeter()]}, summary_dest=str(tmp_path / "s.md"))
    sentence = "may read and list Secrets in all namespaces (service account greeter)"
    assert [(item["from"], item["to"], item["clusters"]) for item in result["changes"]] == [("1.0.0", "1.1.0", ["a"])]
    assert result["changes"][0]["permissions_gained"] == [sentence]
    assert "deployment-greeter-controller" in result["changes"][0]["objects"]["changed"]
    assert result["summary"].endswith(f"### Permissions gained\n\ngreeter 1.0.0 → 1.1.0, on a:\n\n- {sentence}\n")
    assert (tmp_path / "s.md").read_text() == result["summary"]


REFUSED: dict[str, tuple[dict[Any, Any], list[dict[str, Any]], list[str]]] = {
    "everything at once": (
        {
            "a/b": [],
            "c": "greeter",
            "d": [greeter(nmaespace="x"), {"name": "x"}, greeter(create_namespace="yes")],
            "e": [greeter(certificate_provider="vault"), greeter(image_mirrors=[{"source": "x"}]), "greeter"],
            "f": [greeter(), greeter()],
        },
        [],
        [
            "clusters.a/b: the name becomes a folder; use letters, digits, '.', '_' and '-'",
            "clusters.c: must be a list of extensions",
            "clusters.d[0]: 'nmaespace' is unknown, did you mean 'namespace'?",
            "clusters.d[1].namespace is missing",
            "clusters.d[1].source is missing",
            "clusters.d[2].create_namespace must be true or false",
            "clusters.e[0].certificate_provider is 'vault'; it must be one of cert-manager, openshift-service-ca, none",
            "clusters.e[1].image_mirrors must be a list of mappings with source and mirror",
            "clusters.e[2]: must be a mapping with name, namespace and source",
            "clusters.f: greeter is there twice",
        ],
    ),
    "a configuration, told once": (
        {"a": [greeter(config={"watchNamespaces": "x"})], "b": [greeter(config={"watchNamespaces": "x"})]},
        [],
        [
            "a, b: greeter: invalid bundle configuration: unknown key 'watchNamespaces', did you mean 'watchNamespace'?",
        ],
    ),
    "the same object twice": (
        {name: [greeter(), {**greeter(), "name": "other"}] for name in ("a", "b")},
        [],
        ["a, b: greeter and other both bring ServiceAccount greeter-system/greeter"],
    ),
    "a hub without such a namespace": (
        {"A_b": [greeter()]},
        [{"to": "ocm"}],
        ["clusters.A_b: the hub of Open Cluster Management has a namespace of this name; use lower case letters, digits and '-'"],
    ),
    "no repository": ({}, [{"to": "flux"}], ["hand_over[0].repository: flux needs the URL that it reads the tree from"]),
    "a kind of another": ({}, [{"to": "ocm", "kind": "Application"}], ["hand_over[0].kind: Application is not of ocm"]),
    "twice the same": ({}, [{"to": "ocm"}, {"to": "ocm"}], ["hand_over[1]: ocm is named twice"]),
    "out of the repository": (
        {},
        [{"to": "argocd", "repository": GIT, "path": "a/../../b"}],
        ["hand_over[0].path: 'a/../../b' must lie within the repository"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_written_is_refused_before_anything_is(case: str, tmp_path: Path) -> None:
    clusters, hand_over, messages = REFUSED[case]
    result = written(tmp_path / "tree", clusters, hand_over=hand_over)
    assert result["failed"]
    for message in messages:
        assert message in result["msg"]
    assert not (tmp_path / "tree").exists()


def read(directory: Path, name: str) -> Any:
    return yaml.safe_load((directory / name).read_text())


def test_flux_on_each_cluster_or_on_a_hub(tmp_path: Path) -> None:
    flux = {"to": "flux", "repository": "oci://registry.example.com/fleet", "revision": "sha256:1234", "path": "/here/"}
    written(tmp_path, {"a": [greeter()], "b": [greeter()]}, hand_over=[flux])
    assert read(tmp_path, "flux/a/ocirepository-operators.yaml")["spec"]["ref"] == {"digest": "sha256:1234"}
    assert read(tmp_path, "flux/b/kustomization-operators.yaml")["spec"]["path"] == "./here/clusters/b"
    assert not (tmp_path / "flux" / "kustomization.yaml").exists()
    hub = {**flux, "kubeconfig_secret": "{cluster}-kubeconfig", "repository": GIT, "revision": "refs/tags/v1"}
    written(tmp_path, {"a": [greeter()], "b": [greeter()]}, hand_over=[hub])
    assert not (tmp_path / "flux" / "a").exists()
    assert read(tmp_path, "flux/gitrepository-operators.yaml")["spec"]["ref"] == {"name": "refs/tags/v1"}
    remote = read(tmp_path, "flux/kustomization-operators-b.yaml")["spec"]["kubeConfig"]
    assert remote == {"secretRef": {"name": "b-kubeconfig"}}


def test_works_of_a_hub_keep_data(tmp_path: Path) -> None:
    written(tmp_path, {"a": [greeter(create_namespace=True)]}, hand_over=[{"to": "ocm"}])
    work = read(tmp_path, "ocm/a/manifestwork-greeter.yaml")
    assert work["metadata"] == {"name": "greeter", "namespace": "a"}
    assert work["spec"]["deleteOption"]["selectivelyOrphans"]["orphaningRules"] == [
        {"group": "", "resource": "namespaces", "name": "greeter-system"},
        {
            "group": "apiextensions.k8s.io",
            "resource": "customresourcedefinitions",
            "name": "greetings.greeter.example.com",
        },
    ]
    assert [item["kind"] for item in work["spec"]["workload"]["manifests"]][:2] == [
        "Namespace",
        "CustomResourceDefinition",
    ]


def test_sets_of_a_hub_are_of_clusters_that_run_alike(tmp_path: Path) -> None:
    fleet = {"a": [greeter()], "b": [greeter()], "c": [greeter("greeter-1.1.0")]}
    result = written(tmp_path, fleet, hand_over=[{"to": "ocm", "kind": "ManifestWorkReplicaSet", "namespace": "fleet"}])
    sets = [name for name in result["files"] if name.startswith("ocm/manifestworkreplicaset-")]
    assert len(sets) == 2
    placement = read(tmp_path, "ocm/placement-greeter.yaml")["spec"]["predicates"][0]["requiredClusterSelector"]
    assert placement["labelSelector"]["matchExpressions"] == [{"key": "name", "operator": "In", "values": ["a", "b"]}]
    work = read(tmp_path, "ocm/manifestworkreplicaset-greeter.yaml")
    assert (work["metadata"], work["spec"]["placementRefs"]) == (
        {"name": "greeter", "namespace": "fleet"},
        [{"name": "greeter"}],
    )


def config_map(name: str, size: int) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"text": "x" * size}}


def placed(*manifests: dict[str, Any]) -> dict[str, Placed]:
    rendering = Rendering(
        "big", "home", {"name": "big.v1", "package": "big", "version": "1.0.0"}, manifests, "sha256:1"
    )
    return {"a": Placed((rendering,), ())}


def test_a_work_that_would_be_too_large_becomes_several() -> None:
    half = ocm.LARGEST_WORK // 2
    files = ocm.ocm_files(placed(*(config_map(name, half) for name in "xyz")), HandOver("ocm", "ManifestWork"))
    assert sorted(files) == [
        "a/kustomization.yaml",
        *(f"a/manifestwork-big{number}.yaml" for number in ("-2", "-3", "")),
        "kustomization.yaml",
    ]


def test_an_object_that_no_work_takes_is_told() -> None:
    given = placed(config_map("huge", ocm.LARGEST_WORK))
    with pytest.raises(Exception, match=r"big: the ConfigMap 'huge' has \d+ bytes; a ManifestWork takes \d+"):
        ocm.ocm_files(given, HandOver("ocm", "ManifestWork"))


def test_names_of_two_clusters_never_become_one() -> None:
    given = ["prod-1", "prod_1", "Prod-1", "prod 1", "prod.1"]
    names = [object_name("operators", cluster) for cluster in given]
    assert names[0] == "operators-prod-1"
    assert len(set(names)) == len(given)
    assert all(re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", name) for name in names)
    assert len(object_name("operators", "X" * 300)) <= 253
