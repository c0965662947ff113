# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an installer has to be allowed to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..cluster.objects import ObjectKey
from ..cluster.permissions import Action
from ..crd.definition import read_definition

# Rules can name objects for these verbs. A list has no name, and neither has an object before it is created.
_BY_NAME = ("get", "patch", "delete")
_BY_KIND = ("list", "create")

# Helps to say why something is not ready; an installation works without it.
_WATCHED_WHILE_WAITING = (
    ("apps", "deployments"),
    ("", "pods"),
    ("", "events"),
    ("discovery.k8s.io", "endpointslices"),
)
_LOOKED_AT_BEFORE = (("", "resourcequotas"), ("", "limitranges"))


@dataclass(frozen=True)
class Need:
    """Something to be allowed; without what is `optional` less is said and looked at, and the installation works."""

    action: Action
    optional: bool = False


def needed(
    manifests: Sequence[Mapping[str, Any]],
    keys: Iterable[ObjectKey],
    *,
    namespace: str,
    watched: Sequence[str] = (),
    creates_namespace: bool = False,
) -> tuple[Need, ...]:
    """Everything but handing out rights. `keys` are the objects of the manifests, and those that an upgrade takes away."""
    required = [
        *_reading_namespaces((namespace, *watched)),
        *(_creating_namespace(namespace) if creates_namespace else ()),
        *_keeping_revisions(namespace),
        *(action for key in keys for action in _managing(key)),
    ]
    optional = [*_looking_at_custom_resources(manifests), *_looking_around(namespace)]
    return (
        *(Need(action) for action in dict.fromkeys(required)),
        *(Need(action, optional=True) for action in dict.fromkeys(optional) if action not in required),
    )


def _reading_namespaces(names: Iterable[str]) -> list[Action]:
    """To the authorizer a Namespace lies within itself: a Role there is enough to read it."""
    return [Action("get", "namespaces", name=name, namespace=name) for name in names if name]


def _creating_namespace(name: str) -> list[Action]:
    return [
        Action("create", "namespaces"),
        *(Action(verb, "namespaces", name=name, namespace=name) for verb in ("patch", "delete")),
    ]


def _keeping_revisions(namespace: str) -> list[Action]:
    """The records of revisions are Secrets whose names are not known beforehand."""
    return [Action(verb, "secrets", namespace=namespace) for verb in ("get", "list", "create", "patch", "delete")]


def _managing(key: ObjectKey) -> list[Action]:
    place = key.collection
    return [
        *(Action(verb, place.plural, place.group, namespace=place.namespace) for verb in _BY_KIND),
        *(Action(verb, place.plural, place.group, name=key.name, namespace=place.namespace) for verb in _BY_NAME),
    ]


def _looking_at_custom_resources(manifests: Sequence[Mapping[str, Any]]) -> list[Action]:
    crds = [read_definition(item) for item in manifests if item.get("kind") == "CustomResourceDefinition"]
    return [Action("list", str(crd.names.get("plural") or ""), crd.group) for crd in crds]


def _looking_around(namespace: str) -> list[Action]:
    return [
        *(
            Action(verb, resource, group, namespace=namespace)
            for group, resource in _WATCHED_WHILE_WAITING
            for verb in ("list", "watch")
        ),
        *(Action("list", resource, group, namespace=namespace) for group, resource in _LOOKED_AT_BEFORE),
    ]
