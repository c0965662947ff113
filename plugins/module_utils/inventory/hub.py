# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading from a hub: a cluster that knows of others and may hold their credentials."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from ..cluster.client import Client, JsonObject
from ..cluster.connection import Connection
from ..errors import ClusterError, FleetError, NotFound, OptionError
from ..nested import at
from .model import Settings
from .options import connection_options

Item = TypeVar("Item")
Result = TypeVar("Result")


@contextmanager
def open_hub(given: Mapping[str, Any], where: str, settings: Settings) -> Iterator[Client]:
    """A client of the hub; what goes wrong with it is told with the place of the source."""
    connection = Connection.from_options(connection_options(given, settings.base))
    try:
        hub = Client(connection, connections=settings.threads)
    except FleetError as error:
        raise OptionError(f"{where}: {error}") from error
    try:
        with hub:
            yield hub
    except ClusterError as error:
        raise OptionError(f"{where}: {error}") from error


def listed(
    client: Client, where: str, group: str, plural: str, *, namespaces: Sequence[str] = (), selector: str | None = None
) -> list[JsonObject]:
    """The objects of a resource in the version that the hub prefers, in all namespaces or in some."""
    served = client.discovery().served(group, plural)
    if not served:
        raise OptionError(f"{where}: {client.name} serves no {plural}.{group}; is it the hub?")
    api = f"/apis/{group}/{served[0].version}"
    paths = [f"{api}/namespaces/{namespace}/{plural}" for namespace in namespaces] or [f"{api}/{plural}"]
    return [item for path in paths for item in client.each(path, selected(selector))]


def selected(selector: str | None) -> dict[str, str]:
    """The query for objects with certain labels."""
    return {"labelSelector": selector} if selector else {}


def read_secret(client: Client, namespace: str, name: str) -> dict[str, str]:
    """The content of a Secret."""
    try:
        found = client.read(f"/api/v1/namespaces/{namespace}/secrets/{name}")
    except NotFound:
        raise OptionError(f"the hub has no Secret {namespace}/{name} with its credentials") from None
    return secret_content(found)


def secret_content(secret: Mapping[str, Any]) -> dict[str, str]:
    """What a Secret holds, as far as it is text."""
    content = {}
    data = at(secret, "data")
    for key, value in data.items() if isinstance(data, Mapping) else ():
        try:
            content[str(key)] = base64.b64decode(str(value), validate=True).decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            continue
    return content


def in_parallel(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> list[Result]:
    """The results for all items, in their order."""
    with ThreadPoolExecutor(max_workers=threads) as pool:
        return list(pool.map(work, items))


def metadata_labels(item: Mapping[str, Any]) -> dict[str, str]:
    """The labels of an object."""
    found = at(item, "metadata", "labels")
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, Mapping) else {}


def name_of(item: Mapping[str, Any]) -> str:
    """The name of an object."""
    return str(at(item, "metadata", "name") or "")


def namespace_of(item: Mapping[str, Any]) -> str:
    """The namespace of an object."""
    return str(at(item, "metadata", "namespace") or "")
