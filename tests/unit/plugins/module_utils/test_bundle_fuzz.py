# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whatever a bundle or configuration holds, it is read and rendered, or refused in words; never a traceback.

FLEET_OLM_FUZZ sets how many of each are tried, FLEET_OLM_SEED where chance begins.
"""

from __future__ import annotations

import os
import random
import secrets
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.plugins.module_utils.bundle.facts import bundle_facts
from ansible_collections.fleet.olm.plugins.module_utils.bundle.registry_v1 import read_bundle
from ansible_collections.fleet.olm.plugins.module_utils.config.parse import Config
from ansible_collections.fleet.olm.plugins.module_utils.config.schema import schema_of
from ansible_collections.fleet.olm.plugins.module_utils.errors import FleetError
from ansible_collections.fleet.olm.plugins.module_utils.render.pipeline import digest, render
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.bundle_files import (
    bundle_csv,
    crd,
    deployment,
    strategy,
    webhook,
    write_bundle,
)

TIMES = int(os.environ.get("FLEET_OLM_FUZZ", "300"))
SEED = int(os.environ.get("FLEET_OLM_SEED", "0")) or secrets.randbelow(2**31)

CSV = bundle_csv(
    webhookdefinitions=[webhook(), webhook("MutatingAdmissionWebhook")],
    customresourcedefinitions={"owned": [{"name": "teas.drinks.example", "version": "v1", "kind": "Tea"}]},
    install=strategy(
        deployments=[deployment(volumes=[{"name": "v", "emptyDir": {}}], tolerations=[{"key": "k"}])],
        permissions=[
            {"serviceAccountName": "tea", "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]}
        ],
        clusterPermissions=[{"rules": [{"nonResourceURLs": ["/x"], "verbs": ["get"]}]}],
    ),
    relatedImages=[{"name": "x", "image": "example/y:1"}],
)
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"ports": [{"port": 1}]}}
FILES = {
    "manifests/csv.yaml": yaml.safe_dump(CSV),
    "manifests/crd.yaml": yaml.safe_dump(crd()),
    "manifests/service.yaml": yaml.safe_dump(SERVICE),
    "metadata/annotations.yaml": "annotations:\n  operators.operatorframework.io.bundle.package.v1: tea\n",
    "metadata/properties.yaml": "properties:\n- type: a\n  value: {b: 1}\n",
}
CONFIG: dict[str, Any] = {
    "watchNamespace": "away",
    "deploymentConfig": {
        "nodeSelector": {"a": "b"},
        "tolerations": [{"key": "k", "tolerationSeconds": 5}],
        "resources": {"limits": {"cpu": "1"}},
        "env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}],
        "envFrom": [{"secretRef": {"name": "x", "optional": True}}],
        "volumes": [{"name": "v", "configMap": {"items": [{"key": "k", "path": "p"}]}}],
        "volumeMounts": [{"name": "v", "mountPath": "/v"}],
        "affinity": {"nodeAffinity": {}},
        "annotations": {"a": "b"},
    },
}
STRANGE: tuple[Any, ...] = (
    None, True, False, 0, -1, 2**31, 2**63, 2**64, 10**400, 1.5, 1e300, float("nan"), float("inf"), "", "x", "0", "yes", "1e9999", "\ud800",
    "\x00", "ä" * 300, "*", "-", ".", [], [None], [[]], {}, {"": None}, {"a": {"b": []}}, b"bytes", object(), (), {1: 2}, {None: 1}, {True: {}},
)  # fmt: skip
TOKENS = (
    "yes", "010", "~", "null", "[]", "{}", "[a, [b", "{a: {b", "&a", "*a", "<<", "!!int", "!x", "|", ">", "---", "--- x", "...", "%YAML 1.1", "\t",
    ": ", "- ", "? ", "#", "'", '"', "\\", "\x00", "\x85", "\ufeff", "0x", "1e999", ".nan", "99999999999999999999", "a: b: c", "@", "`", "items:", "kind:",
)  # fmt: skip


@pytest.fixture
def chance() -> random.Random:
    print(f"FLEET_OLM_SEED={SEED}")
    return random.Random(SEED)  # noqa: S311


def changed_text(text: str, chance: random.Random) -> bytes:
    """The text with a few of its lines changed, or a few bytes of it."""
    lines = text.split("\n")
    for _time in range(chance.choice((1, 1, 2, 4))):
        place = chance.randrange(len(lines))
        line = lines[place]
        what = chance.randrange(7)
        if what == 0:
            key, colon, _value = line.partition(": ")
            lines[place] = f"{key}{colon}{chance.choice(TOKENS)}"
        elif what == 1:
            lines.insert(place, chance.choice(TOKENS))
        elif what == 2:
            lines[place] = " " * chance.randrange(4) + line
        elif what == 3:
            lines[place] = line[1:]
        elif what == 4:
            lines.insert(place, line)
        elif what == 5:
            cut = chance.randrange(len(line) + 1)
            lines[place] = line[:cut] + chance.choice(TOKENS) + line[cut:]
        else:
            lines[place] = ""
    content = "\n".join(lines)
    if chance.random() < 0.1:
        raw = bytearray(content.encode("utf-8", "replace"))
        raw[chance.randrange(len(raw))] = chance.randrange(256)
        return bytes(raw)
    return content.encode("utf-8", "replace")


def changed_data(value: Any, chance: random.Random) -> Any:
    """The data with something strange in some place of it."""
    if chance.random() < 0.15 or not isinstance(value, (dict, list)) or not value:
        return chance.choice(STRANGE)
    if isinstance(value, list):
        place = chance.randrange(len(value))
        return [changed_data(item, chance) if number == place else item for number, item in enumerate(value)]
    key = chance.choice(list(value))
    if chance.random() < 0.15:
        return {**value, chance.choice(("Name", "unknown", "", 1, None, "watchnamespace")): chance.choice(STRANGE)}
    return {**value, key: changed_data(value[key], chance)}


def test_bundles(tmp_path: Path, chance: random.Random) -> None:
    refusals, rendered = [], 0
    for _time in range(TIMES):
        victim = chance.choice(list(FILES))
        write_bundle(tmp_path, files={**FILES, victim: changed_text(FILES[victim], chance)})
        try:
            bundle = read_bundle(tmp_path)
            bundle_facts(bundle)
            digest(render(bundle, Config.parse({}, schema_of(bundle), "home"), "home", "cert-manager"))
            rendered += 1
        except FleetError as error:
            refusals.append(str(error))

    assert rendered
    assert refusals
    assert all(refusals)


def test_configurations(tmp_path: Path, chance: random.Random) -> None:
    bundle = read_bundle(write_bundle(tmp_path, CSV, crd()))
    schema = schema_of(bundle)
    refusals, rendered = [], 0
    for _time in range(TIMES):
        raw: Any = changed_data(CONFIG, chance)
        if chance.random() < 0.2:
            raw = changed_text(yaml.safe_dump(CONFIG), chance).decode("utf-8", "replace")
        try:
            config = Config.parse(raw, schema, "home")
        except FleetError as error:
            refusals.append(str(error))
            continue
        digest(render(bundle, config, "home", "cert-manager"))
        rendered += 1

    assert rendered
    assert refusals
    assert all(refusal.startswith("invalid bundle configuration: ") for refusal in refusals)
