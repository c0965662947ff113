# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whatever a text of a bundle holds, it is read, rendered, converted and begun anew, or refused in words; never a traceback.

FLEET_OLM_FUZZ sets how many are tried, FLEET_OLM_SEED where chance begins.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from ansible_collections.fleet.olm.plugins.module_utils.authoring.convert import converted_files
from ansible_collections.fleet.olm.plugins.module_utils.authoring.scaffold import scaffold
from ansible_collections.fleet.olm.plugins.module_utils.bundle.facts import bundle_facts
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import read_directory
from ansible_collections.fleet.olm.plugins.module_utils.config.parse import Config
from ansible_collections.fleet.olm.plugins.module_utils.config.schema import schema_of
from ansible_collections.fleet.olm.plugins.module_utils.errors import FleetError
from ansible_collections.fleet.olm.plugins.module_utils.render.pipeline import digest, render

from ..test_bundle_fuzz import SEED, TIMES, changed_text
from .given import api_service, binding, crd, deployment, olm, role, rule, service, webhooks

KIALI = Path(__file__).resolve().parents[5] / "examples" / "bundles" / "kiali-k8sv1"
SERVING = [
    deployment(volumes=[{"name": "v", "emptyDir": {}}]),
    service(),
    webhooks(),
    webhooks("MutatingWebhookConfiguration"),
    crd(),
    role("all", aggregationRule={"clusterRoleSelectors": [{"matchLabels": {"x": "z"}}]}),
    role("part", rule("cups.example.com", "cups"), labels={"x": "z"}),
    binding("all", "tea", optional=True),
]
BUNDLES: dict[str, Mapping[str, str]] = {
    "kiali": {path.name: path.read_text(encoding="utf-8") for path in KIALI.glob("*.yaml")},
    "serving": {"olm.yaml": yaml.safe_dump(olm()), "all.yaml": yaml.safe_dump_all(SERVING)},
    "aggregated": {
        "olm.yaml": yaml.safe_dump(olm(apis=[{"apiVersion": "cups.example.com/v1", "kind": "Cup"}])),
        "all.yaml": yaml.safe_dump_all([deployment(), service(), api_service()]),
    },
}


@pytest.mark.parametrize("name", BUNDLES)
def test_texts(name: str, tmp_path: Path) -> None:
    print(f"FLEET_OLM_SEED={SEED}")
    chance = random.Random(SEED)  # noqa: S311 - tests need the same chance again, not a secret one
    files = BUNDLES[name]
    refusals, read = [], 0
    for file, text in files.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    for _time in range(TIMES // 2):
        victim = chance.choice(list(files))
        (tmp_path / victim).write_bytes(changed_text(files[victim], chance))
        for work in (everything, begun):
            try:
                work(tmp_path)
                read += 1
            except FleetError as error:
                refusals.append(str(error))
        (tmp_path / victim).write_text(files[victim], encoding="utf-8")
    assert read
    assert refusals
    assert all(refusals)


def everything(root: Path) -> None:
    bundle = read_directory(root)
    bundle_facts(bundle)
    digest(render(bundle, Config.parse(None, schema_of(bundle), "home"), "home", "cert-manager"))
    converted_files(bundle, "registry+v1")


def begun(root: Path) -> None:
    scaffold(root, root, None, None, None, update=True)
