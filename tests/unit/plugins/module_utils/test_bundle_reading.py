# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A registry+v1 bundle is read from a directory, and what is wrong with it is said in one line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle import yaml_text
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import Bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.objects import LARGEST_FILE
from ansible_collections.fleet.olm.plugins.module_utils.bundle.problems import BadBundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.registry_v1 import read_bundle
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.bundle_files import (
    bundle_csv,
    crd,
    deployment,
    strategy,
    write_bundle,
)

SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "tea"}}
ANNOTATIONS = "metadata/annotations.yaml"


def test_what_a_bundle_is(tmp_path: Path) -> None:
    bundle = read_bundle(write_bundle(tmp_path, bundle_csv(), crd(), SERVICE))

    assert (bundle.package, bundle.name, bundle.version, bundle.format) == ("tea", "tea.v1.2.3", "1.2.3", "registry+v1")
    assert bundle.supported_install_modes == ("AllNamespaces", "OwnNamespace", "SingleNamespace")
    assert [one["metadata"]["name"] for one in bundle.crds] == ["teas.drinks.example"]
    assert bundle.others == (SERVICE,)
    assert bundle.warnings == ()


def test_every_type_in_the_csv_is_pruned_and_canonical(tmp_path: Path) -> None:
    pod = {"containers": [{"name": "c", "imagePolicy": "Always", "resources": {"limits": {"cpu": "1000m"}}}]}
    bundle = read_bundle(write_bundle(tmp_path, bundle_csv(install=strategy(deployments=[deployment(**pod)]), extra=1)))

    assert "extra" not in bundle.csv["spec"]
    assert bundle.deployments[0]["spec"]["template"]["spec"] == {
        "containers": [{"name": "c", "resources": {"limits": {"cpu": "1"}}}]
    }


@pytest.mark.parametrize("parser", ["fast", "PyYAML"])
def test_both_parsers_read_the_same(tmp_path: Path, parser: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if parser == "PyYAML":
        monkeypatch.setattr(yaml_text, "ryaml", None)
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: 'yes', b: '010'}\nimmutable: yes\n"

    assert read_bundle(write_bundle(tmp_path, None, text)).others[0] == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "x"},
        "data": {"a": "yes", "b": "010"},
        "immutable": True,
    }


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("---\n{0}\n---\n# nothing\n--- # more\n{0}\n", ["a", "a"]),
        ("{0}{0}", ["a", "a"]),
        ("\n{0}\n", ["a"]),
        ("", []),
        ("# only a comment\n", []),
        ("null\n", []),
        ('{{"kind": "List", "apiVersion": "v1", "items": [{0}, {0}]}}', ["a", "a"]),
        ("{0}\n---\n{0}\n", ["a", "a"]),
        ("---\n{0}\n---# next\n{0}\n", ["a", "a"]),
        ("---\n{0}\n---\n---\n{0}\n", ["a", "a"]),
        ("---\n{0}\n---\n\ufeff{0}\n", ["a", "a"]),
        ('{{"kind": "SecretList", "apiVersion": "v1", "items": [{{"metadata": {{"name": "b"}}}}]}}', ["b"]),
        ('{{"kind": "List", "apiVersion": "v1", "items": null}}', []),
    ],
    ids=[
        "stream",
        "JSON stream",
        "spaces",
        "empty",
        "comment",
        "null",
        "list",
        "JSON, then YAML",
        "comment at a separator",
        "two separators",
        "byte order mark after a separator",
        "typed list",
        "empty list",
    ],
)
def test_streams_and_lists(tmp_path: Path, text: str, then: list[str]) -> None:
    secret = json.dumps({"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "a"}})
    bundle = read_bundle(write_bundle(tmp_path, None, text.format(secret)))

    assert [(one["kind"], one["metadata"]["name"]) for one in bundle.others] == [("Secret", name) for name in then]


def test_windows_line_ends_and_a_missing_last_newline_change_nothing(tmp_path: Path) -> None:
    text = "apiVersion: v1\r\nkind: ConfigMap\r\nmetadata: {name: x}\r\ndata:\r\n  a: |\r\n    one\r\n    two"

    assert read_bundle(write_bundle(tmp_path, None, text)).others[0]["data"] == {"a": "one\ntwo\n"}


def annotations(text: str) -> dict[str, str]:
    return {ANNOTATIONS: text}


@pytest.mark.parametrize(
    ("package", "then"),
    [("tea", "tea"), (5, "5"), (True, "true"), (None, ""), (1.5, "1.5")],
)
def test_the_package_name_is_text_whatever_it_looks_like(tmp_path: Path, package: Any, then: str) -> None:
    assert read_bundle(write_bundle(tmp_path, None, package=package)).package == then


def test_annotations_are_found_in_any_case_and_others_may_hold_anything(tmp_path: Path) -> None:
    text = "Annotations:\n  Operators.OperatorFramework.io.bundle.package.v1: tea\n  other: {a: [1]}\n"

    assert read_bundle(write_bundle(tmp_path, files=annotations(text))).package == "tea"


@pytest.mark.parametrize(
    ("present", "file", "then"),
    [
        (None, None, None),
        ('[{"type": "a", "value": 1}]', None, '[{"type": "a", "value": 1}]'),
        (
            None,
            "properties:\n- type: b\n  value: {z: 1.0, a: '<x>'}\n",
            '[{"type":"b","value":{"a":"\\u003cx\\u003e","z":1}}]',
        ),
        (
            '[{"value": {"y": 1.50, "b": "&"}, "TYPE": "a"}]',
            "properties: [{type: 5, value: yes}]",
            '[{"type":"a","value":{"y":1.50,"b":"\\u0026"}},{"type":"5","value":true}]',
        ),
        (None, "properties: []\n", "null"),
        ("[]", "other: 1\n", "null"),
        ("[null]", "properties: [null]\n", '[{"type":"","value":null},{"type":"","value":null}]'),
        ('[{"type": "a"}]', "", '[{"type": "a"}]'),
    ],
    ids=[
        "none",
        "annotation alone",
        "file alone",
        "both",
        "empty file list",
        "file without properties",
        "null",
        "empty file",
    ],
)
def test_properties_are_appended_to_the_annotation(
    tmp_path: Path, present: str | None, file: str | None, then: str | None
) -> None:
    csv = bundle_csv()
    csv["metadata"]["annotations"] = {"olm.properties": present} if present is not None else {}
    bundle = read_bundle(write_bundle(tmp_path, csv, files={} if file is None else {"metadata/properties.yaml": file}))

    assert bundle.csv["metadata"].get("annotations", {}).get("olm.properties") == then


@pytest.mark.parametrize(
    ("given", "then"),
    [
        ("v1.2", "1.2.0"),
        ("1", "1.0.0"),
        ("01.2.3", "1.2.3"),
        ("1.2.3-rc.1+build", "1.2.3-rc.1+build"),
        (" 1.2.3 ", "1.2.3"),
        ("1.2.3-18446744073709551615", "1.2.3-18446744073709551615"),
    ],
)
def test_versions_are_read_with_tolerance(tmp_path: Path, given: str, then: str) -> None:
    assert read_bundle(write_bundle(tmp_path, bundle_csv(version=given))).version == then


@pytest.mark.parametrize("given", ["1.18446744073709551616.0", "1.2.3-rc.18446744073709551616"])
def test_versions_with_a_number_beyond_64_bits_are_refused(tmp_path: Path, given: str) -> None:
    with pytest.raises(BadBundle, match=r"spec\.version' must be a version"):
        read_bundle(write_bundle(tmp_path, bundle_csv(version=given)))


BAD_CSV = {
    "version": ("1.2.3.4", "spec.version' must be a version"),
    "maturity": (1, "spec.maturity' must be text but is 1"),
    "installModes": ({}, "spec.installModes' must be a list"),
    "minKubeVersion": (1.2, "spec.minKubeVersion' must be text but is 1.2"),
    "webhookdefinitions": (
        [{"containerPort": "443"}],
        "spec.webhookdefinitions[0].containerPort' must be a whole number",
    ),
}


@pytest.mark.parametrize("field", sorted(BAD_CSV))
def test_a_csv_that_its_types_cannot_hold_is_refused(tmp_path: Path, field: str) -> None:
    value, message = BAD_CSV[field]
    with pytest.raises(BadBundle) as refusal:
        read_bundle(write_bundle(tmp_path, bundle_csv(**{field: value})))

    assert str(refusal.value).startswith("manifests/csv.yaml: ClusterServiceVersion: field '")
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"manifests/x.yaml": json.dumps(bundle_csv())}, "manifests/x.yaml: a second ClusterServiceVersion"),
        ({"manifests/csv.yaml": ""}, "manifests: no ClusterServiceVersion"),
        ({"manifests/sub/x.yaml": ""}, "manifests/sub: a directory"),
        ({"manifests/x.png": b"\x89PNG\r\n\xff"}, "manifests/x.png: not a text file: byte 1"),
        ({"manifests/x.yaml": "a: [\n"}, "manifests/x.yaml: not valid YAML in line"),
        ({"manifests/x.yaml": "[1]\n"}, "manifests/x.yaml: a document must be an object"),
        ({"manifests/x.yaml": "metadata: {}\n"}, "manifests/x.yaml: an object has no kind"),
        ({"manifests/x.yaml": "kind: 1\n"}, "manifests/x.yaml: an object has no kind"),
        (
            {"manifests/x.yaml": "kind: Secret\nmetadata: {name: 1}\n"},
            "manifests/x.yaml: Secret: field 'metadata.name' must be text",
        ),
        (
            {"manifests/x.yaml": "kind: Secret\nmetadata: []\n"},
            "manifests/x.yaml: Secret: field 'metadata' must be a mapping",
        ),
        ({"manifests/x.yaml": "kind: List\nitems: 1\n"}, "manifests/x.yaml: the items of a list must be a list"),
        ({"manifests/x.yaml": "kind: List\nitems: [1]\n"}, "manifests/x.yaml: a list of objects holds something else"),
        (
            {"manifests/x.yaml": "kind: List\nitems: [{kind: Secret}]\n"},
            "manifests/x.yaml: an object of a list has no kind or no apiVersion",
        ),
        ({"manifests/x.yaml": "kind: List\nitems: [{kind: List, items: []}]\n"}, "manifests/x.yaml: a list in a list"),
        ({"manifests/x.json": '{"kind": "Role"}x'}, "manifests/x.json: not valid JSON: 'x' after an object"),
        (
            {"manifests/x.json": '{"kind": "Role"} {"kind": "Role"} xxxxx'},
            "manifests/x.json: not valid JSON: 'xxxxx' after",
        ),
        ({"manifests/x.yaml": "a: b\n---x\n"}, "manifests/x.yaml: line 2: '---' must stand alone"),
        (
            {"manifests/x.yaml": json.dumps(crd(versions=[{"name": 1}]))},
            "manifests/x.yaml: CustomResourceDefinition: field 'spec.versions[0].name'",
        ),
        (
            {"manifests/x.json": '{"kind": "Secret", "a": "\\ud800"}'},
            "manifests/x.json: a string holds half of a character",
        ),
        ({"manifests/x.json": '{"a": ' * 200 + "1" + "}" * 200}, "manifests/x.json: nested deeper than 128 levels"),
        ({"manifests/x.json": '{"a": ' * 100_000}, "manifests/x.json: nested deeper than 128 levels"),
        ({ANNOTATIONS: "a: [\n"}, f"{ANNOTATIONS}: not valid YAML"),
        ({ANNOTATIONS: "[1]\n"}, f"{ANNOTATIONS}: must be a mapping"),
        ({ANNOTATIONS: "annotations: [1]\n"}, f"{ANNOTATIONS}: 'annotations' must be a mapping"),
        (
            {ANNOTATIONS: "annotations: {operators.operatorframework.io.bundle.package.v1: [a]}\n"},
            f"{ANNOTATIONS}: the annotation",
        ),
        (
            {ANNOTATIONS: "annotations: {operators.operatorframework.io.bundle.mediatype.v1: helm+v9}\n"},
            f"{ANNOTATIONS}: unknown bundle format 'helm+v9' in operators.operatorframework.io.bundle.mediatype.v1; supported: registry+v1",
        ),
        ({"metadata/properties.yaml": "[1]\n"}, "metadata/properties.yaml: must be a mapping"),
        ({"metadata/properties.yaml": "properties: 1\n"}, "metadata/properties.yaml: 'properties' must be a list"),
        ({"metadata/properties.yaml": "properties: {}\n"}, "metadata/properties.yaml: 'properties' must be a list"),
        (
            {"metadata/properties.yaml": "properties: [1]\n"},
            "metadata/properties.yaml: properties[0] must be a mapping",
        ),
        (
            {"metadata/properties.yaml": "properties: [{type: []}]\n"},
            "metadata/properties.yaml: properties[0].type must be text",
        ),
        ({"metadata/properties.yaml": "a: [\n"}, "metadata/properties.yaml: not valid YAML"),
        ({"manifests/x.yaml": b" " * (LARGEST_FILE + 1)}, "manifests/x.yaml: larger than 32 MiB"),
    ],
    ids=lambda value: value[:60] if isinstance(value, str) else "",
)
def test_bad_bundles_are_refused_in_one_line_that_names_the_file(
    tmp_path: Path, files: dict[str, str | bytes], message: str
) -> None:
    with pytest.raises(BadBundle) as refusal:
        read_bundle(write_bundle(tmp_path, files=files))

    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("present", ["", "x", "{}", "[1]", '[{"type": 1}]', '[{"type": "a"', "[" * 5000])
def test_a_broken_properties_annotation_is_refused(tmp_path: Path, present: str) -> None:
    csv = bundle_csv()
    csv["metadata"]["annotations"] = {"olm.properties": present}
    with pytest.raises(BadBundle, match=r"olm\.properties"):
        read_bundle(write_bundle(tmp_path, csv))


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        (ANNOTATIONS, "metadata/annotations.yaml: no such file"),
        ("manifests/csv.yaml", "manifests: no ClusterServiceVersion"),
    ],
)
def test_missing_files(tmp_path: Path, missing: str, message: str) -> None:
    (write_bundle(tmp_path) / missing).unlink()
    with pytest.raises(BadBundle, match=message):
        read_bundle(tmp_path)


def test_missing_directories(tmp_path: Path) -> None:
    with pytest.raises(BadBundle, match="no such directory"):
        read_bundle(tmp_path / "nowhere")
    write_bundle(tmp_path, files={})
    (tmp_path / "manifests" / "csv.yaml").unlink()
    (tmp_path / "manifests").rmdir()
    with pytest.raises(BadBundle, match="manifests: no such directory"):
        read_bundle(tmp_path)


def test_links_out_of_the_bundle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("kind: Secret\n")
    root = write_bundle(tmp_path / "bundle")
    (root / "manifests" / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    with pytest.raises(BadBundle, match=r"manifests/link\.yaml: a link out of the bundle"):
        read_bundle(root)


def test_pipes_are_refused(tmp_path: Path) -> None:
    os.mkfifo(write_bundle(tmp_path) / "manifests" / "pipe")
    with pytest.raises(BadBundle, match="manifests/pipe: neither a file nor a directory"):
        read_bundle(tmp_path)


def test_a_bundle_is_frozen() -> None:
    with pytest.raises(AttributeError):
        Bundle(package="a", csv={}).package = "b"  # type: ignore[misc]
