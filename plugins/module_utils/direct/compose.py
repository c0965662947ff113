# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From a bundle and its configuration to what an extension is to be on a certain cluster."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..bundle.load import LoadedBundle
from ..cluster.client import Client
from ..cluster.info import certificate_providers
from ..config.parse import Config
from ..config.validate import checked_namespace
from ..errors import OptionError
from ..manifests.mirrors import Mirror, mirror_images
from ..render.certificates import CERTIFICATE_PROVIDERS, NO_PROVIDER
from ..render.install_mode import target_namespaces
from ..render.pipeline import render
from .ownership import Extension
from .record import Record
from .text import rendering_digest, texts_of
from .wanted import Wanted

AUTO = "auto"
# Documented by each module that takes it.
PROVIDER_OPTIONS: Mapping[str, Any] = {
    "certificate_provider": {"type": "str", "choices": [AUTO, *CERTIFICATE_PROVIDERS], "default": AUTO}
}
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
# As long as OLM v1 lets the name of a ClusterExtension be.
_LONGEST_NAME = 52


def named(name: str, namespace: str) -> Extension:
    """An extension by names that Kubernetes takes."""
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        raise OptionError(
            f"name: '{name}' cannot be the name of an extension; use lower case letters, digits, '-' and '.', at most {_LONGEST_NAME} characters"
        )
    return Extension(name, checked_namespace(namespace))


def compose(
    client: Client,
    extension: Extension,
    loaded: LoadedBundle,
    config: Config,
    provider: str,
    mirrors: Sequence[Mirror],
    newest: Record | None,
) -> Wanted:
    """Render a bundle for a cluster."""
    bundle = loaded.bundle
    issuer = chosen_provider(client, provider, newest) if bundle.webhooks else NO_PROVIDER
    rendered = render(bundle, config, extension.namespace, issuer)
    manifests, _mirrored = mirror_images(rendered, tuple(mirrors))
    texts = texts_of(manifests)
    return Wanted(
        extension=extension,
        identity={
            "name": bundle.name,
            "package": bundle.package,
            "version": bundle.version,
            "digest": loaded.digest,
            "reference": loaded.reference,
        },
        config=config.values,
        certificate_provider=issuer,
        manifests=tuple(dict(manifest) for manifest in manifests),
        texts=texts,
        digest=rendering_digest(texts),
        watched=target_namespaces(bundle, config.watch_namespace, extension.namespace),
        bundle=bundle,
    )


def chosen_provider(client: Client, provider: str, newest: Record | None) -> str | None:
    """Who issues certificates: as told, or as before, or who there is; None where there is nobody."""
    if provider != AUTO:
        return provider
    if newest is not None and newest.certificate_provider not in (None, NO_PROVIDER):
        return str(newest.certificate_provider)
    return next(iter(certificate_providers(client.discovery())), None)
