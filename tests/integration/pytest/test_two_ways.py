# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A module returns the same whether it runs in-process or in a process of its own, and shows no secret either way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.tests.rig import elsewhere
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster
from ansible_collections.fleet.olm.tests.rig.definitions import add_crds
from ansible_collections.fleet.olm.tests.rig.olm_definitions import olm_crds

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "bundles"
CATALOG = str(EXAMPLES.parent / "catalog")
MAY = [
    {"verb": "create", "resource": "deployments", "group": "apps", "namespace": "default"},
    {"verb": "get", "resource": "nodes"},
]


def cluster_tasks(cluster: Cluster, tmp_path: Path) -> dict[str, dict[str, Any]]:
    """Calls of cluster_info, good and bad: task keywords by name."""
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(yaml.safe_dump(cluster.kubeconfig()))
    direct = {"host": cluster.url, "ca_cert": str(cluster.ca_file)}
    alias = {"host": cluster.url, "ssl_ca_cert": str(cluster.ca_file)}
    broken = cluster.kubeconfig()
    broken["users"][0]["user"]["token"] = "top-secret-in-a-mapping"
    calls: dict[str, dict[str, Any]] = {
        "by kubeconfig": {"kubeconfig": str(kubeconfig), "may": MAY},
        "by mapping": {"kubeconfig": cluster.kubeconfig()},
        "by environment": {},
        "by KUBECONFIG": {},
        "by token": {**direct, "api_key": cluster.tokens["limited"], "may": MAY[:1]},
        "by alias": {**alias, "api_key": cluster.tokens["admin"]},
        "bad token": {**direct, "api_key": "top-secret-token"},
        "bad token in mapping": {"kubeconfig": broken},
        "no such context": {"kubeconfig": str(kubeconfig), "context": "nowhere"},
        "unknown option": {"kubeconfig": str(kubeconfig), "colour": "green"},
        "wrong type": {"kubeconfig": str(kubeconfig), "may": [{"verb": "get"}]},
        "no kubeconfig type": {"kubeconfig": ["one", "two"]},
        "a path that is not there": {"kubeconfig": str(tmp_path / "missing")},
    }
    found: dict[str, dict[str, Any]] = {name: {"fleet.olm.cluster_info": options} for name, options in calls.items()}
    found["by environment"]["environment"] = {"K8S_AUTH_KUBECONFIG": str(kubeconfig)}
    found["by KUBECONFIG"]["environment"] = {"KUBECONFIG": str(kubeconfig)}
    return found


def bundle_tasks(tmp_path: Path) -> dict[str, dict[str, Any]]:
    """Calls of the bundle modules; what they write goes to a directory of each host."""
    greeter, newer = (str(EXAMPLES / name) for name in ("greeter", "greeter-1.1.0"))
    own = f"{tmp_path}/{{{{ inventory_hostname }}}}"
    registry = {"registry_username": "me", "registry_password": "top-secret-password"}
    render = {"source": greeter, "namespace": "greeter-system", "dest": f"{own}/rendered"}
    running = [{"name": "greeter", "namespace": "greeter-system", "source": greeter}]
    tree = {"clusters": {"edge-1": running}, "dest": f"{own}/tree", "hand_over": [{"to": "ocm"}]}
    return {
        "info": {"fleet.olm.bundle_info": {"source": greeter, "schema_dest": f"{own}/schema.json"}},
        "info again": {"fleet.olm.bundle_info": {"source": greeter, "schema_dest": f"{own}/schema.json"}},
        "render": {"fleet.olm.bundle_render": render, "diff": True},
        "render again": {"fleet.olm.bundle_render": render, "diff": True},
        "render another": {"fleet.olm.bundle_render": {**render, "config": {"watchNamespace": "team-a"}}, "diff": True},
        "tree": {"fleet.olm.gitops_tree": tree, "diff": True},
        "tree again": {"fleet.olm.gitops_tree": tree, "diff": True},
        "validate": {
            "fleet.olm.bundle_validate": {"source": greeter, "namespace": "x", "config": {"a": 1}, "strict": False}
        },
        "diff": {"fleet.olm.bundle_diff": {"old": greeter, "new": newer, "format": "markdown"}},
        "refused": {"fleet.olm.bundle_validate": {"source": greeter, "namespace": "x", "config": {"a": 1}}},
        "no such source": {"fleet.olm.bundle_info": {"source": "/no/such/bundle"}},
        "no such registry": {"fleet.olm.bundle_info": {"source": "docker://127.0.0.1:1/no/bundle:1", **registry}},
    }


def authoring_tasks(tmp_path: Path) -> dict[str, dict[str, Any]]:
    """Calls of the modules that write bundles; what they write goes to a directory of each host."""
    own = f"{tmp_path}/{{{{ inventory_hostname }}}}"
    init = {"src": str(EXAMPLES.parent / "manifests" / "kiali"), "dest": f"{own}/begun"}
    convert = {"source": str(EXAMPLES / "kiali-k8sv1"), "dest": f"{own}/converted", "format": "registry+v1"}
    build = {"source": str(EXAMPLES / "kiali-k8sv1"), "dest": f"{own}/image", "archive": f"{own}/image.tar"}
    return {
        "begin": {"fleet.olm.bundle_init": init, "diff": True},
        "begin again": {"fleet.olm.bundle_init": init, "diff": True},
        "convert": {"fleet.olm.bundle_convert": convert, "diff": True},
        "convert again": {"fleet.olm.bundle_convert": convert, "diff": True},
        "build": {"fleet.olm.bundle_build": build},
        "build again": {"fleet.olm.bundle_build": build},
        "nothing to begin with": {"fleet.olm.bundle_init": {"src": "/no/such/manifests"}},
        "converted already": {"fleet.olm.bundle_convert": {**convert, "format": "k8s+v1"}},
    }


def catalog_tasks(tmp_path: Path) -> dict[str, dict[str, Any]]:
    """Calls of the catalog modules; what they write goes to a directory of each host."""
    own = f"{tmp_path}/{{{{ inventory_hostname }}}}"
    installed = {"name": "greeter.v1.0.0", "version": "1.0.0"}
    graph = {"catalog": CATALOG, "package": "greeter", "graph": "html", "graph_dest": f"{own}/greeter.html"}
    add = {"catalog": f"{own}/catalog", "source": str(EXAMPLES / "greeter"), "image": "registry.example.com/greeter:1"}
    ask = {"catalog": CATALOG, "package": "greeter"}
    return {
        "list": {"fleet.olm.catalog_info": {"catalog": CATALOG, "validate": "strict"}},
        "draw": {"fleet.olm.catalog_info": graph, "diff": True},
        "draw again": {"fleet.olm.catalog_info": graph, "diff": True},
        "resolve": {"fleet.olm.catalog_resolve": {**ask, "version": "1.0.0"}},
        "path": {"fleet.olm.catalog_resolve": {**ask, "installed": installed, "upgrade_path": True}},
        "add": {"fleet.olm.catalog_bundle": add, "diff": True},
        "add again": {"fleet.olm.catalog_bundle": add, "diff": True},
        "build": {"fleet.olm.catalog_build": {"catalog": CATALOG, "dest": f"{own}/image"}},
        "refused": {"fleet.olm.catalog_resolve": {**ask, "version": "9.x"}},
        "no such catalog": {"fleet.olm.catalog_info": {"catalog": "/no/such/catalog"}},
        "no range": {"fleet.olm.catalog_resolve": {**ask, "version": "one"}},
    }


def play(tmp_path: Path, calls: dict[str, dict[str, Any]], *, check: bool) -> tuple[dict[str, Any], str]:
    """Run calls both ways; what they returned by host and name, and all that was printed with -vvv."""
    elsewhere.add_connection(tmp_path)
    for host in ("here", "there"):
        (tmp_path / host).mkdir()
    steps: list[dict[str, Any]] = [
        {"name": name, **keywords, "register": f"call_{number}", "ignore_errors": True}
        for number, (name, keywords) in enumerate(calls.items())
    ]
    returned = ", ".join(f"'{name}': call_{number}" for number, name in enumerate(calls))
    written = {
        "content": f"{{{{ {{{returned}}} | to_json }}}}",
        "dest": f"{tmp_path}/{{{{ inventory_hostname }}}}.json",
    }
    steps.append({"ansible.builtin.copy": {**written, "mode": "0600"}, "check_mode": False})
    (tmp_path / "play.yml").write_text(yaml.safe_dump([{"hosts": "all", "gather_facts": False, "tasks": steps}]))
    hosts = {"here": {"ansible_connection": "local"}, "there": {"ansible_connection": elsewhere.NAME}}
    shared = {"ansible_python_interpreter": sys.executable}
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts, "vars": shared}}))
    command = [str(Path(sys.executable).parent / "ansible-playbook"), "-i", "hosts.yml", "play.yml", "-vvv"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("K8S_AUTH", "KUBECONFIG"))}
    environment["ANSIBLE_COLLECTIONS_PATH"] = os.environ["PYTHONPATH"].split(os.pathsep)[0]
    environment["HOME"] = str(tmp_path)
    done = subprocess.run(
        [*command, *(["--check"] if check else [])],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return {host: json.loads((tmp_path / f"{host}.json").read_text()) for host in hosts}, done.stdout + done.stderr


def compare(returned: dict[str, Any], calls: dict[str, dict[str, Any]], printed: str) -> dict[str, Any]:
    """Check that both ways were gone, and that they returned the same; what they returned."""
    for result in (result for host in returned.values() for result in host.values()):
        result.pop("exception", None)  # Ansible's own note that it keeps the traceback of a module to itself
        assert "\n" not in result.get("msg", "") or result.get("problems")
    there = json.loads(json.dumps(returned["there"]).replace("/there/", "/here/"))
    for name in calls:
        assert returned["here"][name] == there[name], name
    # Without this, one way could have been compared with itself.
    modules = [line for line in printed.splitlines() if "Using module file" in line and "/fleet/olm/" in line]
    assert len(modules) == len(calls)
    return dict(returned["here"])


@pytest.mark.parametrize("check", [False, True], ids=["run", "check"])
def test_cluster_modules_return_the_same_and_no_secret_is_shown(tmp_path: Path, cluster: Cluster, check: bool) -> None:
    calls = cluster_tasks(cluster, tmp_path)
    returned, printed = play(tmp_path, calls, check=check)
    here = compare(returned, calls, printed)
    assert not any(result["changed"] for result in here.values())
    names = list(calls)
    assert [name for name in names if here[name].get("failed")] == names[6:]
    assert all(here[name]["cluster"]["kubernetes"]["version"] == "1.36.3" for name in names[:6])
    for secret in (*cluster.tokens.values(), "top-secret-token", "top-secret-in-a-mapping"):
        assert secret not in printed
        assert secret not in json.dumps(returned)


@pytest.mark.parametrize("check", [False, True], ids=["run", "check"])
def test_bundle_modules_return_the_same_and_check_mode_predicts_the_run(tmp_path: Path, check: bool) -> None:
    calls = bundle_tasks(tmp_path)
    returned, printed = play(tmp_path, calls, check=check)
    here = compare(returned, calls, printed)
    names = list(calls)
    assert [name for name in names if here[name].get("failed")] == names[9:]
    changed = [name for name in names if here[name]["changed"]]
    if check:
        assert changed == ["info", "info again", "render", "render again", "render another", "tree", "tree again"]
        assert list((tmp_path / "here").iterdir()) == []
    else:
        assert changed == ["info", "render", "render another", "tree"]
        files = sorted(path.name for path in (tmp_path / "here" / "rendered").iterdir())
        assert files == here["render another"]["files"]
    assert here["render"]["diff"]
    assert "top-secret-password" not in printed + json.dumps(returned)


@pytest.mark.parametrize("check", [False, True], ids=["run", "check"])
def test_authoring_modules_return_the_same_and_check_mode_predicts_the_run(tmp_path: Path, check: bool) -> None:
    calls = authoring_tasks(tmp_path)
    returned, printed = play(tmp_path, calls, check=check)
    here = compare(returned, calls, printed)
    names = list(calls)
    assert [name for name in names if here[name].get("failed")] == names[6:]
    changed = [name for name in names if here[name]["changed"]]
    assert changed == (names[:6] if check else ["begin", "convert", "build"])


@pytest.mark.parametrize("check", [False, True], ids=["run", "check"])
def test_catalog_modules_return_the_same_and_check_mode_predicts_the_run(tmp_path: Path, check: bool) -> None:
    calls = catalog_tasks(tmp_path)
    returned, printed = play(tmp_path, calls, check=check)
    here = compare(returned, calls, printed)
    names = list(calls)
    assert [name for name in names if here[name].get("failed")] == names[8:]
    changed = [name for name in names if here[name]["changed"]]
    written = ["draw", "add", "build"]
    assert changed == (["draw", "draw again", "add", "add again", "build"] if check else written)
    assert sorted(path.name for path in (tmp_path / "here").iterdir()) == (
        [] if check else ["catalog", "greeter.html", "image"]
    )
    assert here["resolve"]["warnings"] == ["bundle greeter.v1.0.0 is deprecated: 1.1.0 greets in more languages."]
    assert here["refused"]["changes"]


def test_olm_modules_return_the_same(tmp_path: Path, fresh_cluster: Cluster) -> None:
    add_crds(fresh_cluster, *olm_crds())
    reach = {"host": fresh_cluster.url, "ca_cert": str(fresh_cluster.ca_file), "api_key": fresh_cluster.tokens["admin"]}
    image = "registry.example.com/catalog:v1"
    greeter = {**reach, "name": "greeter", "namespace": "default", "package": "greeter"}
    example = {"catalog": str(EXAMPLES.parent / "catalog"), "channels": ["stable"]}
    calls: dict[str, dict[str, Any]] = {
        "catalog": {"fleet.olm.cluster_catalog": {**reach, "name": "example", "image": image}, "diff": True},
        "extension": {"fleet.olm.cluster_extension": {**greeter, "validate": False}, "diff": True},
        "looked up": {"fleet.olm.cluster_extension": {**greeter, **example}},
        "gone": {"fleet.olm.cluster_extension": {**reach, "name": "greeter", "state": "absent"}},
        "catalogs": {"fleet.olm.cluster_catalog_info": reach},
        "extensions": {"fleet.olm.cluster_extension_info": reach},
        "no catalog": {"fleet.olm.cluster_extension": greeter},
        "bad version": {"fleet.olm.cluster_extension": {**greeter, "version": "banana", "validate": "warn"}},
        "no package": {"fleet.olm.cluster_extension": {**reach, "name": "greeter", "namespace": "default"}},
    }
    returned, printed = play(tmp_path, calls, check=True)
    here = compare(returned, calls, printed)
    names = list(calls)
    assert [name for name in names if here[name].get("failed")] == names[6:]
    assert [name for name in names if here[name]["changed"]] == names[:3]
    assert here["looked up"]["resolved"]["name"] == "greeter.v1.1.0"
    assert fresh_cluster.tokens["admin"] not in printed + json.dumps(returned)
