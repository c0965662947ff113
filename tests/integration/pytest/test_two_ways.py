# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A cluster module returns the same whether it runs in-process or as a module, and shows no secret either way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster

# The same as the local connection, but Ansible cannot know that: work goes through a module.
ELSEWHERE = '''
DOCUMENTATION = """
name: elsewhere
short_description: A local connection under another name
description: For a test.
author: fleet.olm
options: {}
"""
from ansible.plugins.connection.local import Connection as Local


class Connection(Local):
    transport = "elsewhere"
'''

MAY = [
    {"verb": "create", "resource": "deployments", "group": "apps", "namespace": "default"},
    {"verb": "get", "resource": "nodes"},
]


def tasks(cluster: Cluster, tmp_path: Path) -> dict[str, dict[str, Any]]:
    """Calls of cluster_info, good and bad: task keywords by name."""
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(yaml.safe_dump(cluster.kubeconfig()))
    direct = {"host": cluster.url, "ca_cert": str(cluster.ca_file)}
    broken = cluster.kubeconfig()
    broken["users"][0]["user"]["token"] = "top-secret-in-a-mapping"
    return {
        "by kubeconfig": {"args": {"kubeconfig": str(kubeconfig), "may": MAY}},
        "by mapping": {"args": {"kubeconfig": cluster.kubeconfig()}},
        "by environment": {"args": {}, "environment": {"K8S_AUTH_KUBECONFIG": str(kubeconfig)}},
        "by KUBECONFIG": {"args": {}, "environment": {"KUBECONFIG": str(kubeconfig)}},
        "by token": {"args": {**direct, "api_key": cluster.tokens["limited"], "may": MAY[:1]}},
        "by alias": {
            "args": {"host": cluster.url, "ssl_ca_cert": str(cluster.ca_file), "api_key": cluster.tokens["admin"]}
        },
        "bad token": {"args": {**direct, "api_key": "top-secret-token"}},
        "bad token in mapping": {"args": {"kubeconfig": broken}},
        "no such context": {"args": {"kubeconfig": str(kubeconfig), "context": "nowhere"}},
        "unknown option": {"args": {"kubeconfig": str(kubeconfig), "colour": "green"}},
        "wrong type": {"args": {"kubeconfig": str(kubeconfig), "may": [{"verb": "get"}]}},
        "no kubeconfig type": {"args": {"kubeconfig": ["one", "two"]}},
        "a path that is not there": {"args": {"kubeconfig": str(tmp_path / "missing")}},
    }


def play(tmp_path: Path, cluster: Cluster, *, check: bool) -> tuple[dict[str, Any], str]:
    """Run all calls both ways; what they returned by host and name, and all that was printed with -vvv."""
    (tmp_path / "connection_plugins").mkdir()
    (tmp_path / "connection_plugins" / "elsewhere.py").write_text(ELSEWHERE)
    steps: list[dict[str, Any]] = []
    names = tasks(cluster, tmp_path)
    for number, (name, keywords) in enumerate(names.items()):
        step = {
            "name": name,
            "fleet.olm.cluster_info": keywords["args"],
            "register": f"call_{number}",
            "ignore_errors": True,
        }
        steps.append({**step, **({"environment": keywords["environment"]} if "environment" in keywords else {})})
    returned = ", ".join(f"'{name}': call_{number}" for number, name in enumerate(names))
    written = {
        "content": f"{{{{ {{{returned}}} | to_json }}}}",
        "dest": f"{tmp_path}/{{{{ inventory_hostname }}}}.json",
    }
    steps.append({"ansible.builtin.copy": {**written, "mode": "0600"}, "check_mode": False})
    (tmp_path / "play.yml").write_text(yaml.safe_dump([{"hosts": "all", "gather_facts": False, "tasks": steps}]))
    hosts = {"here": {"ansible_connection": "local"}, "there": {"ansible_connection": "elsewhere"}}
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


@pytest.mark.parametrize("check", [False, True], ids=["run", "check"])
def test_both_ways_return_the_same_and_no_secret_is_shown(tmp_path: Path, cluster: Cluster, check: bool) -> None:
    returned, printed = play(tmp_path, cluster, check=check)
    names = list(tasks(cluster, tmp_path))
    assert list(returned["here"]) == list(returned["there"]) == names
    for name in names:
        here, there = returned["here"][name], returned["there"][name]
        for result in (here, there):
            result.pop("exception", None)  # Ansible's own note that it keeps the traceback of a module to itself
        assert here == there, name
        assert here["changed"] is False
        if here.get("failed"):
            assert here["msg"]
            assert "\n" not in here["msg"]
        else:
            assert here["cluster"]["kubernetes"]["version"] == "1.36.3"
    assert [name for name in names if returned["here"][name].get("failed")] == names[6:]
    for secret in (*cluster.tokens.values(), "top-secret-token", "top-secret-in-a-mapping"):
        assert secret not in printed
        assert secret not in json.dumps(returned)
    # Without this, one way could have been compared with itself.
    modules = [line for line in printed.splitlines() if "Using module file" in line and "cluster_info" in line]
    assert len(modules) == len(names)
