# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The data of an extension: its custom resources, looked at, saved to a file and, when asked for by name, deleted."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..cluster.client import METADATA_ONLY, Client
from ..cluster.objects import Collection, ObjectKey
from ..errors import OptionError
from ..manifests.yaml_writer import to_yaml
from ..nested import at, mappings, texts
from .order import DEFINITIONS

DEFINITIONS_OF_CLUSTER = Collection("apiextensions.k8s.io", "v1", "customresourcedefinitions", DEFINITIONS)


@dataclass(frozen=True)
class CustomResource:
    """One custom resource."""

    key: ObjectKey
    uid: str


def definition_key(name: str) -> ObjectKey:
    """A CRD by its name."""
    return ObjectKey(DEFINITIONS_OF_CLUSTER, name)


def collection_of(crd: Mapping[str, Any]) -> Collection | None:
    """Where the custom resources of a CRD are read: in the version that they are stored in, so that nothing has to be converted."""
    versions = [version for version in mappings(at(crd, "spec", "versions")) if version.get("served")]
    stored = [version for version in versions if version.get("storage")]
    if not versions:
        return None
    return Collection(
        group=str(at(crd, "spec", "group")),
        version=str((stored or versions)[0].get("name")),
        plural=str(at(crd, "spec", "names", "plural")),
        kind=str(at(crd, "spec", "names", "kind")),
    )


def custom_resources(client: Client, crd: Mapping[str, Any]) -> list[CustomResource]:
    """The custom resources of a CRD in all namespaces."""
    collection = collection_of(crd)
    if collection is None:
        return []
    found = []
    for item in client.each(collection.path, accept=METADATA_ONLY):
        metadata = item.get("metadata") or {}
        place = Collection(
            collection.group,
            collection.version,
            collection.plural,
            collection.kind,
            str(metadata.get("namespace") or ""),
        )
        found.append(CustomResource(ObjectKey(place, str(metadata.get("name"))), str(metadata.get("uid"))))
    return found


def back_up(client: Client, names: Iterable[str], path: str) -> dict[str, Any]:
    """Write the custom resources of CRDs to a file that only its owner can read; how many there were, and the file.

    A file that is there is left alone: whoever runs a removal again finds less than was saved the first time.
    """
    target = Path(path)
    if target.is_dir():
        raise OptionError(f"backup_dest: {path} is a directory; name a file in it")
    count, saved = 0, None
    try:
        handle, scratch = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                for item in _contents(client, names):
                    stream.write("---\n" + to_yaml(item))
                    count += 1
            if count:
                saved = _new_file(target)
                os.replace(scratch, saved)
        finally:
            Path(scratch).unlink(missing_ok=True)
    except OSError as error:
        raise OptionError(f"backup_dest: {path} cannot be written: {error.strerror}") from error
    return {"backed_up": count, "backup_file": str(saved) if saved is not None else None}


def _new_file(target: Path) -> Path:
    """The first of NAME, NAME.1, NAME.2 and so on that is not there yet; it is made at once, so that no other run takes it."""
    names = itertools.chain([target.name], (f"{target.name}.{number}" for number in itertools.count(1)))
    return next(path for path in map(target.with_name, names) if _was_made(path))


def _was_made(path: Path) -> bool:
    try:
        path.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        return False
    return True


def _contents(client: Client, names: Iterable[str]) -> Iterator[dict[str, Any]]:
    for name in names:
        crd = client.find(definition_key(name).path)
        collection = collection_of(crd) if crd is not None else None
        if collection is None:
            continue
        for item in client.each(collection.path):
            metadata = {key: value for key, value in (item.get("metadata") or {}).items() if key != "managedFields"}
            # Items of a list leave out what the list says for all of them.
            yield {"apiVersion": collection.api_version, "kind": collection.kind, **item, "metadata": metadata}


def without_conversion(crd: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """The patch that lets a CRD do without its conversion webhook, or why that would lose data.

    Without conversion an API server hands out what is stored under any version's name. That is harmless only while
    everything is stored in the one version that is read.
    """
    if at(crd, "spec", "conversion", "strategy") != "Webhook":
        return None, ""
    stored = texts(at(crd, "status", "storedVersions"))
    current = [str(item.get("name")) for item in mappings(at(crd, "spec", "versions")) if item.get("storage")]
    if stored != current:
        return None, (
            f"custom resources of {at(crd, 'metadata', 'name')} are stored in the versions {', '.join(stored)} and could not be read "
            f"without the conversion webhook that goes away; migrate them to {', '.join(current)} first"
        )
    return {"spec": {"conversion": {"strategy": "None", "webhook": None}}}, ""


def is_served_by(crd: Mapping[str, Any], namespace: str) -> bool:
    """Whether the conversion webhook of a CRD is a Service of a namespace."""
    return bool(at(crd, "spec", "conversion", "webhook", "clientConfig", "service", "namespace") == namespace)
