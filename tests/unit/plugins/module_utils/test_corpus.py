# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Real bundles: the manifests equal those of OLM v1, and what it refuses is refused.

The corpus lies beside the checkout; where it is not, these tests are skipped.
"""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle import yaml_text
from ansible_collections.fleet.olm.plugins.module_utils.bundle.facts import bundle_facts
from ansible_collections.fleet.olm.plugins.module_utils.bundle.registry_v1 import read_bundle
from ansible_collections.fleet.olm.plugins.module_utils.compare.bundles import as_data, compare_bundles
from ansible_collections.fleet.olm.plugins.module_utils.config.parse import Config
from ansible_collections.fleet.olm.plugins.module_utils.config.schema import ConfigSchema, schema_of
from ansible_collections.fleet.olm.plugins.module_utils.errors import FleetError
from ansible_collections.fleet.olm.plugins.module_utils.render.pipeline import render

CORPUS = Path(__file__).resolve().parents[4].parent / "shared" / "corpus"
BUNDLES = sorted(path.name for path in (CORPUS / "bundles").glob("*")) if CORPUS.is_dir() else []
CONFIGURATIONS = (CORPUS / "config-cases.jsonl").read_text().splitlines() if BUNDLES else []
WATCHED: dict[str, dict[str, Any]] = {
    "all": {},
    "own": {"watchNamespace": "install-ns"},
    "single": {"watchNamespace": "watch-ns"},
}

pytestmark = pytest.mark.skipif(not BUNDLES, reason=f"the corpus of real bundles is not there: {CORPUS}")


@pytest.fixture(scope="module")
def compare() -> ModuleType:
    spec = importlib.util.spec_from_file_location("corpus_compare", CORPUS / "compare.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", BUNDLES)
def test_manifests_equal_those_of_olm_v1(name: str, compare: ModuleType) -> None:
    expected = compare.load(CORPUS / "expected" / f"{name}.json.gz")
    bundle = read_bundle(CORPUS / "bundles" / name)
    deployment_config = json.loads((CORPUS / "deployment-config.json").read_text())

    assert [mode for mode in bundle.supported_install_modes if mode in expected["installModes"]] == sorted(
        expected["installModes"]
    )
    assert (schema_of(bundle).document or {}).get("required", []) == expected["required"]
    for case, watched in WATCHED.items():
        for group, raw in (
            ("cases", watched),
            ("deploymentConfigCases", {**watched, "deploymentConfig": deployment_config}),
        ):
            then = expected[group].get(case)
            if then is None:
                continue
            if "error" in then:
                with pytest.raises(FleetError):
                    rendered(bundle, raw)
                continue
            wanted = then["objects"] if group == "cases" else then["deployments"]
            manifests = [one for one in rendered(bundle, raw) if group == "cases" or one["kind"] == "Deployment"]
            assert compare.compare(wanted, manifests) == [], f"{group} {case}"


def rendered(bundle: Any, raw: Any) -> list[dict[str, Any]]:
    return list(render(bundle, Config.parse(raw, schema_of(bundle), "install-ns"), "install-ns", "cert-manager"))


@pytest.mark.parametrize("name", BUNDLES)
def test_both_parsers_read_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = read_bundle(CORPUS / "bundles" / name)
    monkeypatch.setattr(yaml_text, "ryaml", None)

    assert read_bundle(CORPUS / "bundles" / name) == fast


@pytest.mark.parametrize("name", BUNDLES)
def test_facts_are_plain_data(name: str) -> None:
    facts = bundle_facts(read_bundle(CORPUS / "bundles" / name))

    assert json.loads(json.dumps(facts)) == facts
    assert facts["images"]


@pytest.mark.parametrize("line", CONFIGURATIONS, ids=lambda line: str(CONFIGURATIONS.index(line) + 1))
def test_configurations_are_decided_as_olm_v1_does(line: str) -> None:
    case = json.loads(line)
    schema = ConfigSchema("bundle", install_modes=tuple(case["modes"]))
    if case.get("accepted"):
        Config.parse(case["config"], schema, case["namespace"])
        return
    with pytest.raises(FleetError, match=r"^invalid bundle configuration: "):
        Config.parse(case["config"], schema, case["namespace"])


def test_bindings_that_a_bundle_ships_are_permissions() -> None:
    flux = read_bundle(CORPUS / "bundles" / "flux.0.13.4")
    bare = replace(flux, others=tuple(item for item in flux.others if item["kind"] != "ClusterRoleBinding"))
    gained = as_data(compare_bundles(bare, flux))["permissions"]["gained"]
    assert (
        "may do all that is allowed by ClusterRoles named cluster-admin in all namespaces (service account helm-controller)"
        in gained
    )
    assert {line.rpartition("(service account ")[2] for line in gained} == {
        f"{name}-controller)"
        for name in ("helm", "image-automation", "image-reflector", "kustomize", "notification", "source")
    }
