# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""`make demo`: the collection at work on three local clusters, or on those of DEMO_KUBECONFIG."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.connection import Connection
from ansible_collections.fleet.olm.tests.rig.rig import inventory_of

ROOT = Path(__file__).resolve().parents[1]
DEMO = ROOT / ".demo"
BIN = ROOT / ".venv/bin"
CLUSTERS = ("edge-1", "edge-2", "prod-1")


def main() -> int:
    """Entry: up or down."""
    return down() if sys.argv[1:] == ["down"] else up()


def up() -> int:
    """Run the demo."""
    own = os.environ.get("DEMO_KUBECONFIG")
    DEMO.mkdir(exist_ok=True)
    (DEMO / "ansible.log").unlink(missing_ok=True)
    if own:
        names, inventory = _inventory_of(Path(own).expanduser())
        print(f"fleet.olm demo: the {len(names)} contexts of {own}")
    else:
        print(f"fleet.olm demo: three local clusters ({', '.join(CLUSTERS)})", flush=True)
        start = time.monotonic()
        if _rig("up", "--clusters", ",".join(CLUSTERS), "--full", "all", "--certificates", "--registry") != 0:
            return 1
        inventory = DEMO / "rig/inventory.yml"
        _line("control planes", f"ready in {time.monotonic() - start:.1f} s")
    if not _look(inventory):
        return 1
    # Somebody's own clusters are looked at, and nothing more.
    if not own and not _operators(inventory):
        return 1
    log = _shown(DEMO / "ansible.log")
    _line("done", f"Ansible's own words are in {log}; make demo-down removes everything")
    return 0


def down() -> int:
    """Stop the clusters."""
    return _rig("down")


def _play(playbook: Path, inventory: Path, **variables: str) -> dict[str, Any] | None:
    """Run a playbook; what it wrote down. Ansible's own words go to the log."""
    results, log = DEMO / "results.json", DEMO / "ansible.log"
    results.unlink(missing_ok=True)
    extra = json.dumps({"results": str(results), **variables})
    command = [BIN / "ansible-playbook", "-i", inventory, playbook, "-e", extra]
    with open(log, "a", encoding="utf-8") as output:
        subprocess.run(
            [str(word) for word in command],
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=DEMO,
            env=_environment(),
            check=False,
        )
    if not results.exists():
        print(f"  the playbook failed; see {log.relative_to(ROOT)}:\n{log.read_text()[-1500:]}")
        return None
    found: dict[str, Any] = json.loads(results.read_text())
    return found


def _look(inventory: Path) -> bool:
    start = time.monotonic()
    playbook = ROOT / "examples/demo/look.yml"
    found = _play(playbook, inventory)
    if found is None:
        return False
    good = {name: result["cluster"] for name, result in found.items() if "cluster" in result}
    requests = _span([result["requests"] for result in found.values() if "requests" in result])
    _line(
        "cluster_info",
        f"{len(good)} of {len(found)} clusters, {requests} requests each, {time.monotonic() - start:.1f} s",
    )
    _table(
        [
            ("CLUSTER", "KUBERNETES", "OLM V0", "OLM V1", "CERTIFICATES", "YOU ARE", "MAY ADD CRDS"),
            *map(_row, good.items()),
        ]
    )
    for name, result in found.items():
        if name not in good:
            print(f"    {name}: {result.get('msg', 'no answer')}")
    _by_hand(inventory, playbook)
    return len(good) == len(found)


def _operators(inventory: Path) -> bool:
    """The life of a fleet, from the first look to the way back."""
    state = json.loads((DEMO / "rig/rig.json").read_text(encoding="utf-8"))
    registry = str(state["registries"]["open"]["address"])
    if not _catalog(inventory, registry):
        return False
    fleet = Fleet(DEMO / "fleet", registry)
    fleet.write()
    return (
        _mistake(fleet)
        and _rolled_out(fleet, "day zero")
        and _rolled_out(fleet, "again")
        and _held(fleet)
        and _stopped(fleet)
        and _rolled_out(fleet, "upgrade", "the nodes of edge-2 are back, and it is run again")
        and _rolled_back(fleet)
        and _reported(fleet)
        and _rolled_out(fleet, "again", "description and lock file as they were before the upgrade")
    )


class Fleet:
    """The example fleet in a directory of its own, and its playbooks."""

    def __init__(self, home: Path, registry: str) -> None:
        self.home, self.registry = home, registry
        self.greeter: dict[str, Any] = {}
        self.accepted = ""

    def write(self) -> None:
        """The inventory and the description as in the examples, with the clusters of this machine."""
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.copytree(ROOT / "examples/fleet", self.home)
        shutil.copy(DEMO / "rig/kubeconfig", self.home / "kubeconfig")

    def play(self, playbook: str, **variables: Any) -> list[dict[str, Any]]:
        """Run a playbook of the collection; the results of its tasks. Ansible's own words go to the log."""
        record = DEMO / "record.jsonl"
        record.unlink(missing_ok=True)
        accepted = {"accept_permissions": self.accepted} if self.accepted else {}
        reach = {"registry": self.registry, "registry_plain_http": True}
        extra = json.dumps({**reach, **self.greeter, **variables, **accepted})
        command = [BIN / "ansible-playbook", "-i", "clusters.yml", f"fleet.olm.{playbook}", "-e", extra]
        callback = {
            "ANSIBLE_CALLBACK_PLUGINS": str(ROOT / "dev/record"),
            "ANSIBLE_CALLBACKS_ENABLED": "record",
            "RECORD_FILE": str(record),
        }
        with open(DEMO / "ansible.log", "a", encoding="utf-8") as output:
            subprocess.run(
                [str(word) for word in command],
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self.home,
                env={**_environment(), **callback},
                check=False,
            )
        return [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()] if record.exists() else []


def _told(played: list[dict[str, Any]]) -> dict[str, Any]:
    """What the preflight said."""
    return _fact(played, "operators_preflight_told") or {}


def _fact(played: list[dict[str, Any]], name: str) -> Any:
    facts = (line["result"].get("ansible_facts") or {} for line in played)
    return next((found[name] for found in facts if name in found), None)


def _extensions(played: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """What became of the extensions of each cluster that was worked on, in the order in which they were done."""
    return {
        line["cluster"]: line["result"]["extensions"]
        for line in played
        if "nstall" in line["task"] and "extensions" in line["result"]
    }


def _mistake(fleet: Fleet) -> bool:
    """A configuration error on one cluster is found for the whole fleet before any cluster is touched."""
    wrong = fleet.home / "group_vars/prod.yml"
    wrong.write_text("greeter_config:\n  watchNamespaces: greeter-system\n", encoding="utf-8")
    told = _told(fleet.play("preflight"))
    if not told:
        return _failed("the preflight did not come to its end")
    _line("preflight", told["summary"][0])
    for problem in told["problems"]:
        print(f"    {problem}")
    wrong.unlink()
    _line("", "nothing was changed; the demo corrects group_vars/prod.yml")
    return len(told["problems"]) == 1


def _rolled_out(fleet: Fleet, title: str, what: str = "") -> bool:
    start = time.monotonic()
    played = fleet.play("day_zero")
    told, done = _told(played), _extensions(played)
    if not told or told["problems"]:
        return _failed("; ".join(told.get("problems", ["the playbook failed"])))
    waves: list[list[str]] = _fact(played, "fleet_wave_list") or []
    looked = _extensions_looked_at(played)
    requests = _span([sum(item.get("requests", 0) for item in found) for found in (done or looked).values()])
    changed = [cluster for cluster, found in done.items() if any(item["changed"] for item in found)]
    bad = [
        f"{cluster}: {item['message']}"
        for cluster, found in done.items()
        for item in found
        if item["state"] != "installed"
    ]
    steps = ", ".join(f"wave {number}: {' '.join(wave)}" for number, wave in enumerate(waves, 1))
    versions = ", ".join(
        sorted({f"{item['name']} {item['version']}" for found in (done or looked).values() for item in found})
    )
    counted = f"changed={len(changed)} of {len(CLUSTERS)} clusters, {requests} requests each"
    _line(title, f"{what or versions}: {counted}, {time.monotonic() - start:.1f} s" + (f" ({steps})" if steps else ""))
    for line in bad:
        print(f"    {line}")
    return not bad


def _extensions_looked_at(played: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    return {
        line["cluster"]: line["result"]["extensions"] for line in played if line["task"].endswith("what would happen")
    }


def _held(fleet: Fleet) -> bool:
    """The upgrade stops on every cluster, because it gains permissions that nobody accepted."""
    shutil.copy(fleet.home / "fleet.lock.yml", DEMO / "before.lock.yml")
    fleet.greeter = {"greeter_version": "1.1.x", "update_lock": True}
    problems = _told(fleet.play("upgrade")).get("problems", [])
    if len(problems) != 1 or "it gains permissions" not in problems[0]:
        return _failed(f"the upgrade was not held: {problems}")
    gain, _semicolon, accept = problems[0].partition("held until accepted: ")[2].partition("; accept with ")
    fleet.accepted = accept.partition(": ")[2]
    _line("upgrade", "greeter 1.0.0 → 1.1.0 gains permissions; held on every cluster until accepted:")
    print(f"    + {gain}\n    accept with  {accept}")
    return True


def _stopped(fleet: Fleet) -> bool:
    """One cluster cannot start the new pods: the wave after it stays as it is."""
    start = time.monotonic()
    _schedulable("edge-2", False)
    played = fleet.play("upgrade")
    _schedulable("edge-2", True)
    failed = [
        f"{cluster}: {item['message']}"
        for cluster, found in _extensions(played).items()
        for item in found
        if item["state"] == "failed"
    ]
    if len(failed) != 1 or "prod-1" in _extensions(played):
        return _failed(f"the wave did not stop: {failed}")
    _line(
        "upgrade",
        f"accepted; edge-2 has no node for its pods, so wave 1 fails and prod-1 stays as it is, {time.monotonic() - start:.1f} s",
    )
    print(f"    {failed[0]}")
    return True


def _schedulable(cluster: str, well: bool) -> None:
    connection = Connection.from_options({"kubeconfig": str(DEMO / "rig/kubeconfig"), "context": cluster})
    with Client(connection) as client:
        for node in client.each("/api/v1/nodes"):
            client.merge(f"/api/v1/nodes/{node['metadata']['name']}", {"spec": {"unschedulable": not well}})


def _rolled_back(fleet: Fleet) -> bool:
    start = time.monotonic()
    played = fleet.play("rollback", extensions="greeter")
    done = {line["cluster"]: line["result"]["extensions"] for line in played if "extensions" in line["result"]}
    if len(done) != len(CLUSTERS) or not all(found[0]["changed"] for found in done.values()):
        return _failed("the way back failed")
    _line("back", f"greeter as it was, from the records on {len(done)} clusters, {time.monotonic() - start:.1f} s")
    shutil.copy(DEMO / "before.lock.yml", fleet.home / "fleet.lock.yml")
    fleet.greeter, fleet.accepted = {}, ""
    return True


def _failed(why: str) -> bool:
    print(f"  {why}; see {_shown(DEMO / 'ansible.log')}")
    return False


def _catalog(inventory: Path, registry: str) -> bool:
    """The example bundles as images, and a catalog of them."""
    start = time.monotonic()
    shutil.rmtree(DEMO / "catalog", ignore_errors=True)
    playbook = ROOT / "examples/demo/catalog.yml"
    found = _play(playbook, inventory, registry=registry, catalog=str(DEMO / "catalog"))
    if found is None:
        return False
    packages = [f"{item['name']} ({item['default_channel']})" for item in found["found"]["packages"]]
    _line("catalog", f"{', '.join(packages)} in a registry, {time.monotonic() - start:.1f} s")
    return True


def _reported(fleet: Fleet) -> bool:
    page = DEMO / "report.html"
    fleet.play("report", report_html_dest=str(page))
    if not page.exists():
        return _failed("no report was written")
    _line("report", f"open {_shown(page)}")
    return True


def _span(numbers: list[int]) -> str:
    return "–".join(str(number) for number in sorted({min(numbers), max(numbers)})) if numbers else "no"


def _by_hand(inventory: Path, playbook: Path) -> None:
    _line("by hand", "ANSIBLE_COLLECTIONS_PATH=.build/collections .venv/bin/ansible-playbook \\")
    _line("", f"    -i {_shown(inventory)} {_shown(playbook)}")


def _row(item: tuple[str, dict[str, Any]]) -> tuple[str, ...]:
    name, cluster = item
    release = cluster["kubernetes"]["version"]
    if cluster["openshift"]:
        release += f" (OpenShift {cluster['openshift']['version'] or 'of unknown version'})"
    return (
        name,
        release,
        *(_olm(cluster[generation]) for generation in ("olm_v0", "olm_v1")),
        ", ".join(cluster["certificate_providers"]) or "none",
        cluster["identity"]["username"] if cluster["identity"] else "unknown",
        "yes" if cluster["may"][0]["allowed"] else "no",
    )


def _olm(found: dict[str, Any]) -> str:
    return (found["version"] or "yes") if found["installed"] else "no"


def _table(rows: list[tuple[str, ...]]) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("    " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _inventory_of(kubeconfig: Path) -> tuple[list[str], Path]:
    """An inventory with a host for every context of a kubeconfig."""
    try:
        contexts = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))["contexts"]
        names = [str(context["name"]) for context in contexts]
    except (OSError, yaml.YAMLError, KeyError, TypeError) as error:
        raise SystemExit(f"DEMO_KUBECONFIG={kubeconfig} is no kubeconfig with contexts: {error}") from None
    path = DEMO / "inventory.yml"
    path.write_text(yaml.safe_dump(inventory_of(kubeconfig.resolve(), names)), encoding="utf-8")
    return names, path


def _rig(*arguments: str) -> int:
    command = [
        str(BIN / "python"),
        "-m",
        "ansible_collections.fleet.olm.tests.rig",
        *arguments,
        "--dir",
        str(DEMO / "rig"),
    ]
    return subprocess.run(command, env=_environment(), stdout=subprocess.DEVNULL, check=False).returncode


def _environment() -> dict[str, str]:
    collections = str(ROOT / ".build/collections")
    settings = {"ANSIBLE_COLLECTIONS_PATH": collections, "ANSIBLE_HOME": str(DEMO / "ansible"), "ANSIBLE_NOCOLOR": "1"}
    return {**os.environ, "PYTHONPATH": collections, **settings}


def _line(title: str, text: str) -> None:
    print(f"  {title:<16} {text}", flush=True)


def _shown(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


if __name__ == "__main__":
    sys.exit(main())
