# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plays the part of operator-controller and catalogd on a cluster: `python -m …tests.rig.operator_controller KUBECONFIG CONTEXT SHELF [--lets-go]`.

Theirs are not to be had as modules. This program follows rules that reproduce what was recorded of them (`olm_rules.py`), and puts real
objects on the cluster, marked as OLM v1 marks them. SHELF is a JSON file that says which directory an image stands for.
"""

from __future__ import annotations

import hashlib
import json
import queue
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import load_bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import Bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.catalog.catalog import Catalog
from ansible_collections.fleet.olm.plugins.module_utils.catalog.problems import Unresolved
from ansible_collections.fleet.olm.plugins.module_utils.catalog.query import Installed as InstalledQuery
from ansible_collections.fleet.olm.plugins.module_utils.catalog.query import Query
from ansible_collections.fleet.olm.plugins.module_utils.catalog.resolution import Resolution, resolve
from ansible_collections.fleet.olm.plugins.module_utils.catalog.selector import selects
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.connection import Connection
from ansible_collections.fleet.olm.plugins.module_utils.cluster.objects import ObjectKey, key_of
from ansible_collections.fleet.olm.plugins.module_utils.config.parse import Config
from ansible_collections.fleet.olm.plugins.module_utils.config.schema import schema_of
from ansible_collections.fleet.olm.plugins.module_utils.errors import ApiError, ClusterError, Conflict, NotFound
from ansible_collections.fleet.olm.plugins.module_utils.extension.api import (
    CATALOGS,
    EXTENSIONS,
    OWNER_KIND,
    OWNER_NAME,
    RELEASE_NAME,
    RELEASE_NAMESPACE,
    owned_by,
)
from ansible_collections.fleet.olm.plugins.module_utils.extension.owned import owned_objects
from ansible_collections.fleet.olm.plugins.module_utils.nested import at
from ansible_collections.fleet.olm.plugins.module_utils.render.pipeline import render

from .olm_rules import (
    GATES,
    Installed,
    Refused,
    Retried,
    check_bundle,
    check_crd,
    condition,
    deprecation_conditions,
    installed_condition,
    not_ours,
    unresolved,
)

SYSTEM = "olmv1-system"
RELEASE_TYPE = "operatorframework.io/index.v1"
# A ClusterExtension with this annotation is dealt with as an old release would.
OLD_RELEASE = "rig/old-release"
_PREFIX = "olm.operatorframework.io/"
_EXTENSION_FINALIZERS = [f"{_PREFIX}cleanup-unpack-cache", f"{_PREFIX}cleanup-contentmanager-cache"]
_ORPHAN = "orphan"
_CATALOG_FINALIZERS = [f"{_PREFIX}delete-server-cache"]
# What is retried is looked at again so often.
_AGAIN = 0.4


@dataclass(frozen=True)
class Shelf:
    """What images hold: directories of catalogs and of bundles by reference."""

    catalogs: Mapping[str, str] = field(default_factory=dict)
    bundles: Mapping[str, str] = field(default_factory=dict)


class OperatorController:
    """Runs in threads of this process while it is used in a `with` statement."""

    def __init__(
        self, connection: Connection, shelf: Shelf, gates: frozenset[str] = GATES, *, lets_go: bool = False
    ) -> None:
        """`lets_go` is for clusters without a garbage collector: what it does to the objects of an orphaned owner is done here."""
        self._lets_go = lets_go
        self._connection = connection
        self.shelf = shelf
        self.gates = gates
        # Whether it waits for Deployments, as the newer way of OLM v1 does and the recorded one does not.
        self.rolls_out = False
        # Whether what failed is tried again by itself. The pauses of the real one get longer than anybody waits.
        self.retries = True
        self._client = Client(connection)
        self._work: queue.Queue[tuple[str, str]] = queue.Queue()
        self._retried: set[str] = set()
        self._stopped = threading.Event()
        self._threads: list[threading.Thread] = []
        self._bundles: dict[str, Bundle] = {}

    def __enter__(self) -> OperatorController:
        for target, path in ((self._follow, EXTENSIONS.path), (self._follow, CATALOGS.path)):
            self._threads.append(threading.Thread(target=target, args=(path,), daemon=True))
        self._threads.append(threading.Thread(target=self._reconcile_all, daemon=True))
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join(timeout=10)

    def _follow(self, path: str) -> None:
        with Client(self._connection) as client:
            while not self._stopped.is_set():
                try:
                    with closing(client.watch(path, seconds=5)) as events:
                        for event in events:
                            content = event["object"]
                            items = content.get("items", []) if event["type"] == "LISTED" else [content]
                            if event["type"] in ("LISTED", "ADDED", "MODIFIED"):
                                for item in items:
                                    self._work.put((path, item["metadata"]["name"]))
                            if self._stopped.is_set():
                                break
                except ClusterError:
                    self._stopped.wait(0.2)

    def _reconcile_all(self) -> None:
        while not self._stopped.is_set():
            try:
                path, name = self._work.get(timeout=_AGAIN)
            except queue.Empty:
                for again in sorted(self._retried if self.retries else ()):
                    self._work.put((EXTENSIONS.path, again))
                continue
            try:
                item = self._client.find(f"{path}/{name}")
                if item is not None:
                    (self._extension if path == EXTENSIONS.path else self._catalog)(item)
                elif path == EXTENSIONS.path:
                    self._retried.discard(name)
            except (Conflict, NotFound):
                # Somebody was faster: the next look tells.
                self._work.put((path, name))
            except ClusterError:
                self._stopped.wait(0.1)
                self._work.put((path, name))

    def _finalized(self, path: str, item: Mapping[str, Any], own: list[str]) -> bool:
        """See to the finalizers; whether there is more to do."""
        metadata = item["metadata"]
        there = list(metadata.get("finalizers") or [])
        wanted = [name for name in there if name not in own] if metadata.get("deletionTimestamp") else [*there, *own]
        wanted = list(dict.fromkeys(wanted))
        if there != wanted:
            version = {"resourceVersion": metadata["resourceVersion"], "finalizers": wanted}
            self._client.merge(f"{path}/{metadata['name']}", {"metadata": version})
            return False
        return not metadata.get("deletionTimestamp")

    def _catalog(self, item: dict[str, Any]) -> None:
        available = at(item, "spec", "availabilityMode") != "Unavailable"
        ending = bool(at(item, "metadata", "deletionTimestamp"))
        if ending and self._serves_no_more(item):
            return
        if not self._finalized(CATALOGS.path, item, _CATALOG_FINALIZERS if available or ending else []):
            return
        if not available:
            there = at(item, "metadata", "finalizers") or []
            if there:
                self._client.merge(f"{CATALOGS.path}/{item['metadata']['name']}", {"metadata": {"finalizers": None}})
                return
            said = "Catalog availability mode is set to Unavailable"
            conditions = [
                condition("Progressing", "True", "Succeeded", said),
                condition("Serving", "False", "UserSpecifiedUnavailable", said),
            ]
            self._say(CATALOGS.path, item, conditions, resolvedSource=None, urls=None, lastUnpacked=None)
            return
        reference = str(at(item, "spec", "source", "image", "ref"))
        if reference not in self.shelf.catalogs:
            repository, _colon, tag = reference.rpartition(":")
            said = f"source catalog content: error creating image source: reading manifest {tag} in {repository}: manifest unknown"
            self._say(CATALOGS.path, item, [condition("Progressing", "True", "Retrying", said)])
            return
        digest = hashlib.sha256(reference.encode()).hexdigest()
        resolved = reference.partition("@")[0].rpartition(":")[0] + f"@sha256:{digest}"
        name = item["metadata"]["name"]
        conditions = [
            condition(
                "Progressing", "True", "Succeeded", "Successfully unpacked and stored content from resolved source"
            ),
            condition("Serving", "True", "Available", "Serving desired content from resolved source"),
        ]
        self._say(
            CATALOGS.path,
            item,
            conditions,
            resolvedSource={"type": "Image", "image": {"ref": resolved}},
            urls={"base": f"https://catalogd-service.{SYSTEM}.svc/catalogs/{name}"},
        )

    def _serves_no_more(self, item: Mapping[str, Any]) -> bool:
        """Say of a catalog that is on its way out that it does not serve, and nothing else; False where that is said."""
        metadata, conditions = item["metadata"], list(at(item, "status", "conditions") or ())
        others = [entry for entry in conditions if entry["type"] != "Serving"]
        if {entry["observedGeneration"] for entry in conditions if entry not in others} == {metadata["generation"]}:
            return False
        last = {
            **condition("Serving", "False", "Unavailable", ""),
            "observedGeneration": metadata["generation"],
            "lastTransitionTime": _now(),
        }
        version = {"resourceVersion": metadata["resourceVersion"]}
        patch = {"metadata": version, "status": {"conditions": [*others, last]}}
        self._client.merge(f"{CATALOGS.path}/{metadata['name']}/status", patch)
        return True

    def _extension(self, item: dict[str, Any]) -> None:
        name = item["metadata"]["name"]
        if self._lets_go and _ORPHAN in (at(item, "metadata", "finalizers") or ()):
            self._let_go(item)
        if not self._finalized(EXTENSIONS.path, item, _EXTENSION_FINALIZERS) and not _is_gone_on_with(item):
            return
        installed = self._installed(name)
        resolution: Resolution | None = None
        progressing = condition("Progressing", "True", "Succeeded", "Desired state reached")
        try:
            resolution = self._resolved(item, installed)
            try:
                installed = self._deployed(item, resolution)
            except (Refused, Retried) as error:
                version = resolution.bundle.version
                prefix = f'error for resolved bundle "{resolution.bundle.name}" with version "{version}": '
                raise type(error)(f"{prefix}{error}") from error
        except Refused as error:
            progressing = condition("Progressing", "False", "InvalidConfiguration", str(error))
        except Retried as error:
            if resolution is not None or not self._is_kept(item, installed):
                progressing = condition("Progressing", "True", "Retrying", str(error))
        if self.rolls_out and progressing["reason"] == "Succeeded" and not self._is_rolled_out(name):
            progressing = condition("Progressing", "True", "RollingOut", f"Revision {name}-1 is rolling out.")
        channels = list(at(item, "spec", "source", "catalog", "channels") or ())
        package = resolution.package if resolution else None
        conditions = [
            *deprecation_conditions(package, installed, channels),
            installed_condition(installed),
            progressing,
        ]
        bundle = {"bundle": {"name": installed.name, "version": installed.version}} if installed else None
        if progressing["reason"] in ("Retrying", "RollingOut"):
            self._retried.add(name)
        else:
            self._retried.discard(name)
        self._say(EXTENSIONS.path, item, conditions, install=bundle)

    def _is_rolled_out(self, name: str) -> bool:
        found = self._client.each("/apis/apps/v1/deployments", {"labelSelector": owned_by(name)})
        return all(_is_available(item) for item in found)

    def _let_go(self, item: Mapping[str, Any]) -> None:
        name = item["metadata"]["name"]
        for key in owned_objects(self._client, name):
            self._client.merge(key.path, {"metadata": {"ownerReferences": None}})
        rest = [entry for entry in item["metadata"]["finalizers"] if entry != _ORPHAN]
        metadata = {"resourceVersion": item["metadata"]["resourceVersion"], "finalizers": rest}
        self._client.merge(f"{EXTENSIONS.path}/{name}", {"metadata": metadata})
        raise Conflict("looked at again", status=409)

    def _resolved(self, item: Mapping[str, Any], installed: Installed | None) -> Resolution:
        spec = item["spec"]
        wanted = spec["source"]["catalog"]
        before = InstalledQuery(installed.name, installed.version) if installed else None
        query = Query(
            package=wanted["packageName"],
            version=wanted.get("version") or "",
            channels=tuple(wanted.get("channels") or ()),
            installed=before,
            policy=wanted.get("upgradeConstraintPolicy") or "CatalogProvided",
        )
        try:
            return resolve(query, list(self._catalogs(wanted.get("selector"))))
        except Unresolved:
            raise unresolved(spec, installed) from None

    def _is_kept(self, item: Mapping[str, Any], installed: Installed | None) -> bool:
        """Whether what is installed stays although nothing was resolved: there is no catalog, and no other version is wanted."""
        wanted = item["spec"]["source"]["catalog"]
        selected = [
            catalog
            for catalog in self._client.each(CATALOGS.path)
            if selects(wanted.get("selector"), catalog["metadata"].get("labels") or {})
        ]
        return installed is not None and not selected and wanted.get("version", "") in ("", installed.version)

    def _catalogs(self, selector: Any) -> Iterator[Catalog]:
        for item in self._client.each(CATALOGS.path):
            name = item["metadata"]["name"]
            directory = self.shelf.catalogs.get(str(at(item, "spec", "source", "image", "ref")))
            labels = item["metadata"].get("labels") or {}
            serves = at(item, "spec", "availabilityMode") != "Unavailable"
            if directory and serves and selects(selector, labels):
                priority = int(at(item, "spec", "priority") or 0)
                yield Catalog(Path(directory), name, name=name, priority=priority, labels=labels)

    def _bundle(self, image: str) -> Bundle:
        if image not in self._bundles:
            self._bundles[image] = load_bundle(self.shelf.bundles[image], SourceOptions()).bundle
        return self._bundles[image]

    def _deployed(self, item: Mapping[str, Any], resolution: Resolution) -> Installed:
        """Put the resolved bundle on the cluster, or say why not."""
        spec, name = item["spec"], item["metadata"]["name"]
        namespace, config = spec["namespace"], at(spec, "config", "inline")
        bundle = self._bundle(resolution.bundle.image)
        check_bundle(bundle, config, namespace, self.gates)
        manifests = render(bundle, Config.parse(config, schema_of(bundle), namespace), namespace, "cert-manager")
        objects = {
            key: manifest for manifest in manifests if (key := key_of(manifest, self._client.discovery())) is not None
        }
        result = Installed(resolution.bundle.name, resolution.bundle.version, resolution.bundle.image)
        release = self._release(name)
        text = json.dumps([item["metadata"]["uid"], result.image, config, namespace], sort_keys=True)
        token = hashlib.sha256(text.encode()).hexdigest()
        if (
            at(release, "metadata", "annotations", "token") == token
            and at(release, "metadata", "labels", "status") == "deployed"
        ):
            if _is_gone_on_with(item):
                # Resolving and pulling takes it as long as the garbage collector needs.
                time.sleep(1)
                self._put(item, objects, namespace, first=False)
            return result
        strict = at(spec, "install", "preflight", "crdUpgradeSafety", "enforcement") != "None"
        live = {key: self._client.find(key.path) for key in objects}
        for key, content in live.items():
            if content is None:
                continue
            if (at(content, "metadata", "annotations") or {}).get(RELEASE_NAME) != name or (
                at(content, "metadata", "annotations") or {}
            ).get(RELEASE_NAMESPACE) != namespace:
                raise not_ours(key.kind, key.name, key.namespace)
        for key, content in live.items():
            if content is not None and key.kind == "CustomResourceDefinition" and strict:
                check_crd(content, objects[key])
        self._put(item, objects, namespace, first=release is None)
        self._prune(name, release, objects)
        self._record(item, result, token, list(objects), release)
        return result

    def _put(
        self, item: Mapping[str, Any], objects: Mapping[ObjectKey, Mapping[str, Any]], namespace: str, *, first: bool
    ) -> None:
        problems: list[str] = []
        for key, manifest in objects.items():
            metadata = dict(manifest["metadata"])
            name = item["metadata"]["name"]
            owner = {"app.kubernetes.io/managed-by": "Helm", OWNER_KIND: EXTENSIONS.kind, OWNER_NAME: name}
            metadata["labels"] = {**(metadata.get("labels") or {}), **owner}
            release = {RELEASE_NAME: name, RELEASE_NAMESPACE: namespace}
            metadata["annotations"] = {**(metadata.get("annotations") or {}), **release}
            metadata["ownerReferences"] = [owner_reference(item)]
            try:
                self._client.apply(key.path, {**manifest, "metadata": metadata}, manager="helm", force=True)
            except ApiError as error:
                problems.append(error.said)
        if problems and first:
            name = str(item["metadata"]["name"])
            self._record(item, None, "", list(objects), None)
            raise Retried(f"{len(problems)} errors occurred:\n" + "".join(f"\t* {text}\n" for text in problems) + "\n")
        if problems:
            raise Retried(f"failed to create resource: {problems[0]}")

    def _prune(self, name: str, release: Mapping[str, Any] | None, objects: Mapping[ObjectKey, Any]) -> None:
        before = json.loads((at(release, "metadata", "annotations") or {}).get("objects", "[]"))
        for path in set(before) - {key.path for key in objects}:
            found = self._client.find(path)
            if found is not None and at(found, "metadata", "annotations", RELEASE_NAME) == name:
                self._client.delete(path)

    def _releases(self) -> str:
        return f"/api/v1/namespaces/{SYSTEM}/secrets"

    def _release(self, name: str) -> Mapping[str, Any] | None:
        query = {"fieldSelector": f"type={RELEASE_TYPE}", "labelSelector": f"name={name}"}
        found = list(self._client.each(self._releases(), query))
        return max(found, key=lambda item: int(item["metadata"]["labels"]["version"]), default=None)

    def _installed(self, name: str) -> Installed | None:
        release = self._release(name)
        if release is None or at(release, "metadata", "labels", "status") != "deployed":
            return None
        annotations = release["metadata"]["annotations"]
        return Installed(annotations["bundle"], annotations["version"], annotations["image"])

    def _record(
        self,
        item: Mapping[str, Any],
        result: Installed | None,
        token: str,
        keys: list[ObjectKey],
        before: Mapping[str, Any] | None,
    ) -> None:
        name = item["metadata"]["name"]
        number = int(at(before, "metadata", "labels", "version") or 0) + 1
        annotations = {"token": token, "objects": json.dumps([key.path for key in keys])}
        if result is not None:
            annotations |= {"bundle": result.name, "version": result.version, "image": result.image}
        labels = {"name": name, "owner": "operator-controller", "version": str(number)}
        labels["status"] = "deployed" if result else "failed"
        secret = f"sh.helm.release.v1.{name}.v{number}"
        if self._client.find(f"/api/v1/namespaces/{SYSTEM}") is None:
            self._client.apply(
                f"/api/v1/namespaces/{SYSTEM}",
                {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SYSTEM}},
                manager="helm",
            )
        self._client.apply(
            f"{self._releases()}/{secret}",
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "type": RELEASE_TYPE,
                "metadata": {
                    "name": secret,
                    "labels": labels,
                    "annotations": annotations,
                    "ownerReferences": [owner_reference(item)],
                },
            },
            manager="helm",
            force=True,
        )
        if before is not None:
            self._client.delete(f"{self._releases()}/{before['metadata']['name']}")

    def _say(self, path: str, item: Mapping[str, Any], conditions: list[dict[str, Any]], **status: Any) -> None:
        """Write a status, unless it says so already."""
        generation = item["metadata"]["generation"]
        before = {str(entry["type"]): entry for entry in at(item, "status", "conditions") or ()}
        told = []
        for entry in conditions:
            old = before.get(entry["type"], {})
            since = old.get("lastTransitionTime", _now()) if old.get("status") == entry["status"] else _now()
            told.append({**entry, "observedGeneration": generation, "lastTransitionTime": since})
        wanted = {**(item.get("status") or {}), **status, "conditions": told}
        wanted = {key: value for key, value in wanted.items() if value is not None}
        if wanted == (item.get("status") or {}):
            return
        name, version = item["metadata"]["name"], item["metadata"]["resourceVersion"]
        patch = {"metadata": {"resourceVersion": version}, "status": {**status, "conditions": told}}
        self._client.merge(f"{path}/{name}/status", patch)


def _is_gone_on_with(item: Mapping[str, Any]) -> bool:
    """Whether one that is on its way out is applied as long as it is there, as all were by releases before June 2025."""
    finalizers = set(at(item, "metadata", "finalizers") or ())
    marked = OLD_RELEASE in (at(item, "metadata", "annotations") or {})
    return marked and _ORPHAN in finalizers and not finalizers & set(_EXTENSION_FINALIZERS)


def _is_available(deployment: Mapping[str, Any]) -> bool:
    """Whether what serves is what is asked for now, not what was there before."""
    wanted, status = deployment["spec"]["replicas"], deployment.get("status") or {}
    if status.get("observedGeneration") != deployment["metadata"]["generation"]:
        return False
    return bool(status.get("updatedReplicas", 0) == status.get("availableReplicas", 0) == wanted)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def owner_reference(item: Mapping[str, Any]) -> dict[str, Any]:
    """As OLM v1 refers to a ClusterExtension from what it put on the cluster."""
    return {
        "apiVersion": EXTENSIONS.api_version,
        "kind": EXTENSIONS.kind,
        "name": item["metadata"]["name"],
        "uid": item["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def main() -> None:
    """Entry of the program: until it is ended."""
    kubeconfig, context, path, *flags = sys.argv[1:]
    shelf = Shelf(**json.loads(Path(path).read_text(encoding="utf-8")))
    connection = Connection(kubeconfig=kubeconfig, context=context)
    with OperatorController(connection, shelf, lets_go="--lets-go" in flags):
        threading.Event().wait()


if __name__ == "__main__":
    main()
