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
    """A catalog of two operators, both on every cluster, the same again, and an upgrade that gains permissions."""
    playbook = ROOT / "examples/demo/install.yml"
    state = json.loads((DEMO / "rig/rig.json").read_text(encoding="utf-8"))
    registry = str(state["registries"]["open"]["address"])
    newer = {"registry": registry, "greeter_version": "1.1.x"}
    return (
        _catalog(inventory, registry)
        and _installed("install", inventory, playbook, registry=registry)
        and _installed("again", inventory, playbook, registry=registry)
        and _held(inventory, playbook, newer)
        and _installed("upgrade", inventory, playbook, accept_permissions="all", **newer)
        and _installed("back", inventory, ROOT / "examples/demo/roll_back.yml")
    )


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


def _installed(title: str, inventory: Path, playbook: Path, **variables: str) -> bool:
    start = time.monotonic()
    found = _play(playbook, inventory, **variables)
    if found is None:
        return False
    results = [(name, cluster, result) for name, of in found.items() for cluster, result in of.items()]
    changed = sum(result["changed"] for _name, _cluster, result in results)
    failed = [(name, cluster, result["msg"]) for name, cluster, result in results if result.get("failed")]
    requests = _span([result["requests"] for _name, _cluster, result in results if "requests" in result])
    versions = ", ".join(sorted({f"{name} {_version(result)}" for name, _cluster, result in results}))
    what = f"{versions}: changed={changed} of {len(results)}, {requests} requests each"
    _line(title, f"{what}, {time.monotonic() - start:.1f} s")
    for name, cluster, message in failed:
        print(f"    {cluster}  {name}  {message}")
    return not failed


def _held(inventory: Path, playbook: Path, newer: dict[str, str]) -> bool:
    """The upgrade stops on every cluster, because it gains permissions that nobody accepted."""
    found = _play(playbook, inventory, **newer)
    messages = {result.get("msg", "") for result in (found or {}).get("greeter", {}).values()}
    if len(messages) != 1 or "it gains permissions" not in next(iter(messages)):
        print(f"  the upgrade was not held: {messages}")
        return False
    gain, _semicolon, accept = next(iter(messages)).partition("held until accepted: ")[2].partition("; accept with ")
    _line("upgrade", "greeter 1.0.0 → 1.1.0 gains permissions; held on every cluster until accepted:")
    print(f"    + {gain}\n    accept with  {accept}")
    return True


def _version(result: dict[str, Any]) -> str:
    return str((result.get("bundle") or {}).get("version", "?"))


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
