# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What each source makes of what it finds, and what it refuses."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.plugins.inventory import clusters as plugin
from ansible_collections.fleet.olm.plugins.module_utils.cluster import authentication
from ansible_collections.fleet.olm.plugins.module_utils.errors import OptionError
from ansible_collections.fleet.olm.plugins.module_utils.inventory.argocd import deployed_cluster
from ansible_collections.fleet.olm.plugins.module_utils.inventory.cluster_api import made_cluster
from ansible_collections.fleet.olm.plugins.module_utils.inventory.collect import (
    COMMON,
    SOURCES,
    Fleet,
    Host,
    checked_sources,
    collect,
)
from ansible_collections.fleet.olm.plugins.module_utils.inventory.managed_clusters import managed_cluster
from ansible_collections.fleet.olm.plugins.module_utils.inventory.model import Cluster, Settings
from ansible_collections.fleet.olm.plugins.module_utils.inventory.names import unique
from ansible_collections.fleet.olm.plugins.module_utils.inventory.options import CONNECTION

SETTINGS = Settings(base="/inventory", probe=False)
SERVER = "https://edge.example.com:6443"


def kubeconfig(*contexts: str, user: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": f"c-{name}", "cluster": {"server": f"https://{name}.example.com"}} for name in contexts],
        "users": [{"name": "me", "user": user if user is not None else {"token": "t0p"}}],
        "contexts": [{"name": name, "context": {"cluster": f"c-{name}", "user": "me"}} for name in contexts],
        **more,
    }


def written(directory: Path, name: str, content: Any) -> Path:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content), encoding="utf-8")
    return path


def fleet(directory: Path, *sources: Any, **settings: Any) -> Fleet:
    chosen = Settings(base=str(directory), probe=False, **settings)
    return collect(list(sources), chosen, str(directory / "clusters.yml"), directory / "credentials")


def hosts(directory: Path, *sources: Any, **settings: Any) -> dict[str, Host]:
    return {host.name: host for host in fleet(directory, *sources, **settings).hosts}


# kubeconfig files


def test_every_context_of_every_file_is_a_host(tmp_path: Path) -> None:
    one = written(tmp_path, "fleet/one.yaml", kubeconfig("a", "b"))
    two = written(tmp_path, "fleet/two.yaml", kubeconfig("c"))
    found = hosts(tmp_path, {"kubeconfig": "fleet/*.yaml"})
    assert [(name, host.variables["kubeconfig"], host.variables["context"]) for name, host in found.items()] == [
        ("a", str(one), "a"),
        ("b", str(one), "b"),
        ("c", str(two), "c"),
    ]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"kubeconfig": "fleet"}, ["a", "b", "c"]),
        ({"kubeconfig": ["fleet/one.yaml"]}, ["a", "b"]),
        ({"kubeconfig": ["fleet/one.yaml", "fleet/*.yaml"]}, ["a", "b", "c"]),
        ({"kubeconfig": "**/*.yaml"}, ["a", "b", "c"]),
        ({"kubeconfig": "fleet", "contexts": ["[bc]"]}, ["b", "c"]),
        ({"kubeconfig": "fleet", "contexts": "a"}, ["a"]),
    ],
)
def test_paths_folders_and_globs(tmp_path: Path, given: dict[str, Any], expected: list[str]) -> None:
    written(tmp_path, "fleet/one.yaml", kubeconfig("a", "b"))
    written(tmp_path, "fleet/two.yaml", kubeconfig("c"))
    written(tmp_path, "fleet/readme.md", "none of ours")
    written(tmp_path, "fleet/.hidden.yaml", "none of ours")
    assert list(hosts(tmp_path, given)) == expected


def test_a_kubeconfig_says_more_in_an_extension(tmp_path: Path) -> None:
    config = kubeconfig("a")
    said = {"labels": {"env": "prod", "tier": 1}, "region": "eu-west-1"}
    config["clusters"][0]["cluster"]["extensions"] = [{"name": "fleet.olm", "extension": {"provider": "aws"}}]
    config["contexts"][0]["context"]["extensions"] = [{"name": "other"}, {"name": "fleet.olm", "extension": said}]
    written(tmp_path, "one.yaml", config)
    host = hosts(tmp_path, {"kubeconfig": "one.yaml", "labels": {"env": "test", "team": "x"}})["a"]
    assert host.variables["labels"] == {"env": "prod", "tier": "1", "team": "x"}
    assert host.groups == ("fleet", "region_eu-west-1", "provider_aws")


def test_a_file_of_many_clusters_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[object] = []
    parse = authentication.parse_kubeconfig

    def counted(text: Any, where: str) -> Any:
        parsed.append(where)
        return parse(text, where)

    monkeypatch.setattr(authentication, "parse_kubeconfig", counted)
    config = kubeconfig("a", "b", "c", user={"client-certificate": "none.pem", "client-key": "none.pem"})
    for cluster in config["clusters"]:
        cluster["cluster"]["server"] = "https://127.0.0.1:9"
    path = written(tmp_path, "fleet/one.yaml", config)
    settings = Settings(base=str(tmp_path))
    found = collect([{"kubeconfig": str(path)}], settings, str(tmp_path / "clusters.yml"), tmp_path / "credentials")
    assert len(parsed) == 1
    # Relative paths in it are still below its folder.
    for host in found.hosts:
        assert str(tmp_path / "fleet" / "none.pem") in str(host.variables["unreachable_reason"])


@pytest.mark.parametrize("name", ["edge-1.yaml", "edge-1.kubeconfig", "edge-1.kubeconfig.yml"])
def test_a_folder_has_a_file_a_cluster(tmp_path: Path, name: str) -> None:
    written(tmp_path, f"rancher/{name}", kubeconfig("local", "local-node-1", **{"current-context": "local"}))
    found = hosts(tmp_path, {"folder": "rancher", "provider": "rancher"})
    assert {name: host.variables["context"] for name, host in found.items()} == {"edge-1": "local"}


# Names


def test_clusters_of_one_name_are_told_apart_by_their_files(tmp_path: Path) -> None:
    written(tmp_path, "east.yaml", kubeconfig("admin", "unlike"))
    other = kubeconfig("admin")
    other["clusters"][0]["cluster"]["server"] = "https://other.example.com"
    written(tmp_path, "west.yaml", other)
    found = fleet(tmp_path, {"kubeconfig": "*.yaml"})
    assert [host.name for host in found.hosts] == ["admin.east", "unlike", "admin.west"]
    assert found.warnings == (
        "2 clusters are called 'admin'; the one of east is host 'admin.east'",
        "2 clusters are called 'admin'; the one of west is host 'admin.west'",
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([("a", "x", "https://1")], ["a"]),
        ([("a", "x", "https://1"), ("a", "y", "https://1/")], ["a"]),
        ([("a", "x", "https://1"), ("a", "x", "https://2")], ["a.x", "a.x-2"]),
        ([("a", "x", "https://1"), ("a", "y", "https://2"), ("a.x", "z", "https://3")], ["a.x-2", "a.y", "a.x"]),
        ([("a", "x", ""), ("a", "y", "")], ["a.x", "a.y"]),
        ([("a", "x[1]", ""), ("a", "y:z", "")], ["a.x-1-", "a.y-z"]),
    ],
)
def test_names_are_unique(given: list[tuple[str, str, str]], expected: list[str]) -> None:
    found, warnings = unique(Cluster(name, "kubeconfig", place, address=address) for name, place, address in given)
    assert [cluster.name for cluster in found] == expected
    assert bool(warnings) == (len(given) > 1)


@pytest.mark.parametrize(
    ("called", "host"),
    [
        ("arn:aws:eks:us-east-1:123456789012:cluster/prod", "arn-aws-eks-us-east-1-123456789012-cluster-prod"),
        ("default/api-prod-example-com:6443/kube:admin", "default-api-prod-example-com-6443-kube-admin"),
        ("kubernetes-admin@kubernetes", "kubernetes-admin@kubernetes"),
        ("!prod", "prod"),
        ("all [old], x*", "all-old-x-"),
        ("~", "cluster"),
    ],
)
def test_a_name_that_ansible_would_take_for_a_pattern_is_changed(called: str, host: str) -> None:
    ((found,), warnings) = unique([Cluster(called, "kubeconfig", "file")])
    assert found.name == host
    changed = f"cluster '{called}' is host '{host}', since Ansible could not name it as it is called"
    assert warnings == ([changed] if called != host else [])


# Hubs


def managed(**parts: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "edge", "labels": {"env": "prod", **parts.get("labels", {})}},
        "spec": {"managedClusterClientConfigs": [{"url": SERVER, "caBundle": "Q0E="}]}
        if parts.get("url", True)
        else {},
        "status": {
            "version": {"kubernetes": "v1.30.4"},
            "clusterClaims": [
                {"name": "region.open-cluster-management.io", "value": "eu-west-1"},
                {"name": "platform.open-cluster-management.io", "value": "AWS"},
            ],
            "conditions": parts.get("conditions", []),
        },
    }


def managed_host(item: dict[str, Any], secret: Any, **given: Any) -> Cluster:
    return managed_cluster(item, secret, given, "sources[0].managed_clusters", SETTINGS)


def test_a_managed_cluster_with_the_token_of_a_service_account() -> None:
    found = managed_host(managed(), {"token": "t0p", "ca.crt": "…"})
    assert (found.name, found.region, found.provider, found.version) == ("edge", "eu-west-1", "aws", "1.30.4")
    assert (found.address, found.problem, found.labels) == (SERVER, "", {"env": "prod"})
    assert found.credentials is not None
    assert found.credentials["clusters"][0]["cluster"] == {"server": SERVER, "certificate-authority-data": "Q0E="}
    assert found.credentials["users"] == [{"name": "edge", "user": {"token": "t0p"}}]


def test_the_cluster_proxy_has_a_certificate_authority_of_its_own() -> None:
    given = {"proxy_url": "https://proxy.example.com/{name}", "credentials": {"ca_cert": "hub.pem"}}
    for secret in ({"token": "t0p"}, {"kubeconfig": yaml.safe_dump(kubeconfig("edge"))}):
        found = managed_host(managed(), secret, **given)
        assert found.credentials is not None
        assert found.credentials["clusters"][0]["cluster"] == {"server": "https://proxy.example.com/edge"}
        assert found.options == {"ca_cert": "/inventory/hub.pem"}


def test_the_hub_itself_is_reached_as_the_hub_is() -> None:
    found = managed_host(managed(labels={"local-cluster": "true"}), {}, host="https://hub", api_key="t0p")
    assert (found.options, found.inline) == ({"host": "https://hub"}, {"api_key": "t0p"})
    assert found.credentials is not None


@pytest.mark.parametrize(
    ("item", "secret", "given", "problem"),
    [
        (managed(), {}, {}, "there are no credentials for edge; set 'secret' or 'credentials'"),
        (
            managed(url=False),
            {"token": "t"},
            {},
            "ManagedCluster edge has no address in spec.managedClusterClientConfigs",
        ),
        (managed(), {"other": "t"}, {}, "the Secret of edge holds none of kubeconfig, value and token"),
        (managed(), OptionError("the hub has no Secret edge/x"), {}, "the hub has no Secret edge/x"),
        (
            managed(
                conditions=[{"type": "ManagedClusterConditionAvailable", "status": "Unknown", "message": "lease\nold"}]
            ),
            {"token": "t"},
            {},
            "the hub says that it is not available: lease old",
        ),
        (managed(conditions=[{"type": "ManagedClusterConditionAvailable", "status": "True"}]), {"token": "t"}, {}, ""),
    ],
)
def test_why_a_managed_cluster_cannot_be_reached(item: Any, secret: Any, given: dict[str, Any], problem: str) -> None:
    found = managed_host(item, secret, **given).problem
    assert found.startswith(problem)
    assert bool(found) == bool(problem)


def test_a_cluster_of_cluster_api() -> None:
    item = {
        "metadata": {"name": "edge", "namespace": "prod", "labels": {"env": "prod"}},
        "spec": {"infrastructureRef": {"kind": "AWSManagedCluster"}, "topology": {"version": "v1.31.2"}},
    }
    found = made_cluster(item, {"value": yaml.safe_dump(kubeconfig("edge-admin@edge"))}, SETTINGS)
    assert (found.name, found.place, found.provider, found.version) == ("edge", "prod", "aws", "1.31.2")
    assert found.credentials == {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "edge",
        "clusters": [{"name": "edge", "cluster": {"server": "https://edge-admin@edge.example.com"}}],
        "users": [{"name": "edge", "user": {"token": "t0p"}}],
        "contexts": [{"name": "edge", "context": {"cluster": "edge", "user": "edge"}}],
    }


@pytest.mark.parametrize(
    ("secret", "problem"),
    [
        ({}, "the Secret prod/edge-kubeconfig has no key 'value'"),
        ({"value": "]["}, "the kubeconfig of edge is not valid YAML"),
        ({"value": "text"}, "the kubeconfig of edge is no kubeconfig"),
        (OptionError("the hub has no Secret"), "the hub has no Secret; the Cluster is Provisioning"),
        (kubeconfig("a", user={"exec": {"command": "aws"}}), "set 'allow_exec: true' if you trust"),
        (kubeconfig("a", user={"tokenFile": "/etc/passwd"}), "'tokenFile' of its user is not used"),
        (kubeconfig("a", user={"client-key": "/root/.ssh/id"}), "'client-key' of its user is not used"),
        (kubeconfig("a", user={"auth-provider": {"name": "gcp"}}), "'auth-provider' of its user is not used"),
        (
            kubeconfig("a", clusters=[{"name": "c-a", "cluster": {"server": SERVER, "certificate-authority": "/x"}}]),
            "'certificate-authority' of its cluster is not used",
        ),
    ],
)
def test_what_is_not_taken_from_a_secret(secret: Any, problem: str) -> None:
    if isinstance(secret, dict) and "contexts" in secret:
        secret = {"value": yaml.safe_dump(secret)}
    item = {"metadata": {"name": "edge", "namespace": "prod"}, "status": {"phase": "Provisioning"}}
    found = made_cluster(item, secret, SETTINGS)
    assert problem in found.problem
    assert found.credentials is None


def test_programs_from_a_hub_when_they_are_allowed() -> None:
    trusting = Settings(base="/", allow_exec=True)
    program = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "aws"}}
    secret = {"value": yaml.safe_dump(kubeconfig("a", user=program))}
    found = made_cluster({"metadata": {"name": "edge", "namespace": "prod"}}, secret, trusting)
    assert found.credentials is not None
    assert found.credentials["users"][0]["user"] == program


def argocd_secret(config: Any, **data: str) -> dict[str, Any]:
    text = config if isinstance(config, str) else json.dumps(config)
    content = {"name": "edge", "server": SERVER, "config": text, **data}
    labels = {"argocd.argoproj.io/secret-type": "cluster", "env": "prod"}
    return {
        "metadata": {"name": "cluster-edge", "namespace": "argocd", "labels": labels},
        "data": {key: base64.b64encode(value.encode()).decode() for key, value in content.items()},
    }


TLS = {"insecure": False, "serverName": "edge", "caData": "Q0E=", "certData": "Y2VydA==", "keyData": "a2V5"}


@pytest.mark.parametrize(
    ("config", "cluster", "user"),
    [
        ({"bearerToken": "t0p"}, {}, {"token": "t0p"}),
        ({"username": "u", "password": "p"}, {}, {"username": "u", "password": "p"}),
        (
            {"tlsClientConfig": TLS},
            {"certificate-authority-data": "Q0E=", "tls-server-name": "edge"},
            {"client-certificate-data": "Y2VydA==", "client-key-data": "a2V5"},
        ),
        ({"tlsClientConfig": {"insecure": True}}, {"insecure-skip-tls-verify": True}, None),
        ({"bearerToken": "t0p", "proxyUrl": "http://proxy"}, {"proxy-url": "http://proxy"}, {"token": "t0p"}),
    ],
)
def test_a_cluster_of_argocd(config: Any, cluster: dict[str, Any], user: dict[str, Any] | None) -> None:
    found = deployed_cluster(argocd_secret(config), {}, "sources[0].argocd", SETTINGS)
    assert (found.name, found.address, found.labels, found.problem) == ("edge", SERVER, {"env": "prod"}, "")
    assert found.credentials is not None
    assert found.credentials["clusters"][0]["cluster"] == {"server": SERVER, **cluster}
    assert found.credentials["users"] == ([{"name": "edge", "user": user}] if user else [])


@pytest.mark.parametrize(
    ("config", "command"),
    [
        (
            {"awsAuthConfig": {"clusterName": "edge", "roleARN": "arn:x"}},
            ["aws", "eks", "get-token", "--output", "json", "--cluster-name", "edge", "--role-arn", "arn:x"],
        ),
        ({"execProviderConfig": {"command": "gke", "args": ["token"], "env": {"A": "b"}}}, ["gke", "token"]),
    ],
)
def test_programs_of_argocd_run_only_when_allowed(config: Any, command: list[str]) -> None:
    refused = deployed_cluster(argocd_secret(config), {}, "sources[0].argocd", SETTINGS)
    assert (refused.credentials, "allow_exec" in refused.problem) == (None, True)
    found = deployed_cluster(argocd_secret(config), {}, "sources[0].argocd", Settings(base="/", allow_exec=True))
    assert found.credentials is not None
    program = found.credentials["users"][0]["user"]["exec"]
    assert [program["command"], *program["args"]] == command


def test_argocds_own_cluster_is_reached_as_argocd_is() -> None:
    own = {"kubeconfig": "/hub", "context": "hub"}
    in_cluster = argocd_secret({"tlsClientConfig": {"insecure": False}}, server="https://kubernetes.default.svc")
    found = deployed_cluster(in_cluster, own, "sources[0].argocd", SETTINGS)
    assert (found.options, found.credentials, found.problem) == (own, None, "")


def test_a_config_that_is_no_json() -> None:
    found = deployed_cluster(argocd_secret("{"), {}, "sources[0].argocd", SETTINGS)
    assert found.problem == "the key 'config' of Secret argocd/cluster-edge is no JSON object"


# The list, and secrets


def test_a_list_of_clusters(tmp_path: Path) -> None:
    listed = {"name": "lab", "kubeconfig": "lab.yaml", "context": "x", "labels": {"region": "eu", "cloud": "own"}}
    host = hosts(tmp_path, {"clusters": [listed]})["lab"]
    assert host.variables == {
        "kubeconfig": str(tmp_path / "lab.yaml"),
        "context": "x",
        "labels": {"region": "eu", "cloud": "own"},
        "region": "eu",
        "provider": "own",
        "cluster_source": "clusters",
    }
    assert host.groups == ("fleet", "region_eu", "provider_own")


@pytest.mark.parametrize(
    "secret",
    [
        {"host": SERVER, "api_key": "t0p"},
        {"host": SERVER, "username": "u", "password": "t0p"},
        {"host": SERVER, "proxy": "http://u:t0p@proxy"},
        {"kubeconfig": {**kubeconfig("x"), "current-context": "x"}},
    ],
)
def test_secrets_go_to_a_file_for_nobody_else(tmp_path: Path, secret: dict[str, Any]) -> None:
    found = fleet(tmp_path, {"clusters": [{"name": "lab/1", **secret}]})
    assert "t0p" not in repr(found)
    (file,) = found.files
    assert found.hosts[0].variables["kubeconfig"] == file
    assert "t0p" in Path(file).read_text(encoding="utf-8")
    assert (Path(file).stat().st_mode & 0o777, Path(file).parent.stat().st_mode & 0o777) == (0o600, 0o700)
    inline = fleet(tmp_path, {"clusters": [{"name": "lab/1", **secret}]}, inline_credentials=True)
    assert inline.files == ()
    variables = inline.hosts[0].variables
    assert {key: variables[key] for key in secret} == secret


def test_files_of_clusters_that_are_no_more_are_removed(tmp_path: Path) -> None:
    def listed(*names: str) -> dict[str, Any]:
        return {"clusters": [{"name": name, "host": SERVER, "api_key": "t0p"} for name in names]}

    first = fleet(tmp_path, listed("a", "b"))
    (kept,) = fleet(tmp_path, listed("b")).files
    assert [path for path in first.files if Path(path).exists()] == [kept]


def test_no_folder_is_made_where_there_are_no_secrets(tmp_path: Path) -> None:
    assert fleet(tmp_path, {"clusters": [{"name": "a", "context": "x"}]}).files == ()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_others_can_read_is_refused(tmp_path: Path) -> None:
    listed = {"clusters": [{"name": "a", "host": SERVER, "api_key": "t0p"}]}
    (file,) = fleet(tmp_path, listed).files
    Path(file).parent.chmod(0o755)
    with pytest.raises(OptionError, match=r"credentials_dir: .* nobody else can read"):
        fleet(tmp_path, listed)


# The documentation of the plugin


def test_the_examples_are_accepted() -> None:
    kinds = [
        source[0] for example in yaml.safe_load_all(plugin.EXAMPLES) for source in checked_sources(example["sources"])
    ]
    assert set(kinds) == set(SOURCES)


def test_the_documented_keys_of_sources_are_those_there_are() -> None:
    documented = yaml.safe_load(plugin.DOCUMENTATION)["options"]["sources"]["suboptions"]
    beside = {key for kind in SOURCES.values() if not kind.hub for key in kind.keys}
    assert set(documented) == {*SOURCES, *COMMON, *beside}
    for name, kind in SOURCES.items():
        if kind.hub:
            text = " ".join(documented[name]["description"])
            assert [key for key in kind.keys if key not in CONNECTION and f"C({key})" not in text] == []


# Mistakes


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ([], "sources: must be a list with at least one of kubeconfig, folder, "),
        (["x"], "sources[0]: must have exactly one of kubeconfig, folder, "),
        ([{"kubeconfigs": "x"}], "(got kubeconfigs), did you mean 'kubeconfig'?"),
        ([{"kubeconfig": "x", "folder": "y"}], "sources[0]: must have exactly one of"),
        ([{"kubeconfig": "x", "context": "a"}], "sources[0]: unknown key 'context', did you mean 'contexts'?"),
        ([{"kubeconfig": 7}], "sources[0].kubeconfig: must be a text or a list of texts (got 7)"),
        ([{"kubeconfig": None}], "sources[0].kubeconfig: must not be empty"),
        ([{"kubeconfig": "none.yaml"}], "sources[0].kubeconfig: there is no file "),
        ([{"kubeconfig": "empty"}], "sources[0].kubeconfig: no file in "),
        ([{"kubeconfig": "broken.yaml"}], "broken.yaml is not valid YAML (line 1)"),
        ([{"kubeconfig": "list.yaml"}], "list.yaml: is no kubeconfig: it has no list 'contexts'"),
        (
            [{"kubeconfig": "good.yaml", "contexts": ["edge-2"]}],
            "contexts[0]: no context matches 'edge-2', did you mean",
        ),
        ([{"folder": "good.yaml"}], "good.yaml: has no current-context"),
        (
            [{"managed_clusters": {"labelselector": "a"}}],
            "sources[0].managed_clusters: unknown key 'labelselector', did",
        ),
        (
            [{"managed_clusters": {"credentials": {"token": "t0p"}}}],
            "credentials: unknown key 'token'; known are api_key",
        ),
        (
            [{"argocd": {"validate_certs": "no"}}],
            "sources[0].argocd.validate_certs: must be true or false (got a text)",
        ),
        ([{"argocd": "x"}], "sources[0].argocd: must be a mapping"),
        ([{"clusters": {}}], "sources[0].clusters: must be a list of clusters"),
        ([{"clusters": [{"host": "x"}]}], "sources[0].clusters[0]: has no name"),
        ([{"clusters": [{"name": "x"}]}], "sources[0].clusters[0]: says nothing of how to reach x"),
        (
            [{"clusters": [{"name": "x", "kubeconfig": "y", "api_key": "t0p"}]}],
            "sources[0].clusters[0].api_key: cannot be put into a kubeconfig file for x",
        ),
        ([{"clusters": [{"name": "x", "context": "y"}], "labels": {"a": []}}], "sources[0].labels.a: must be a text"),
        ([{"cluster_api": {"kubeconfig": "none.yaml"}}], "sources[0].cluster_api: cannot read the kubeconfig "),
    ],
)
def test_mistakes_are_told_with_their_place(tmp_path: Path, sources: Any, message: str) -> None:
    (tmp_path / "empty").mkdir()
    written(tmp_path, "broken.yaml", "][")
    written(tmp_path, "list.yaml", "[]")
    written(tmp_path, "good.yaml", kubeconfig("edge-1", "edge-3"))
    with pytest.raises(OptionError) as caught:
        fleet(tmp_path, *sources)
    assert message in str(caught.value)
    assert "t0p" not in str(caught.value)
    assert "\n" not in str(caught.value)
