# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bundles from one format to the other and back: the same operator comes out.

The corpus of real bundles lies beside the checkout; where it is not, the examples have to do.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.fleet.olm.plugins.module_utils.authoring.convert import converted_files
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import read_directory
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import Bundle
from ansible_collections.fleet.olm.plugins.module_utils.config.parse import Config
from ansible_collections.fleet.olm.plugins.module_utils.config.schema import schema_of
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, perform
from ansible_collections.fleet.olm.plugins.module_utils.errors import FleetError
from ansible_collections.fleet.olm.plugins.module_utils.render.pipeline import render
from ansible_collections.fleet.olm.plugins.modules.bundle_convert import PROGRAM
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.bundle_files import (
    bundle_csv,
    crd,
    deployment,
    install_modes,
    strategy,
    webhook,
    write_bundle,
)

from ..csvless import given as plain
from ..csvless.given import effective

ROOT = Path(__file__).resolve().parents[5]
CORPUS = ROOT.parent / "shared" / "corpus" / "bundles"
EXAMPLES = sorted((ROOT / "examples" / "bundles").iterdir())
REAL = sorted(CORPUS.iterdir()) if CORPUS.is_dir() else []
# What k8s+v1 cannot express, and what no API server would take.
REFUSED = (
    "wildcards are not accepted",
    "cluster-admin",
    "has no apiVersion",
    "no deployment runs as it",
    "OLM makes a Service of this name itself",
)
WATCHED = {
    "AllNamespaces": None,
    "OwnNamespace": {"watchNamespace": "home"},
    "SingleNamespace": {"watchNamespace": "away"},
}


def stored(root: Path, files: dict[str, str]) -> Bundle:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return read_directory(root)


def rendering(bundle: Bundle, mode: str) -> set[str]:
    """What is applied. Old CRDs lose their schema in registry+v1, and namespaces of subjects are the user's to choose."""
    return {json.dumps(without_places(item), sort_keys=True) for item in rendered(bundle, mode)}


def rendered(bundle: Bundle, mode: str) -> tuple[dict[str, Any], ...]:
    return render(bundle, Config.parse(WATCHED[mode], schema_of(bundle), "home"), "home", "cert-manager")


def without_rbac(manifests: set[str]) -> set[str]:
    return {text for text in manifests if not json.loads(text)["kind"].endswith(("Role", "Binding", "ServiceAccount"))}


def without_places(manifest: dict[str, Any]) -> dict[str, Any]:
    if "subjects" not in manifest:
        return manifest
    return {**manifest, "subjects": [{"kind": item["kind"], "name": item["name"]} for item in manifest["subjects"]]}


def modes(bundle: Bundle) -> list[str]:
    return [mode for mode in bundle.supported_install_modes if mode in WATCHED]


@pytest.mark.parametrize("source", EXAMPLES, ids=lambda path: path.name)
def test_examples_there_and_back(source: Path, tmp_path: Path) -> None:
    there_and_back(read_directory(source), tmp_path)


@pytest.mark.skipif(not REAL, reason=f"the corpus of real bundles is not there: {CORPUS}")
@pytest.mark.parametrize("source", REAL, ids=lambda path: path.name)
def test_real_bundles_there_and_back(source: Path, tmp_path: Path) -> None:
    bundle = read_directory(source)
    if any(item.get("apiVersion") == "apiextensions.k8s.io/v1beta1" for item in bundle.crds):
        pytest.skip("has CRDs of v1beta1, whose schema registry+v1 loses and k8s+v1 keeps")
    try:
        there_and_back(bundle, tmp_path)
    except FleetError as error:
        refused = str(error).splitlines()
        assert all(any(reason in line for reason in REFUSED) for line in refused), refused


def there_and_back(bundle: Bundle, tmp_path: Path) -> None:
    other = "registry+v1" if bundle.format == "k8s+v1" else "k8s+v1"
    there = stored(tmp_path / "there", converted_files(bundle, other)[0])
    back = stored(tmp_path / "back", converted_files(there, bundle.format)[0])
    assert (there.format, there.package, there.name, there.version) == (
        other,
        bundle.package,
        bundle.name,
        bundle.version,
    )
    assert there.annotations == {**(there.annotations or {}), **without_format(bundle)}
    for mode in modes(bundle):
        assert rendering(there, mode) == rendering(bundle, mode)
        # Roles that were shipped come back as permissions where only those follow an account into any namespace.
        assert effective(rendered(back, mode)) == effective(rendered(bundle, mode))
        assert without_rbac(rendering(back, mode)) == without_rbac(rendering(bundle, mode))


def without_format(bundle: Bundle) -> dict[str, str]:
    return {
        key: value
        for key, value in (bundle.annotations or {}).items()
        if not key.endswith((".mediatype.v1", ".manifests.v1", ".metadata.v1"))
    }


def permission(account: str = "default", resource: str = "pods") -> dict[str, Any]:
    return {"serviceAccountName": account, "rules": [{"apiGroups": [""], "resources": [resource], "verbs": ["get"]}]}


def test_webhooks_there_and_back(tmp_path: Path) -> None:
    definitions = [
        webhook(),
        webhook(name="vother.drinks.example", targetPort=9444, webhookPath="/other"),
        webhook("MutatingAdmissionWebhook", reinvocationPolicy="Never", objectSelector={"matchLabels": {"a": "b"}}),
        webhook("ConversionWebhook", "ctea", conversionCRDs=["teas.drinks.example"], webhookPath="/convert"),
    ]
    for definition in definitions:
        definition.pop("rules", None) if definition["type"] == "ConversionWebhook" else None
    csv = bundle_csv(
        webhookdefinitions=definitions,
        installModes=install_modes("AllNamespaces"),
        customresourcedefinitions={"owned": [{"name": "teas.drinks.example", "version": "v1", "kind": "Teas"}]},
    )
    there_and_back(read_directory(write_bundle(tmp_path / "given", csv, crd())), tmp_path)


def test_permissions_of_other_accounts_there_and_back(tmp_path: Path) -> None:
    details = strategy(deployments=[deployment()], clusterPermissions=[permission(), permission("agent", "nodes")])
    there_and_back(read_directory(write_bundle(tmp_path / "given", bundle_csv(install=details))), tmp_path)


@pytest.mark.parametrize("mode", ["AllNamespaces", "OwnNamespace"])
def test_permissions_in_the_one_namespace_there_is_there_and_back(mode: str, tmp_path: Path) -> None:
    details = strategy(deployments=[deployment()], permissions=[permission(), permission("agent", "nodes")])
    csv = bundle_csv(install=details, installModes=install_modes(mode))
    there_and_back(read_directory(write_bundle(tmp_path / "given", csv)), tmp_path)


def test_annotations_of_a_deployment_that_are_left_out_are_said(tmp_path: Path) -> None:
    given = plain.deployment()
    given["metadata"]["annotations"] = {"example.com/owner": "tea"}
    bundle = read_directory(plain.write(tmp_path, plain.olm(), given))
    assert converted_files(bundle, "registry+v1")[1] == [
        "the annotations example.com/owner of the Deployment 'tea' itself are left out, since a ClusterServiceVersion has no place for them"
    ]


def test_descriptions_of_apis_are_kept(tmp_path: Path) -> None:
    owned = {
        "name": "teas.drinks.example",
        "version": "v1",
        "kind": "Teas",
        "displayName": "Tea",
        "specDescriptors": [{"path": "kind", "x-descriptors": ["urn:x"]}],
        "statusDescriptors": [{"path": "ready", "displayName": "Ready"}],
    }
    csv = bundle_csv(customresourcedefinitions={"owned": [owned]}, replaces="tea.v1.2.2", skips=["tea.v1.2.1"])
    bundle = read_directory(write_bundle(tmp_path / "given", csv, crd()))
    there = stored(tmp_path / "there", converted_files(bundle, "k8s+v1")[0])
    assert there.csv == {**bundle.csv, "spec": {**bundle.csv["spec"], "minKubeVersion": "1.16.0"}}


OWN, OTHERS = "dependencies: [{type: olm.gvk}]\n", "dependencies: []\n"


@pytest.mark.parametrize(
    ("image", "files"),
    [
        (False, {"dependencies.yaml": OWN}),
        (False, {"dependencies.yaml": OWN, "metadata/dependencies.yaml": OTHERS}),
        (False, {"metadata/dependencies.yaml": OWN}),
        (True, {"metadata/dependencies.yaml": OWN, "dependencies.yaml": OTHERS}),
    ],
)
def test_dependencies_go_along_from_wherever_the_bundle_has_them(
    image: bool, files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = plain.write(tmp_path / "given", plain.olm(), plain.deployment(), files=files, image=image)
    result = convert(source, tmp_path / "there", "registry+v1")
    assert "metadata/dependencies.yaml" in result["files"]
    assert (tmp_path / "there" / "metadata" / "dependencies.yaml").read_text() == OWN


def convert(source: Path, dest: Path, to: str, **options: Any) -> dict[str, Any]:
    given = {"source": str(source), "dest": str(dest), "format": to, **options}
    checked = ArgumentSpecValidator(dict(PROGRAM.argument_spec), **PROGRAM.constraints).validate(given)
    assert checked.error_messages == []
    return perform(PROGRAM, Call(checked.validated_parameters, check_mode=False, diff=False))


def files_below(directory: Path) -> dict[str, str]:
    return {str(path.relative_to(directory)): path.read_text() for path in directory.rglob("*") if path.is_file()}


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_another_version_left_is_not_taken_into_the_bundle(
    overwrite: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    first = plain.write(tmp_path / "first", plain.olm(), plain.deployment(), crd("teas.example.com"))
    second = plain.write(tmp_path / "second", plain.olm(version="9.9.9"), plain.deployment())
    convert(first, tmp_path / "there", "registry+v1")
    before = files_below(tmp_path / "there")
    refused = convert(second, tmp_path / "there", "registry+v1", overwrite=overwrite)
    assert refused["failed"]
    assert (
        "has manifests/teas.example.com.customresourcedefinition.yaml, which would become part of the bundle; choose another dest"
        in refused["msg"]
    )
    assert files_below(tmp_path / "there") == before
    (tmp_path / "there" / "manifests" / "teas.example.com.customresourcedefinition.yaml").unlink()
    convert(second, tmp_path / "there", "registry+v1", overwrite=True)
    assert (read_directory(tmp_path / "there").version, read_directory(tmp_path / "there").crds) == ("9.9.9", ())


def test_a_bundle_is_not_converted_within_its_own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would hold two bundles then, and the one that was there would still be read."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = plain.write(tmp_path / "flat", plain.olm(), plain.deployment())
    refused = convert(source, source, "registry+v1")
    assert refused["failed"]
    assert "has olm.yaml, which would become part of the bundle" in refused["msg"]
    assert not (source / "manifests").exists()


@pytest.mark.parametrize(
    ("package", "file"),
    [
        ("../../outside", "manifests/_.._outside.clusterserviceversion.yaml"),
        ("a" * 300, f"manifests/{'a' * 178}.clusterserviceversion.yaml"),
    ],
)
def test_every_file_is_in_its_place_whatever_the_package_is_called(package: str, file: str, tmp_path: Path) -> None:
    annotations = f"annotations: {{operators.operatorframework.io.bundle.package.v1: {package}}}\n"
    source = plain.write(tmp_path, plain.olm(), plain.deployment(), files={"annotations.yaml": annotations})
    files, _warnings = converted_files(read_directory(source), "registry+v1")
    assert file in files


def test_no_object_takes_the_file_of_another(tmp_path: Path) -> None:
    names = ["tea:reader", "tea_reader", "Tea_reader"]
    roles = [plain.role(name, plain.rule()) for name in names]
    source = plain.write(tmp_path, plain.olm(), plain.deployment(), *roles)
    bundle = read_directory(source)
    files, _warnings = converted_files(bundle, "registry+v1")
    written = [name for name in files if "clusterrole" in name]
    assert written == [f"manifests/tea_reader.clusterrole{number}.yaml" for number in ("", "-2", "-3")]


REFUSALS = {
    "wildcard": (strategy(deployments=[deployment()], clusterPermissions=[permission(resource="*")]), "rules[0].resources has '*'"),
    "homeless": (
        strategy(deployments=[deployment()], permissions=[permission("agent")]),
        "the service account 'agent' has permissions in whichever namespaces are watched, but no deployment runs as it",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSALS)
def test_what_the_other_format_cannot_express_is_refused(case: str, tmp_path: Path) -> None:
    install, message = REFUSALS[case]
    with pytest.raises(FleetError) as refused:
        converted_files(read_directory(write_bundle(tmp_path, bundle_csv(install=install))), "k8s+v1")
    assert message in str(refused.value)


def test_the_same_format_is_no_conversion(tmp_path: Path) -> None:
    with pytest.raises(FleetError, match=r"tea.v1.2.3 has the format registry\+v1 already"):
        converted_files(read_directory(write_bundle(tmp_path)), "registry+v1")
