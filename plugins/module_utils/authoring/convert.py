# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From one format of bundles to another: what comes out is read back before anybody relies on it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Collection
from itertools import count
from pathlib import Path
from typing import Any

from ..bundle.load import read_directory
from ..bundle.model import K8S_V1, REGISTRY_V1, WITH_CSV, Bundle, Manifest
from ..bundle.problems import InvalidBundle
from ..errors import OptionError
from ..nested import at, copied, mappings
from .bundle_files import ANNOTATIONS, annotations_text, bundle_annotations, stream
from .to_plain import plain_files

LONGEST_TITLE = 200  # file systems take names of 255 bytes


def converted_files(bundle: Bundle, to: str) -> tuple[dict[str, str], list[str]]:
    """The files of a bundle in another format, and what its author should know."""
    if bundle.format not in WITH_CSV:
        raise OptionError(
            f"source: {bundle.package} has the format {bundle.format}; converted are {' and '.join(WITH_CSV)}"
        )
    if bundle.format == to:
        raise OptionError(f"source: {bundle.name} has the format {to} already")
    files, warnings = plain_files(bundle) if to == K8S_V1 else (registry_files(bundle), _left_out(bundle))
    with tempfile.TemporaryDirectory(prefix="fleet.olm-") as work:
        root = Path(work)
        for name, text in files.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        read_directory(root)
    return files, warnings


def _left_out(bundle: Bundle) -> list[str]:
    return [
        f"the annotations {', '.join(sorted(annotations))} of the Deployment '{name}' itself are left out, "
        "since a ClusterServiceVersion has no place for them"
        for name, annotations in (bundle.deployment_annotations or {}).items()
    ]


def registry_files(bundle: Bundle) -> dict[str, str]:
    """The files of the bundle in the format registry+v1."""
    granted, others = _granted(bundle)
    problems = [
        f"{item['kind']} '{at(item, 'metadata', 'name')}' binds a service account of the bundle to a role of the cluster; "
        f"{REGISTRY_V1} cannot say in which namespace that account will be. Put what is needed into a role of the bundle"
        for item in others
        if item["kind"] == "ClusterRoleBinding" and any(map(_is_own, mappings(item.get("subjects"))))
    ]
    if problems:
        raise InvalidBundle(bundle.name, problems)
    csv = copied(bundle.csv)
    if granted:
        strategy = csv["spec"]["install"]["spec"]
        strategy["clusterPermissions"] = [*strategy.get("clusterPermissions", ()), *granted]
    files = {_file_name(f"{bundle.package}.clusterserviceversion", ()): stream([csv])}
    for manifest in (*bundle.crds, *others):
        title = f"{at(manifest, 'metadata', 'name')}.{at(manifest, 'kind')}"
        files[_file_name(title, files)] = stream([manifest])
    files[ANNOTATIONS] = annotations_text(bundle_annotations(REGISTRY_V1, bundle.package, bundle.annotations))
    return files


def _granted(bundle: Bundle) -> tuple[list[dict[str, Any]], list[Manifest]]:
    """Cluster roles bound to accounts that no Deployment runs as: only permissions follow an account into any namespace."""
    roles = {str(at(item, "metadata", "name")): item for item in bundle.others if item["kind"] == "ClusterRole"}
    granted: list[dict[str, Any]] = []
    gone: set[int] = set()
    bound: list[tuple[str, bool]] = []
    for item in bundle.others:
        if not item["kind"].endswith("Binding"):
            continue
        role, subjects = str(at(item, "roleRef", "name")), mappings(item.get("subjects"))
        projected = (
            item["kind"] == "ClusterRoleBinding" and role in roles and bool(subjects) and all(map(_is_own, subjects))
        )
        bound.append((role, projected))
        if projected:
            gone.add(id(item))
            rules = roles[role].get("rules") or []
            granted += [{"serviceAccountName": str(subject["name"]), "rules": rules} for subject in subjects]
    needed = {role for role, projected in bound if not projected}
    gone |= {id(roles[role]) for role, projected in bound if projected and role not in needed}
    accounts = {permission["serviceAccountName"] for permission in granted}
    gone |= {
        id(item)
        for item in bundle.others
        if item["kind"] == "ServiceAccount"
        and set(item) <= {"apiVersion", "kind", "metadata"}
        and item["metadata"]["name"] in accounts
    }
    return granted, [item for item in bundle.others if id(item) not in gone]


def _is_own(subject: object) -> bool:
    return at(subject, "kind") == "ServiceAccount" and bool(at(subject, "name")) and not at(subject, "namespace")


def _file_name(title: str, taken: Collection[str]) -> str:
    """A file that no other object has, and that is where it should be, whatever the object is called."""
    plain = re.sub(r"[^a-z0-9.-]+", "_", title.lower())[-LONGEST_TITLE:].lstrip(".")
    numbers = (f"-{number}" if number > 1 else "" for number in count(1))
    return next(name for number in numbers if (name := f"manifests/{plain}{number}.yaml") not in taken)
