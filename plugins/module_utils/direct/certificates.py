# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The Secrets that cert-manager makes for the Certificates of an extension: they stay when those go, with a private key in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..cluster.client import Client
from ..cluster.objects import Collection, ObjectKey
from ..nested import at
from .plan import Step

# cert-manager notes there whom a Secret was made for.
MADE_FOR = "cert-manager.io/certificate-name"


def signed_secrets(
    client: Client, manifests_of: Callable[[ObjectKey], Iterable[Mapping[str, Any]]], going: Iterable[ObjectKey]
) -> list[Step]:
    """The Secrets that go with the Certificates among objects; one request for each."""
    steps: dict[ObjectKey, Step] = {}
    for key in going:
        if (key.collection.group, key.kind) != ("cert-manager.io", "Certificate"):
            continue
        for manifest in manifests_of(key):
            name = str(at(manifest, "spec", "secretName") or "")
            secret = ObjectKey(Collection("", "v1", "secrets", "Secret", key.namespace), name)
            live = client.find(secret.path) if name and secret not in steps else None
            if live is not None and (at(live, "metadata", "annotations") or {}).get(MADE_FOR) == key.name:
                uid = str(at(live, "metadata", "uid"))
                steps[secret] = Step("prune", secret, uid=uid, why=f"made for {key}")
    return list(steps.values())
