# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Two bundles side by side."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import Bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.registry_v1 import read_bundle
from ansible_collections.fleet.olm.plugins.module_utils.compare.bundles import as_data, compare_bundles
from ansible_collections.fleet.olm.plugins.module_utils.compare.markdown import as_markdown
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.bundle_files import webhook

EXAMPLES = Path(__file__).resolve().parents[5] / "examples" / "bundles"


@pytest.fixture(scope="module")
def greeter() -> Bundle:
    return read_bundle(EXAMPLES / "greeter")


@pytest.fixture(scope="module")
def newer() -> Bundle:
    return read_bundle(EXAMPLES / "greeter-1.1.0")


def changed(bundle: Bundle, change: Callable[[Any], None], crds: tuple[Any, ...] | None = None) -> Bundle:
    """A bundle whose ClusterServiceVersion was changed."""
    csv = copy.deepcopy(bundle.csv)
    change(csv)
    return Bundle(package=bundle.package, csv=csv, crds=bundle.crds if crds is None else crds)


def test_a_bundle_and_itself(greeter: Bundle) -> None:
    comparison = compare_bundles(greeter, greeter)
    assert (comparison.breaking, comparison.permissions_digest) == ([], None)
    assert "Nothing that matters" in as_markdown(comparison)


def test_an_upgrade_that_gains_permissions(greeter: Bundle, newer: Bundle) -> None:
    data = as_data(compare_bundles(greeter, newer))
    assert data["breaking"] == []
    assert data["permissions"]["gained"] == ["may read and list Secrets in all namespaces (service account greeter)"]
    assert data["permissions"]["digest"].startswith("sha256:")
    assert [change["path"] for change in data["crds"]["changed"]] == ["spec.language"]
    assert data["images"] == {
        "added": ["registry.example.com/greeter/controller:1.1.0"],
        "removed": ["registry.example.com/greeter/controller:1.0.0"],
    }


def test_the_way_back_loses_what_was_gained(greeter: Bundle, newer: Bundle) -> None:
    data = as_data(compare_bundles(newer, greeter))
    assert data["permissions"]["gained"] == []
    assert data["permissions"]["lost"] == ["may read and list Secrets in all namespaces (service account greeter)"]
    assert any("spec.language" in line for line in data["breaking"])


def only_own_namespace(csv: Any) -> None:
    for mode in csv["spec"]["installModes"]:
        mode["supported"] = mode["type"] == "OwnNamespace"


def test_a_configuration_in_use_that_would_be_refused(greeter: Bundle) -> None:
    narrower = changed(greeter, only_own_namespace)
    comparison = compare_bundles(greeter, narrower, {"watchNamespace": "team-a"}, "greeter-system")
    assert comparison.install_modes.removed == ("AllNamespaces", "SingleNamespace")
    assert any(line.startswith("the configuration in use would be refused: ") for line in comparison.breaking)
    assert "watchNamespace is now required" in comparison.breaking
    fits = compare_bundles(greeter, narrower, {"watchNamespace": "greeter-system"}, "greeter-system")
    assert fits.config_problems == ()


def test_what_comes_and_goes(greeter: Bundle) -> None:
    def change(csv: Any) -> None:
        csv["spec"]["minKubeVersion"] = "1.30.0"
        csv["spec"]["webhookdefinitions"] = [{"type": "MutatingAdmissionWebhook", "generateName": "m.example.com"}]
        csv["spec"]["apiservicedefinitions"] = {"owned": [{"group": "example.com", "version": "v1"}]}

    comparison = compare_bundles(greeter, changed(greeter, change, crds=()))
    assert comparison.min_kube_version == ("1.27.0", "1.30.0")
    assert comparison.webhooks.added == ("MutatingAdmissionWebhook m.example.com",)
    assert comparison.breaking == [
        "the CRD greetings.greeter.example.com is no longer part of the bundle",
        "the APIService 'v1.example.com' is not installed by OLM v1",
    ]
    assert "at least 1.27.0 was needed, now 1.30.0" in as_markdown(comparison)


def hooked(bundle: Bundle, *webhooks: dict[str, Any]) -> Bundle:
    return changed(bundle, lambda csv: csv["spec"].update(webhookdefinitions=list(webhooks)))


@pytest.mark.parametrize(
    ("after", "fields"),
    [
        pytest.param(webhook(), [], id="the same"),
        pytest.param(webhook(failurePolicy="Fail"), ["failurePolicy"], id="a field more"),
        pytest.param(webhook(sideEffects="Some", rules=[]), ["rules", "sideEffects"], id="other values"),
        pytest.param(
            {key: value for key, value in webhook().items() if key != "webhookPath"}, ["webhookPath"], id="a field less"
        ),
        pytest.param(webhook(objectSelector=None), [], id="a field that says nothing"),
    ],
)
def test_webhooks_that_are_called_otherwise(greeter: Bundle, after: dict[str, Any], fields: list[str]) -> None:
    name = "ValidatingAdmissionWebhook vtea.drinks.example"
    comparison = compare_bundles(hooked(greeter, webhook()), hooked(greeter, after))
    expected = [{"webhook": name, "fields": fields}] if fields else []
    assert as_data(comparison)["webhooks"] == {"added": [], "removed": [], "changed": expected}
    assert (f"- changed: {name}: {', '.join(fields)}\n" in as_markdown(comparison)) == bool(fields)


def test_a_webhook_of_another_type_or_name_is_another(greeter: Bundle) -> None:
    mutating, renamed = webhook("MutatingAdmissionWebhook"), webhook(name="other.drinks.example")
    found = as_data(compare_bundles(hooked(greeter, webhook()), hooked(greeter, mutating, renamed)))["webhooks"]
    assert found == {
        "added": ["MutatingAdmissionWebhook vtea.drinks.example", "ValidatingAdmissionWebhook other.drinks.example"],
        "removed": ["ValidatingAdmissionWebhook vtea.drinks.example"],
        "changed": [],
    }


def test_text_of_a_bundle_does_not_become_markup(greeter: Bundle) -> None:
    def change(csv: Any) -> None:
        csv["spec"]["relatedImages"] = [{"name": "x", "image": "<script>|`*"}]

    text = as_markdown(compare_bundles(greeter, changed(greeter, change)))
    assert "<script>" not in text
    assert "added: &lt;script>\\|\\`\\*" in text
