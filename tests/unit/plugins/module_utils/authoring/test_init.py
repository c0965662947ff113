# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Bundles begun from plain manifests."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import read_directory
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, perform
from ansible_collections.fleet.olm.plugins.modules.bundle_init import PROGRAM
from ansible_collections.fleet.olm.plugins.modules.bundle_validate import PROGRAM as VALIDATE
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.bundle_files import bundle_csv

from ..csvless.given import binding, crd, deployment, role, rule

EXAMPLES = Path(__file__).resolve().parents[5] / "examples"
MANIFESTS = EXAMPLES / "manifests" / "kiali"


def init(*, check: bool = False, program: Any = PROGRAM, **options: Any) -> dict[str, Any]:
    given = {key: str(value) if isinstance(value, Path) else value for key, value in options.items()}
    checked = ArgumentSpecValidator(dict(program.argument_spec), **program.constraints).validate(given)
    assert checked.error_messages == []
    return perform(program, Call(checked.validated_parameters, check, diff=True))


def manifests(root: Path, *listed: Any, name: str = "all.yaml") -> Path:
    root.mkdir(exist_ok=True)
    (root / name).write_text(yaml.safe_dump_all(listed))
    return root


def test_from_manifests_to_a_bundle_that_validates(tmp_path: Path) -> None:
    dest = tmp_path / "bundle"
    predicted = init(check=True, src=MANIFESTS, dest=dest)
    assert not dest.exists()
    begun, again = init(src=MANIFESTS, dest=dest), init(src=MANIFESTS, dest=dest)
    assert [one["changed"] for one in (predicted, begun, again)] == [True, True, False]
    given = [path.name for path in MANIFESTS.iterdir()]
    assert predicted["written"] == begun["written"] == sorted(["Dockerfile", "annotations.yaml", "olm.yaml", *given])
    assert len(predicted["diff"]) == len(given) + 3
    assert begun["format"] == "k8s+v1"
    assert begun["inferred"] == {
        "package": "kiali-operator",
        "version": "1.9.1",
        "install_modes": ["AllNamespaces", "OwnNamespace", "SingleNamespace"],
        "apis": [
            {"group": "kiali.io", "version": "v1alpha1", "kind": "Kiali"},
            {"group": "monitoring.kiali.io", "version": "v1alpha1", "kind": "MonitoringDashboard"},
        ],
        "unknown": [
            {"group": "oauth.openshift.io", "resource": "oauthclients"},
            {"group": "route.openshift.io", "resource": "routes"},
        ],
    }
    assert begun["fill_in"] == ["minKubeVersion", "displayName"]
    bundle = read_directory(dest)
    assert (bundle.package, bundle.name, bundle.version) == ("kiali-operator", "kiali-operator.v1.9.1", "1.9.1")
    assert init(program=VALIDATE, source=dest, namespace="kiali")["valid"]


def test_what_people_wrote_stays(tmp_path: Path) -> None:
    init(src=MANIFESTS, dest=tmp_path)
    olm = tmp_path / "olm.yaml"
    olm.write_text(olm.read_text().replace("Kiali Operator", "Kiali, operated"))
    again = init(src=MANIFESTS, dest=tmp_path)
    assert (again["changed"], again["kept"]) == (False, ["olm.yaml"])
    assert "Kiali, operated" in olm.read_text()
    assert init(src=MANIFESTS, dest=tmp_path, overwrite=True)["written"] == ["olm.yaml"]
    assert "Kiali, operated" not in olm.read_text()


WRITTEN = """---
# Ours.
name: tea.v1.2.3   # do not touch
version: 1.2.3
minKubeVersion: 1.27.0
installModes: [{type: AllNamespaces, supported: true}]
apis:
  # About teas.
  - group: drinks.example.com
    version: v1
    kind: Tea   # the main thing
    descriptors:
      - path: spec.kind
        description: |
          Green, or black.

  - group: drinks.example.com
    version: v1
    kind: Gone
  - apiVersion: cups.example.com/v1
    kind: Cup
# The end is ours, too.
keywords: [tea]
"""
REFRESHED = WRITTEN.replace(
    "  - group: drinks.example.com\n    version: v1\n    kind: Gone\n  - apiVersion: cups.example.com/v1\n    kind: Cup\n",
    "  - apiVersion: cups.example.com/v1\n    kind: Cup\n  - group: drinks.example.com\n    version: v1\n    kind: Pot\n",
)


def test_update_refreshes_apis_and_keeps_comments(tmp_path: Path) -> None:
    src = manifests(tmp_path / "src", deployment(), crd(), crd("pots"))
    (src / "olm.yaml").write_text(WRITTEN)
    assert init(src=src)["kept"] == ["olm.yaml"]
    assert (src / "olm.yaml").read_text() == WRITTEN
    updated, again = init(src=src, update=True), init(src=src, update=True)
    assert (updated["written"], again["changed"]) == (["olm.yaml"], False)
    assert (src / "olm.yaml").read_text() == REFRESHED
    assert [api["kind"] for api in read_directory(src).owned_crds] == ["Tea", "Pot"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: a\n", "name: a\napis:\n  - group: drinks.example.com\n    version: v1\n    kind: Tea\n"),
        ("name: a", "name: a\napis:\n  - group: drinks.example.com\n    version: v1\n    kind: Tea\n"),
        ("apis: []\nname: a\n", "apis:\n  - group: drinks.example.com\n    version: v1\n    kind: Tea\nname: a\n"),
        ("apiDescriptions:\n- apiVersion: drinks.example.com/v1\n  kind: Tea\n", None),
        ("apis:\n- apiVersion: a.example.com/v1\n  kind: A\n",
         "apis:\n- apiVersion: a.example.com/v1\n  kind: A\n- group: drinks.example.com\n  version: v1\n  kind: Tea\n"),
    ],
)  # fmt: skip
def test_apis_find_their_place(text: str, expected: str | None, tmp_path: Path) -> None:
    src = manifests(tmp_path / "src", deployment(), crd())
    (src / "olm.yaml").write_text(text)
    init(src=src, update=True)
    assert (src / "olm.yaml").read_text() == (expected or text)


def test_update_takes_new_manifests_along(tmp_path: Path) -> None:
    src, dest = manifests(tmp_path / "src", deployment()), tmp_path / "bundle"
    init(src=src, dest=dest)
    manifests(src, crd(), name="crds.yaml")
    manifests(src, deployment(replicas=2))
    updated = init(src=src, dest=dest, update=True)
    assert updated["written"] == ["Dockerfile", "all.yaml", "crds.yaml", "olm.yaml"]
    assert 'COPY ["all.yaml", "crds.yaml", "/manifests/"]' in (dest / "Dockerfile").read_text()
    assert len(read_directory(dest).crds) == 1
    (dest / "Dockerfile").write_text("FROM scratch\n")
    assert init(src=src, dest=dest, update=True)["kept"] == ["Dockerfile"]


def test_update_takes_changes_of_a_csv_along(tmp_path: Path) -> None:
    src, dest = manifests(tmp_path / "src", bundle_csv()), tmp_path / "bundle"
    init(src=src, dest=dest)
    (dest / "metadata" / "dependencies.yaml").write_text("dependencies: []  # ours\n")
    manifests(src, bundle_csv(version="9.9.9"))
    assert init(src=src, dest=dest)["kept"] == ["manifests/all.yaml", "metadata/dependencies.yaml"]
    updated = init(src=src, dest=dest, update=True)
    assert updated["written"] == ["manifests/all.yaml"]
    assert read_directory(dest).version == "9.9.9"


def test_update_keeps_a_csv_that_was_begun_here(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    init(src=tmp_path / "src", dest=tmp_path / "bundle", format="registry+v1")
    filled_in = tmp_path / "bundle" / "manifests" / "csv.yaml"
    filled_in.write_text(filled_in.read_text() + "# mine\n")
    assert init(src=tmp_path / "src", dest=tmp_path / "bundle", format="registry+v1", update=True)["written"] == []


@pytest.mark.parametrize(("manifest", "place"), [(deployment(), ""), (bundle_csv(), "manifests/")])
def test_a_manifest_that_only_the_bundle_has_is_told(manifest: Any, place: str, tmp_path: Path) -> None:
    src, dest = manifests(tmp_path / "src", manifest, name="old.yaml"), tmp_path / "bundle"
    assert not init(src=src, dest=dest).get("warnings")
    (src / "old.yaml").rename(src / "new.yaml")
    renamed = init(src=src, dest=dest, update=True)
    told = f"dest: {dest}/{place}old.yaml is part of the bundle, but not in src; remove it if it is not meant to be"
    assert renamed["warnings"] == [told]
    (dest / place / "old.yaml").unlink()
    assert not init(src=src, dest=dest, update=True).get("warnings")


def test_the_format_of_an_empty_directory_cannot_be_inferred(tmp_path: Path) -> None:
    assert "unable to infer mediatype when no manifests are present" in init(src=tmp_path)["msg"]


def test_defaults_of_plain_manifests(tmp_path: Path) -> None:
    assert init(src=tmp_path, format="k8s+v1", package="tea")["written"] == [
        "Dockerfile",
        "annotations.yaml",
        "olm.yaml",
    ]
    assert yaml.safe_load((tmp_path / "olm.yaml").read_text())["name"] == "tea.v0.0.1"


def test_defaults_with_a_csv(tmp_path: Path) -> None:
    written = ["Dockerfile", "manifests/csv.yaml", "metadata/annotations.yaml", "metadata/dependencies.yaml"]
    assert init(src=tmp_path, format="registry+v1", package="tea")["written"] == written
    assert read_directory(tmp_path).name == "tea.v0.0.1"
    assert not init(src=tmp_path, format="registry+v1", package="tea")["changed"]


def test_a_csv_means_registry_v1(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "bundles" / "greeter" / "manifests", tmp_path / "src")
    begun = init(src=tmp_path / "src", dest=tmp_path / "bundle")
    assert begun["format"] == "registry+v1"
    bundle = read_directory(tmp_path / "bundle")
    assert (bundle.package, bundle.name) == ("greeter", "greeter.v1.0.0")
    refused = init(src=tmp_path / "src", format="k8s+v1")
    assert "turn it into k8s+v1 with bundle_convert" in refused["msg"]


@pytest.mark.parametrize(
    ("listed", "modes"),
    [
        ([deployment()], ["OwnNamespace"]),
        ([deployment(), role("r", rule(), kind="Role"), binding("r", "tea", kind="RoleBinding")], ["OwnNamespace"]),
        ([deployment(), role("r", rule()), binding("r", "tea")], ["AllNamespaces"]),
    ],
)
def test_install_modes_follow_permissions(listed: list[Any], modes: list[str], tmp_path: Path) -> None:
    src = manifests(tmp_path / "src", *listed)
    assert init(src=src)["inferred"]["install_modes"] == modes
    assert list(read_directory(src).supported_install_modes) == modes


def test_what_cannot_be_in_a_bundle_is_said(tmp_path: Path) -> None:
    src = manifests(
        tmp_path / "src", deployment(), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "home"}}
    )
    begun = init(src=src)
    assert begun["changed"]
    assert begun["warnings"][0].startswith("all.yaml (document 2): Namespace 'home': this kind is not accepted")


def test_a_dockerfile_that_every_builder_takes(tmp_path: Path) -> None:
    init(src=manifests(tmp_path / "src", deployment(), name="my tea.yaml"), version="1.2.3")
    assert (tmp_path / "src" / "Dockerfile").read_text().splitlines()[1:] == [
        "FROM scratch",
        'LABEL operators.operatorframework.io.bundle.manifests.v1="manifests/"',
        'LABEL operators.operatorframework.io.bundle.mediatype.v1="k8s+v1"',
        'LABEL operators.operatorframework.io.bundle.metadata.v1="metadata/"',
        'LABEL operators.operatorframework.io.bundle.package.v1="tea"',
        'COPY ["my tea.yaml", "/manifests/"]',
        'COPY ["olm.yaml", "annotations.yaml", "/metadata/"]',
    ]
