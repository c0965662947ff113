# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects that two extensions bring to one cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from ..nested import at

Identity: TypeAlias = tuple[str, str, str, str]


def identity(manifest: Mapping[str, Any]) -> Identity:
    """What no two objects of a cluster have in common: API group, kind, namespace and name."""
    group = str(manifest.get("apiVersion") or "").rpartition("/")[0]
    namespace, name = (str(at(manifest, "metadata", key) or "") for key in ("namespace", "name"))
    return group, str(manifest.get("kind") or ""), namespace, name


def brought_twice(
    extensions: Iterable[tuple[str, Mapping[Identity, object]]],
) -> tuple[dict[str, list[Identity]], list[str]]:
    """By extension the CRDs that an earlier one brings just the same; and all else that two bring, which is a problem.

    Extensions come with a name and their objects, in any form that tells whether two are equal.
    """
    owners: dict[Identity, tuple[str, object]] = {}
    shared: dict[str, list[Identity]] = {}
    problems = []
    for name, objects in extensions:
        for key, content in objects.items():
            other, its = owners.setdefault(key, (name, content))
            if other == name:
                continue
            _group, kind, namespace, called = key
            if kind == "CustomResourceDefinition" and its == content:
                shared.setdefault(name, []).append(key)
            else:
                problems.append(f"{other} and {name} both bring {kind} {f'{namespace}/' if namespace else ''}{called}")
    return shared, problems
