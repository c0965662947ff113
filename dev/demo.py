# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""`make demo`: the collection at work on three local clusters, or on those of DEMO_KUBECONFIG."""

from __future__ import annotations

import json
import os
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
    if own:
        names, inventory = _inventory_of(Path(own).expanduser())
        print(f"fleet.olm demo: the {len(names)} contexts of {own}")
    else:
        print(f"fleet.olm demo: three local clusters ({', '.join(CLUSTERS)})", flush=True)
        start = time.monotonic()
        if _rig("up", "--clusters", ",".join(CLUSTERS)) != 0:
            return 1
        inventory = DEMO / "rig/inventory.yml"
        _line("control planes", f"ready in {time.monotonic() - start:.1f} s")
    return _look(inventory)


def down() -> int:
    """Stop the clusters."""
    return _rig("down")


def _look(inventory: Path) -> int:
    results, log = DEMO / "results.json", DEMO / "ansible.log"
    results.unlink(missing_ok=True)
    start = time.monotonic()
    playbook = ROOT / "examples/demo/look.yml"
    command = [BIN / "ansible-playbook", "-i", inventory, playbook, "-e", json.dumps({"results": str(results)})]
    with open(log, "w", encoding="utf-8") as output:
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
        return 1
    found = json.loads(results.read_text())
    good = {name: result["cluster"] for name, result in found.items() if "cluster" in result}
    requests = sorted({result["requests"] for result in found.values() if "requests" in result})
    cost = f"{'–'.join(str(number) for number in requests[:: max(1, len(requests) - 1)])} requests each"
    _line("cluster_info", f"{len(good)} of {len(found)} clusters, {cost}, {time.monotonic() - start:.1f} s")
    _table(
        [
            ("CLUSTER", "KUBERNETES", "OLM V0", "OLM V1", "CERTIFICATES", "YOU ARE", "MAY ADD CRDS"),
            *map(_row, good.items()),
        ]
    )
    for name, result in found.items():
        if name not in good:
            print(f"    {name}: {result.get('msg', 'no answer')}")
    _line("by hand", "ANSIBLE_COLLECTIONS_PATH=.build/collections .venv/bin/ansible-playbook \\")
    _line("", f"    -i {_shown(inventory)} {_shown(playbook)}")
    _line("done", f"Ansible's own words are in {_shown(log)}; make demo-down removes everything")
    return 0 if len(good) == len(found) else 1


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
