# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lock of a fleet with real registries and catalogs: the same whichever clusters a run is for, and obeyed by OLM v1."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.tests.rig.cluster import ADMIN, Cluster
from ansible_collections.fleet.olm.tests.rig.controller import Controllers

GREETER = {"name": "greeter", "namespace": "greeter-system"}


class Home:
    """A directory with inventories, and the playbook that writes the lock file; no cluster is asked."""

    def __init__(self, place: Path, registry: str) -> None:
        self.place, self.registry = place, registry

    @property
    def catalog(self) -> str:
        return f"docker://{self.registry}/catalog:v1"

    def old_catalog(self) -> str:
        """A catalog that has nothing but the first greeter."""
        directory = self.place / "old"
        directory.mkdir()
        version = {"type": "olm.package", "value": {"packageName": "greeter", "version": "1.0.0"}}
        blobs = (
            {"schema": "olm.package", "name": "greeter", "defaultChannel": "stable"},
            {"schema": "olm.channel", "package": "greeter", "name": "stable", "entries": [{"name": "greeter.v1.0.0"}]},
            {
                "schema": "olm.bundle",
                "package": "greeter",
                "name": "greeter.v1.0.0",
                "image": f"{self.registry}/greeter:1.0.0",
                "properties": [version],
            },
        )
        (directory / "catalog.json").write_text("".join(json.dumps(blob) + "\n" for blob in blobs), encoding="utf-8")
        return str(directory)

    def inventory(self, name: str, groups: dict[str, dict[str, Any]]) -> None:
        """One cluster a group, with the variables of the group."""
        shared = {"ansible_python_interpreter": sys.executable, "fleet_operators": [{**GREETER, "package": "greeter"}]}
        content = {group: {"hosts": {f"{group}-1": {}}, "vars": {**shared, **more}} for group, more in groups.items()}
        (self.place / name).parent.mkdir(exist_ok=True)
        (self.place / name).write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")

    def run(self, playbook: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(Path(sys.executable).parent / "ansible-playbook"), playbook, *arguments],
            cwd=self.place,
            env={**os.environ, "ANSIBLE_NOCOLOR": "1", "ANSIBLE_HOME": str(self.place / "ansible")},
            capture_output=True,
            text=True,
            check=False,
        )

    def lock(self, *arguments: str, playbook: str = "fleet.olm.lock") -> bool:
        """Run a playbook that has to succeed; whether it changed anything."""
        ran = self.run(playbook, *arguments)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return "changed=1" in ran.stdout

    def locked(self, name: str = "fleet.lock.yml") -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = yaml.safe_load((self.place / name).read_text(encoding="utf-8"))["extensions"]
        return found


@pytest.fixture
def home(example_registry: str, tmp_path: Path) -> Home:
    return Home(tmp_path, example_registry)


def test_each_group_has_its_own_catalog_whatever_the_limit(home: Home) -> None:
    # Bundles are read once for all clusters, so what is only for prod does not count.
    prod = {"fleet_catalog": home.old_catalog(), "registry_auth_file": "/nowhere"}
    home.inventory("hosts.yml", {"edge": {"fleet_catalog": home.catalog, "registry_plain_http": True}, "prod": prod})
    assert home.lock("-i", "hosts.yml")
    found = {entry["wanted"]["catalog"]: entry["bundle"]["version"] for entry in home.locked()}
    assert found == {home.catalog: "1.1.0", prod["fleet_catalog"]: "1.0.0"}
    for limit in ("edge", "prod"):
        assert not home.lock("-i", "hosts.yml", "--limit", limit)
        assert not home.lock("-i", "hosts.yml", "--limit", limit, "-e", "update_lock=true")


def test_the_lock_of_two_inventories_has_one_place_whatever_the_limit(home: Home) -> None:
    for group in ("edge", "prod"):
        home.inventory(f"{group}/hosts.yml", {group: {"fleet_catalog": home.catalog}})
    both = ("-i", "edge/hosts.yml", "-i", "prod/hosts.yml")
    assert home.lock(*both, "--limit", "prod")
    assert not home.lock(*both)
    assert [path.parent.name for path in home.place.rglob("fleet.lock.yml")] == ["edge"]


@pytest.mark.parametrize("first", ["with one of its own", "without"])
def test_a_catalog_of_the_play_is_that_of_all_clusters_without_one(first: str, home: Home) -> None:
    old = home.old_catalog()
    own: dict[str, Any] = {"fleet_catalog": old}
    home.inventory(
        "hosts.yml", {"edge": own, "prod": {}} if first == "with one of its own" else {"edge": {}, "prod": own}
    )
    role = {"name": "fleet.olm.operators", "tasks_from": "lock.yml"}
    task = {"name": "Lock", "ansible.builtin.import_role": role, "vars": {"fleet_catalog": home.catalog}}
    play = {"hosts": "all", "gather_facts": False, "tasks": [task]}
    (home.place / "play.yml").write_text(yaml.safe_dump([play]), encoding="utf-8")
    assert home.lock("-i", "hosts.yml", playbook="play.yml")
    assert {entry["wanted"]["catalog"] for entry in home.locked()} == {home.catalog, old}


@pytest.mark.parametrize("variable", ["fleet_operators", "labels"])
def test_a_variable_that_cannot_be_evaluated_does_not_count_as_none(variable: str, home: Home) -> None:
    for_edge = [{**GREETER, "package": "greeter", "when": {"env": "edge"}}]
    good = {"fleet_catalog": home.catalog, "fleet_operators": for_edge, "labels": {"env": "edge"}}
    home.inventory("hosts.yml", {"edge": good, "hubs": {"fleet_operators": []}})
    plain = ("-i", "hosts.yml", "-e", "registry_plain_http=true")
    assert home.lock(*plain)
    before = home.locked()
    home.inventory("hosts.yml", {"edge": {**good, variable: "{{ misspelt }}"}, "hubs": {"fleet_operators": []}})
    # Also where the run leaves the cluster out: the lock and the tree are of the whole fleet.
    for command in (("fleet.olm.lock", "-e", "update_lock=true"), ("fleet.olm.render", "--limit", "hubs")):
        ran = home.run(command[0], *plain, *command[1:])
        assert ran.returncode != 0
        assert "'misspelt' is undefined" in ran.stdout + ran.stderr
    assert home.locked() == before
    assert not (home.place / "gitops").exists()


def test_a_source_in_a_catalog_is_locked_as_the_image_that_it_led_to(home: Home) -> None:
    source = {"catalog": home.old_catalog(), "package": "greeter", "version": "1.x"}
    home.inventory("hosts.yml", {"edge": {"fleet_operators": [{**GREETER, "source": source}]}})
    assert home.lock("-i", "hosts.yml")
    (entry,) = home.locked()
    assert entry["wanted"] == {"source": source}
    digest = entry["bundle"]["digest"]
    assert entry["bundle"]["source"] == f"docker://{home.registry}/greeter@{digest}"
    # What is locked needs no catalog any more.
    shutil.rmtree(source["catalog"])
    assert not home.lock("-i", "hosts.yml")


def test_an_older_version_that_the_lock_allows_is_one_that_olm_allows(olm_cluster: Cluster, home: Home) -> None:
    cluster = {"host": olm_cluster.url, "api_key": olm_cluster.tokens[ADMIN], "ca_cert": str(olm_cluster.ca_file)}
    path = str(home.place / "fleet.lock.yml")
    described = {**GREETER, "name": "moved", "namespace": "moved-system", "package": "greeter", "engine": "olm"}
    catalog = {"name": "example", "image": "registry.example.com/catalog:v1"}

    with Controllers() as controllers:

        def done(module: str, options: dict[str, Any]) -> dict[str, Any]:
            result = controllers.run(module, options)
            assert not result.get("failed"), result
            return result

        def made(version: str, **more: Any) -> str:
            """Lock a version and make the cluster have it; the one that it has then."""
            # The older CRD lacks a field, which is another question.
            settings = {"crd_upgrade_safety": "none", "retry_grace": 5}
            operators = {"one": [{**described, "version": version, **settings, **more}]}
            locked = done("fleet_lock", {"operators": operators, "catalog": home.catalog, "path": path, "update": True})
            result = done("fleet_extensions", {**cluster, "extensions": locked["extensions"]["one"]})
            return str(result["extensions"][0]["version"])

        done("cluster_catalog", {**cluster, **catalog})
        try:
            assert made("1.1.0") == "1.1.0"
            assert made("1.0.0", upgrade_constraint_policy="SelfCertified") == "1.0.0"
        finally:
            removed = {**described, "delete_crds": ["greetings.greeter.example.com"]}
            done("fleet_extensions", {**cluster, "extensions": [removed], "state": "absent"})
            done("cluster_catalog", {**cluster, **catalog, "state": "absent"})
